/**
 * The guard rules as a process of their own: what the quick front starts where no loop is concerned (SPEC section 12).
 * The event is JSON on stdin, the answer JSON on stdout. It holds nothing but what rules need: a hook's start-up is user
 * time.
 *
 * Exit code 2 keeps the action from happening: what cannot be decided is not let through.
 */
import { readFileSync, writeSync } from "node:fs";
import { ruleFolderOf } from "../../app/rules-worker.ts";
import { readHookInput } from "./hook-input.ts";
import { answerRules } from "./rules.ts";

const CANNOT = 2;

async function answer(event: string): Promise<void> {
  const input = readHookInput(readFileSync(0, "utf8"), true);
  if (input === null) {
    writeSync(2, "aot hook: no event could be read from stdin\n");
    return;
  }
  const { env } = process;
  const folder = ruleFolderOf(env) ?? env["CLAUDE_PROJECT_DIR"] ?? input.cwd ?? process.cwd();
  const reply = await answerRules({ ...input, event: input.event || event }, folder, env);
  if (reply.json !== undefined) writeSync(1, `${JSON.stringify(reply.json)}\n`);
}

answer(process.argv[2] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    writeSync(2, `aot hook: guard rules could not be tried: ${String(error)}\n`);
    process.exit(CANNOT);
  },
);
