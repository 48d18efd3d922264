import { findStateFile } from "../../project/find-state-file.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { ruleFolders } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { answerHook } from "./hook.ts";
import { readHookInput } from "./hook-input.ts";
import { both, orDecision } from "./reply.ts";
import { answerRules, concernsWorkers } from "./rules.ts";

const UNREAD: Answer = { exit: 0, json: {}, text: "", notes: ["aot hook: no event could be read from stdin"] };

/** HOOK-2: exit code 0, whatever happens; a client takes 2 for a refusal. */
export const run: Run = async (call) => {
  if (await call.io.isTerminal(0))
    return { exit: 0, json: {}, text: "", notes: ["aot hook reads an event of a client as JSON from stdin"] };
  try {
    const input = readHookInput(call.io.stdin?.() ?? "", true);
    if (input === null) return UNREAD;
    const { env } = call.io;
    const folder = env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? call.io.cwd;
    const named = { ...input, event: input.event || (call.arg("event") ?? "") };
    const worker = projectAbove(env);
    if (worker !== null && !concernsWorkers(named)) return { exit: 0, json: {}, text: "" };
    const rules = await answerRules(named, ruleFolders(worker ?? folder, env), env);
    // An agent of `aot run` is no session of its own; and what a rule forbids concerns no loop any more.
    if (input.session === "" && rules.json === undefined) return UNREAD;
    const reply =
      worker !== null || rules.blocked
        ? rules
        : both(rules, orDecision(await answerHook(named, findStateFile(folder, call.stateFile), env), named, env));
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
