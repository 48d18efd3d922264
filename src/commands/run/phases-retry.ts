import { accepted } from "../../core/problem.ts";
import { required } from "../call.ts";
import type { Run } from "../spec.ts";
import { act } from "./phases-answer.ts";

export const run: Run = (call) => {
  const gate = required(call.arg("gate"), "gate");
  return act(
    call,
    () => accepted({ type: "retry_gate", gate }),
    () => `${gate} is pending again`,
  );
};
