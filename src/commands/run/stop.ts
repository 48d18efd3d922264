import { stopLoop } from "../../app/run/stop.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const asked = await stopLoop(file.path, call.arg("reason") ?? "");
  if (!asked.ok) return failure(asked.problems, file.shown);
  return { exit: 0, json: { success: true, ...asked.value }, text: asked.value.message };
};
