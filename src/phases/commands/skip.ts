import { accepted } from "../../core/problem.ts";
import { required } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) => {
  const phase = required(call.arg("phase"), "phase");
  const reason = call.text("reason") ?? null;
  return act(
    call,
    () => accepted({ type: "skip_phase", phase, reason }),
    () => `${phase} is skipped`,
  );
};
