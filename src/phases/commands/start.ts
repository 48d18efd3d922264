import { phaseMeant } from "../answer.ts";
import { accepted } from "../../core/problem.ts";
import type { Run } from "../../command/spec.ts";
import { act } from "./answer.ts";

export const run: Run = (call) =>
  act(
    call,
    (loop) => {
      const phase = phaseMeant(loop, call.arg("phase"));
      return phase.ok ? accepted({ type: "start_phase", phase: phase.value }) : phase;
    },
    ({ loop }) => `${loop.phase} is active`,
  );
