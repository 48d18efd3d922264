import { accepted } from "../../core/problem.ts";
import { required } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) => {
  const gate = required(call.arg("gate"), "gate");
  return act(
    call,
    () => accepted({ type: "retry_gate", gate }),
    () => `${gate} is pending again`,
  );
};
