import { findStateFile } from "../../project/find-state-file.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { ruleFolders } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { restoreLost, takeRestored } from "../../adapters/store/kept-copy.ts";
import { answerHook } from "./hook.ts";
import { readHookInput, type HookInput } from "./hook-input.ts";
import { both, isShown, orDecision, type HookReply } from "./reply.ts";
import { answerRules, concernsWorkers } from "./rules.ts";

const UNREAD_EVENT: Answer = { exit: 0, json: {}, text: "", notes: ["aot hook: no event could be read from stdin"] };

/** HOOK-2: exit code 0, whatever happens; a client takes 2 for a refusal. */
export const run: Run = async (call) => {
  if (await call.io.isTerminal(0))
    return { exit: 0, json: {}, text: "", notes: ["aot hook reads an event of a client as JSON from stdin"] };
  try {
    const input = readHookInput(call.io.stdin?.() ?? "", true);
    if (input === null) return UNREAD_EVENT;
    const { env } = call.io;
    const folder = env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? call.io.cwd;
    const named = { ...input, event: input.event || (call.arg("event") ?? "") };
    const worker = projectAbove(env);
    if (worker !== null && !concernsWorkers(named)) return { exit: 0, json: {}, text: "" };
    const rules = await answerRules(named, ruleFolders(worker ?? folder, env), env);
    if (input.session === "" && rules.json === undefined) return UNREAD_EVENT;
    // A worker of `aot run` is no session with a loop of its own; and what a rule has blocked the loop need not judge.
    const reply =
      worker !== null || rules.blocked
        ? rules
        : both(rules, orDecision(await loopReply(named, findStateFile(folder, call.stateFile), env), named, env));
    return {
      exit: 0,
      json: reply.json ?? {},
      text: reply.json === undefined ? "" : JSON.stringify(reply.json),
      ...(reply.note === undefined ? {} : { notes: [`aot hook: ${reply.note}`] }),
    };
  } catch (error) {
    const message = `aot hook: ${error instanceof Error ? error.message : String(error)}; the action passes`;
    const json = isShown(call.arg("event") ?? "") ? { systemMessage: message } : undefined;
    return { exit: 0, json: json ?? {}, text: json === undefined ? "" : JSON.stringify(json), notes: [message] };
  }
};

/** Also restores lost files, and says so at the next event whose answer the client shows to a person. */
async function loopReply(
  input: HookInput,
  stateFile: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HookReply> {
  const now = restoreLost(stateFile);
  const reply = await answerHook(input, stateFile, env);
  if (input.agent !== null || !isShown(input.event)) return reply;
  const systemMessage = takeRestored(stateFile) ?? now;
  return systemMessage === null ? reply : both({ json: { systemMessage: `AoT loop: ${systemMessage}.` } }, reply);
}
