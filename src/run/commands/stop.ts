import type { Engines } from "../../history/extensions.ts";
import { stopLoop } from "../stop.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

/** `aot stop`. */
export const stopWith =
  (engines: Engines): Run =>
  async (call) => {
    const file = stateFileOf(call);
    const asked = await stopLoop(file.path, call.arg("reason") ?? "", engines, call.isSet("now"));
    if (!asked.ok) return failure(asked.problems, file.shown);
    return { exit: 0, json: { success: true, ...asked.value }, text: asked.value.message };
  };
