import { required } from "../call.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import type { Run } from "../spec.ts";

export const run: Run = (call) => {
  const group = required(call.arg("group"), "group");
  return redirectAnswer(call, { kind: "choose", group, atom: required(call.arg("id"), "id"), reason: reasonOf(call) });
};
