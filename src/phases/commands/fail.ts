import { phaseMeant } from "../answer.ts";
import { accepted } from "../../core/problem.ts";
import { required } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) =>
  act(
    call,
    (loop) => {
      const reason = required(call.text("reason"), "reason");
      if (call.isSet("unrecoverable")) return accepted({ type: "fail_loop", reason });
      const phase = phaseMeant(loop, call.arg("phase"));
      return phase.ok ? accepted({ type: "fail_phase", phase: phase.value, reason }) : phase;
    },
    ({ before, loop }) =>
      loop.status === "failed"
        ? `${loop.loop} failed: ${call.text("reason")}`
        : `${call.arg("phase") ?? before.phase} failed: it is pending again`,
  );
