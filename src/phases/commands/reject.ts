import { accepted } from "../../core/problem.ts";
import { required } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) => {
  const gate = required(call.arg("gate"), "gate");
  const reason = required(call.text("reason"), "reason");
  return act(
    call,
    () => accepted({ type: "fail_gate", gate, reason }),
    () => `${gate} is failed: ${reason}`,
  );
};
