import { attachLoop } from "../../app/run/attach.ts";
import { attach } from "../attach-view.ts";
import { noLoop } from "../no-loop.ts";
import { nextStep } from "../next-step.ts";
import { LOOP_TERMS } from "../run-terms.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const missing = await noLoop(call, file);
  if (missing !== null) return missing;
  return await attach(call, file, {
    terms: LOOP_TERMS,
    graph: file.path,
    follow: ({ view, signal }) => attachLoop(file.path, (line) => view?.line(line), signal),
    next: (outcome, message) => nextStep({ outcome, message }),
  });
};
