import { attachLoop } from "../attach.ts";
import { attach } from "./attach-view.ts";
import { noLoop } from "../../status/commands/no-loop.ts";
import { nextStep } from "../../command/next-step.ts";
import { LOOP_TERMS } from "./terms.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

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
