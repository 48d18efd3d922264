/**
 * What most events need, as a process of its own that the quick front starts: guard rules (SPEC section 12), a person's
 * decisions, and of a loop what needs no look at its state. The event is JSON on stdin, the answer JSON on stdout. It holds nothing
 * else: a hook's start-up is user time.
 *
 * Called as `hook.cjs EVENT [state=FILE] [rules=no | OWNER=STAMP:FOLDER ...]`: the loop that the session may work; whether any
 * rule is about the event, and the folders of those that may be, where the front has found that none of them was changed since
 * they were read last, and what was read then (`rules/mark.ts`).
 *
 * Exit code 2 keeps the action from happening: what cannot be decided is not let through. Exit code 3: nothing was
 * decided, the whole program has to look (`aot hook`).
 */
import { readFileSync, writeSync } from "node:fs";
import { ruleFolders, type RuleFolder } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { passesUnseen, scopeOf } from "./guard.ts";
import { readHookInput } from "./hook-input.ts";
import { isToBeAsked } from "./permission.ts";
import { both, orDecision } from "./reply.ts";
import { answerRules, concernsWorkers } from "./rules.ts";

const CANNOT_DECIDE = 2;
const WHOLE_PROGRAM = 3;
const STATE_WORD = "state=";
const NO_RULES = "rules=no";

function unchangedFolder(word: string): RuleFolder {
  const [, owner, stamp = "", dir = ""] = /^(\w+)=(\w*):(.*)$/s.exec(word) ?? [];
  return { owner: owner === "user" ? "user" : "project", stamp, dir };
}

/** @returns the exit code */
async function answer(event: string, words: readonly string[]): Promise<number> {
  const text = readFileSync(0, "utf8");
  const stateFile = words.find((word) => word.startsWith(STATE_WORD))?.slice(STATE_WORD.length);
  const input = readHookInput(text, true);
  if (input === null) {
    writeSync(2, "aot hook: no event could be read from stdin\n");
    return 0;
  }
  const { env } = process;
  const named = { ...input, event: input.event || event };
  if (stateFile !== undefined && (!passesUnseen(named, stateFile) || isToBeAsked(named, scopeOf(stateFile))))
    return WHOLE_PROGRAM;
  const worker = projectAbove(env);
  if (worker !== null && !concernsWorkers(named)) return 0;
  const folder = worker ?? env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? process.cwd();
  const unchanged = words.filter((word) => word !== NO_RULES && !word.startsWith(STATE_WORD));
  const folders = unchanged.length > 0 ? unchanged.map(unchangedFolder) : ruleFolders(folder, env);
  const rules = words.includes(NO_RULES) ? { blocked: false } : await answerRules(named, folders, env);
  const reply = worker !== null || rules.blocked ? rules : both(rules, orDecision({}, named, env));
  if (reply.json !== undefined) writeSync(1, `${JSON.stringify(reply.json)}\n`);
  return 0;
}

answer(process.argv[2] ?? "", process.argv.slice(3)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    writeSync(2, `aot hook: guard rules could not be tried: ${String(error)}\n`);
    process.exit(CANNOT_DECIDE);
  },
);
