/** `aot run --challenge`: after a verdict of true the checks are tried against broken code (SPEC section 6). */
import { readStateFile } from "../adapters/store/state-file.ts";
import { commandsOf, setUpOf } from "../project/config-set-up.ts";
import { challenge } from "../verify/challenge/challenge.ts";
import type { RunEnd, RunOptions } from "./options.ts";

/** The same end, with what the challenge found; how the run ended does not depend on it. */
export async function challenged(
  end: RunEnd,
  { challenge_ms, stateFile, root, set_up = setUpOf({}) }: RunOptions,
): Promise<RunEnd> {
  if (challenge_ms === undefined || !end.ok || end.report.outcome !== "verified") return end;
  const { report } = end;
  const noted = (why: string): RunEnd => ({
    ...end,
    report: { ...report, notes: [...report.notes, `not challenged: ${why}`] },
  });
  if (report.commit === null || report.in_place === true) return noted("there is no commit to copy");
  const read = await readStateFile(stateFile);
  if (!read.ok) return noted(read.problems[0]?.message ?? "the state file cannot be read");
  const tried = await challenge({
    project: root,
    commit: report.commit,
    state: read.value.state,
    set_up: commandsOf(set_up),
    time_ms: challenge_ms,
    signal: new AbortController().signal,
  });
  if (!tried.ok) return noted(tried.problems.map(({ message }) => message).join("; "));
  return { ...end, report: { ...report, challenge: tried.value } };
}
