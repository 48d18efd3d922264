import { findStateFile } from "../../app/find-state-file.ts";
import type { Run } from "../../commands/spec.ts";
import { answerHook } from "./hook.ts";
import { readHookInput } from "./hook-input.ts";

/** K2: exit code 0, whatever happens; a client takes 2 for a refusal. */
export const run: Run = async (call) => {
  if (await call.io.isTerminal(0))
    return { exit: 0, json: {}, text: "", notes: ["aot hook reads an event of a client as JSON from stdin"] };
  try {
    const input = readHookInput(call.io.stdin?.() ?? "");
    if (input === null) return { exit: 0, json: {}, text: "", notes: ["aot hook: no event could be read from stdin"] };
    const folder = call.io.env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? call.io.cwd;
    const stateFile = findStateFile(folder, call.stateFile);
    const reply = await answerHook({ ...input, event: input.event || (call.arg("event") ?? "") }, stateFile);
    return {
      exit: 0,
      json: reply.json ?? {},
      text: reply.json === undefined ? "" : JSON.stringify(reply.json),
      ...(reply.note === undefined ? {} : { notes: [`aot hook: ${reply.note}`] }),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { exit: 0, json: {}, text: "", notes: [`aot hook: ${message}; the action passes`] };
  }
};
