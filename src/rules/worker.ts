/** Guard rules and the agents of `aot run`: they obey the rules of the project whose loop they work for. */
import { isAboutResult } from "./match/match.ts";
import type { Rule } from "./match/rule.ts";
import { loadRules } from "./load.ts";
import { ruleFolders } from "./place.ts";

const HOOK_SECONDS = 60;

/**
 * Settings for a Claude Code that works for the loop: its hooks ask this program about each tool call, whether the user
 * has the plugin or not. Other clients are held to rules for files when their work is integrated (`gate.ts`).
 * @param project whose rules hold
 * @param aot how this program is called: a program and its first arguments
 * @returns undefined: no rule is about tools at this moment
 */
export async function workerSettings(project: string, aot: readonly string[]): Promise<string | undefined> {
  const files = await loadRules(ruleFolders(project, process.env));
  const rules = files.flatMap(({ rule }) => (rule?.enabled === true && isAboutTools(rule) ? [rule] : []));
  if (rules.length === 0) return undefined;
  const [command = "", ...args] = aot;
  const asking = (event: string, more: object = {}): object => ({
    [event]: [
      { hooks: [{ type: "command", command, args: [...args, "hook", event], timeout: HOOK_SECONDS, ...more }] },
    ],
  });
  const after = rules.some(isAboutResult) ? { ...asking("PostToolUse"), ...asking("PostToolUseFailure") } : {};
  return JSON.stringify({ hooks: { ...asking("PreToolUse", { onFailure: "block" }), ...after } });
}

/** Whether it can say anything of what an agent does. */
export function isAboutTools({ events }: Pick<Rule, "events">): boolean {
  return events.some((event) => event !== "prompt" && event !== "stop");
}
