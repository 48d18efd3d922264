import { required } from "../call.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import type { Run } from "../spec.ts";

export const run: Run = (call) =>
  redirectAnswer(call, { kind: "remove", id: required(call.arg("id"), "id"), reason: reasonOf(call) });
