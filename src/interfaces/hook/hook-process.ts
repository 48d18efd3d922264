/**
 * What most events need, as a program that starts fast: guard rules (SPEC section 12), a person's decisions, and of a
 * loop what is decided without its state. The plugin's shell script (plugin/bin/aot-hook) starts it. The event is JSON on
 * stdin, the answer JSON on stdout.
 *
 * Called as `hook.cjs EVENT [state=FILE] [rules=no | OWNER=STAMP:FOLDER ...]`. `state`: the loop that the session may work.
 * `rules=no`: no rule is about the event. `OWNER=STAMP:FOLDER`: a folder whose rules are unchanged since they were read
 * last, and what was read then (`rules/mark.ts`); without any, the folders are looked for.
 *
 * Exit code 2 keeps the action from happening: what cannot be decided is not let through. Exit code 3: nothing was
 * decided, the script has to call `aot hook`.
 */
import { readFileSync, writeSync } from "node:fs";
import { ruleFolders, type RuleFolder } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { passesInAnyState, scopeOf } from "./guard.ts";
import { readHookInput } from "./hook-input.ts";
import { isToBeAsked } from "./permission.ts";
import { both, orDecision } from "./reply.ts";
import { answerRules, concernsWorkers } from "./rules.ts";

const UNDECIDED_EXIT = 2;
const WHOLE_PROGRAM_EXIT = 3;
const STATE_WORD = "state=";
const NO_RULES_WORD = "rules=no";

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
  if (stateFile !== undefined && (!passesInAnyState(named, stateFile) || isToBeAsked(named, scopeOf(stateFile))))
    return WHOLE_PROGRAM_EXIT;
  const worker = projectAbove(env);
  if (worker !== null && !concernsWorkers(named)) return 0;
  const folder = worker ?? env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? process.cwd();
  const unchanged = words.filter((word) => word !== NO_RULES_WORD && !word.startsWith(STATE_WORD));
  const folders = unchanged.length > 0 ? unchanged.map(unchangedFolder) : ruleFolders(folder, env);
  const rules = words.includes(NO_RULES_WORD) ? { blocked: false } : await answerRules(named, folders, env);
  const reply = worker !== null || rules.blocked ? rules : both(rules, orDecision({}, named, env));
  if (reply.json !== undefined) writeSync(1, `${JSON.stringify(reply.json)}\n`);
  return 0;
}

answer(process.argv[2] ?? "", process.argv.slice(3)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    writeSync(2, `aot hook: guard rules could not be tried: ${String(error)}\n`);
    process.exit(UNDECIDED_EXIT);
  },
);
