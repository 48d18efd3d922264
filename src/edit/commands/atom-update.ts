import { updateAtomIn } from "../update-atom.ts";
import type { AtomStatus } from "../../core/state.ts";
import { required } from "../../command/call.ts";
import { editAnswer } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const status = required(call.arg("status"), "status") as AtomStatus;
  return editAnswer(file, await updateAtomIn(file.path, id, status), {
    json: () => ({ atom: id, atom_status: status }),
    text: () => `${id} is ${status}`,
  });
};
