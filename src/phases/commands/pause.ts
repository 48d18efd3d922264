import { pausePhases } from "../pause.ts";
import { accepted } from "../../core/problem.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { act, phaseFileOf } from "./answer.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const asked = await pausePhases(file.value.path);
  if (asked !== null && !asked.ok) return failure(asked.problems, file.value.shown);
  if (asked !== null)
    return {
      exit: 0,
      json: { success: true, state_file: file.value.path, message: asked.value, via: "runner" },
      text: asked.value,
    };
  return await act(
    call,
    () => accepted({ type: "pause" }),
    ({ loop }) => `${loop.loop} is paused`,
  );
};
