/** `aot diff`: what an attempt changed, failed ones too (SPEC section 10). */
import { attemptsOf, changedOf, diffOfAttempt } from "../../history/attempt-work.ts";
import { printable } from "../../view/words.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { AttemptPart } from "../../history/run-story.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { ATTEMPTS } from "../../view/standing.ts";
import { attemptOf } from "./named-attempt.ts";
import { noLoop } from "./no-loop.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const missing = await noLoop(call, file);
  if (missing !== null) return missing;
  const attempts = attemptsOf(file.path);
  const name = call.arg("atom");
  const changed = name === undefined ? await changedOf(file.path, attempts) : [];
  const [only, another] = changed;
  if (name === undefined && (only === undefined || another !== undefined)) return listed(changed);
  const found = attemptOf(attempts, name ?? only?.attempt ?? "", call.arg("attempt"));
  if (!found.ok) return failure(found.problems);
  const { attempt, end, commit: integrated } = found.value;
  if (end === "integrated" && integrated === null)
    return { exit: 0, json: { success: true, attempt, end, files: [] }, text: `${attempt} changed no file` };
  const shown = await diffOfAttempt(file.path, found.value);
  if (!shown.ok) return failure(shown.problems);
  const { patch, files, branch, commit } = shown.value;
  const paint = await painterFor(call.io);
  const counts = files.map(({ path, added, removed }) => `${path} +${added ?? "?"} -${removed ?? "?"}`);
  const head = `${attempt} ${ATTEMPTS[end ?? "running"].words}, ${branch ?? commit}: ${counts.join(", ")}`;
  const text = patch === undefined ? `too large to be shown: \`git diff ${commit}^ ${commit}\`` : painted(patch, paint);
  return { exit: 0, json: { success: true, attempt, end, ...shown.value }, text: `${paint("dim", head)}\n${text}` };
};

function listed(changed: readonly AttemptPart[]): Answer {
  const attempts = changed.map(({ attempt, atom, end }) => ({ attempt, atom, end }));
  const lines = changed.map(({ attempt, end }) => `${attempt}  ${ATTEMPTS[end ?? "running"].words}`);
  const text =
    lines.length === 0
      ? "no attempt has changed a file yet"
      : [...lines, "", "one of them: `aot diff ATOM [ATTEMPT]`"].join("\n");
  return { exit: 0, json: { success: true, attempts }, text };
}

function painted(patch: string, paint: Painter): string {
  return printable(patch)
    .split("\n")
    .map((line) => {
      if (/^(?:diff|index|---|\+\+\+) /.test(line)) return paint("bold", line);
      const style = line.startsWith("+")
        ? "green"
        : line.startsWith("-")
          ? "red"
          : line.startsWith("@@")
            ? "cyan"
            : null;
      return style === null ? line : paint(style, line);
    })
    .join("\n");
}
