import { addBindingTo } from "../atoms.ts";
import { required } from "../../command/call.ts";
import { editAnswer, listOf } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const binding = { summary: required(call.text("summary"), "summary"), artifacts: listOf(call.texts("artifacts")) };
  return editAnswer(file, await addBindingTo(file.path, id, binding), {
    json: () => ({ atom: id, binding }),
    text: () => `${id} is bound: ${binding.summary}`,
  });
};
