import { findStateFile } from "../../project/find-state-file.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { ruleFolders } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { answerHook, type HookReply } from "./hook.ts";
import { readHookInput } from "./hook-input.ts";
import { answerRules, concernsWorkers, type RulesReply } from "./rules.ts";

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
    const rules = await answerRules(named, ruleFolders(worker ?? folder, env));
    // An agent of `aot run` is no session of its own; and what a rule forbids concerns no loop any more.
    if (input.session === "" && rules.json === undefined) return UNREAD;
    const reply =
      worker !== null || rules.blocked
        ? rules
        : both(rules, await answerHook(named, findStateFile(folder, call.stateFile)));
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

/** What the rules warn of goes with what the loop says. */
function both(rules: RulesReply, loop: HookReply): HookReply {
  const [{ json: warned }, { json: said }] = [rules, loop];
  const note = [rules.note, loop.note].filter((part) => part !== undefined).join("; ");
  const noted = note === "" ? {} : { note };
  if (warned === undefined || said === undefined) {
    const json = warned ?? said;
    return { ...noted, ...(json === undefined ? {} : { json }) };
  }
  const merged: Record<string, unknown> = { ...said };
  for (const [key, value] of Object.entries(warned)) merged[key] = joined(merged[key], value);
  return { ...noted, json: merged };
}

function joined(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (typeof one === "string" && typeof other === "string") return one === other ? one : `${one}\n\n${other}`;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one;
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) merged[key] = joined(merged[key], value);
  return merged;
}
