/** `aot logs`: what an agent or a check printed (SPEC section 10). */
import { attemptsOf, logFiles, readAttemptLog, type LogFile } from "../../history/attempt-work.ts";
import { printable } from "../../view/words.ts";
import { clockOf } from "../../terminal/event-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { failure } from "../../command/problem-text.ts";
import { attemptOf } from "./named-attempt.ts";
import { noLoop } from "./no-loop.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const missing = await noLoop(call, file);
  if (missing !== null) return missing;
  const logs = logFiles(file.path);
  const name = call.arg("atom");
  if (name === undefined) return { exit: 0, json: { success: true, logs }, text: listText(logs) };
  const named = logs.find((one) => one.name === name)?.name;
  const found = named === undefined ? attemptOf(attemptsOf(file.path), name, call.arg("attempt")) : null;
  if (found?.ok === false) return failure(found.problems);
  const attempt = named ?? found?.value.attempt ?? name;
  const part = readAttemptLog(file.path, attempt, -1);
  if (part === null) {
    const hint = "it printed nothing yet, or its log was removed to make space; `aot logs` lists those that are there";
    return failure([{ code: "refused", message: `there is no log of ${attempt}`, hint }]);
  }
  const { text, skipped } = part;
  const notes = skipped === 0 ? [] : [`the first ${skipped} bytes are not shown`];
  return { exit: 0, json: { success: true, attempt, text, skipped }, text: printable(text), notes };
};

function listText(logs: readonly LogFile[]): string {
  if (logs.length === 0) return "nothing was logged yet";
  const width = Math.max(...logs.map(({ name }) => name.length));
  const line = ({ name, bytes, changed }: LogFile): string =>
    `${name.padEnd(width)}  ${clockOf(new Date(changed).toISOString())}  ${Math.ceil(bytes / 1024)} KB`;
  return [...logs.map(line), "", "one of them: `aot logs NAME`"].join("\n");
}
