import { addAtomTo } from "../atoms.ts";
import { editAnswer } from "./edit-answer.ts";
import { newAtomOf } from "./new-atom.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const atom = newAtomOf(call);
  return editAnswer(file, await addAtomTo(file.path, atom), {
    json: () => ({ atom: atom.id }),
    text: () => `added ${atom.id}: ${atom.description}`,
  });
};
