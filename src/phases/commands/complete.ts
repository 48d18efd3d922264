import { phaseMeant } from "../answer.ts";
import { accepted } from "../../core/problem.ts";
import { listOf } from "../../edit/commands/edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) =>
  act(
    call,
    (loop) => {
      const phase = phaseMeant(loop, call.arg("phase"));
      const deliverables = listOf(call.texts("deliverables"));
      return phase.ok ? accepted({ type: "complete_phase", phase: phase.value, deliverables }) : phase;
    },
    ({ before }) => `${call.arg("phase") ?? before.phase} is complete`,
  );
