import { failAtomIn } from "../atoms.ts";
import { required } from "../../command/call.ts";
import { editAnswer, selections } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const result = await failAtomIn(file.path, id, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ atom: id, switched: selections(edited) }),
    text: (edited) => {
      const switched = Object.entries(selections(edited)).map(([group, { to }]) => `${group} goes on with ${to}`);
      return switched.length === 0 ? `${id} failed` : `${id} failed: ${switched.join(", ")}`;
    },
  });
};
