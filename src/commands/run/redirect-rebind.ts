import { required } from "../call.ts";
import { listOf } from "../edit-answer.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import type { Run } from "../spec.ts";

export const run: Run = (call) => {
  const id = required(call.arg("id"), "id");
  const binding = { summary: required(call.text("summary"), "summary"), artifacts: listOf(call.texts("artifacts")) };
  return redirectAnswer(call, { kind: "rebind", id, binding, reason: reasonOf(call) });
};
