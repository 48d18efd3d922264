/**
 * The guard rules as a process of their own: what the quick front starts where no loop is concerned (SPEC section 12).
 * The event is JSON on stdin, the answer JSON on stdout. It holds nothing but what rules need: a hook's start-up is user
 * time.
 *
 * Called as `rules.cjs EVENT [OWNER=STAMP:FOLDER ...]`: the folders whose rules may be about the event, where the front has
 * found that none of them was changed since they were read last, and what was read then (`rules-mark.ts`).
 *
 * Exit code 2 keeps the action from happening: what cannot be decided is not let through.
 */
import { readFileSync, writeSync } from "node:fs";
import { ruleFolders, type RuleFolder } from "../../rules/place.ts";
import { projectAbove } from "../../project/agent-restrictions.ts";
import { readHookInput } from "./hook-input.ts";
import { answerRules, concernsWorkers } from "./rules.ts";

const CANNOT = 2;

function unchangedFolder(word: string): RuleFolder {
  const [, owner, stamp = "", dir = ""] = /^(\w+)=(\w*):(.*)$/s.exec(word) ?? [];
  return { owner: owner === "user" ? "user" : "project", stamp, dir };
}

async function answer(event: string, unchanged: readonly string[]): Promise<void> {
  const input = readHookInput(readFileSync(0, "utf8"), true);
  if (input === null) {
    writeSync(2, "aot hook: no event could be read from stdin\n");
    return;
  }
  const { env } = process;
  const named = { ...input, event: input.event || event };
  const worker = projectAbove(env);
  if (worker !== null && !concernsWorkers(named)) return;
  const folder = worker ?? env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? process.cwd();
  const folders = unchanged.length > 0 ? unchanged.map(unchangedFolder) : ruleFolders(folder, env);
  const reply = await answerRules(named, folders);
  if (reply.json !== undefined) writeSync(1, `${JSON.stringify(reply.json)}\n`);
}

answer(process.argv[2] ?? "", process.argv.slice(3)).then(
  () => process.exit(0),
  (error: unknown) => {
    writeSync(2, `aot hook: guard rules could not be tried: ${String(error)}\n`);
    process.exit(CANNOT);
  },
);
