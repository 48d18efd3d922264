import { switchChoiceIn } from "../atoms.ts";
import { required } from "../../command/call.ts";
import { editAnswer, selections } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const group = required(call.arg("group"), "group");
  const choice = required(call.arg("id"), "id");
  const result = await switchChoiceIn(file.path, group, choice, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ or_group: group, selected: choice, switched: selections(edited) }),
    text: () => `${group} goes on with ${choice}`,
  });
};
