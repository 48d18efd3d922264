/** The end of a run: the work is handed over, and the journal's last line says where it is (SPEC sections 8 and 9). */
import type { Journal } from "../adapters/store/journal.ts";
import type { JournalLine } from "../core/journal.ts";
import { activeMs, type Loop } from "../core/loop.ts";
import { EXIT_CODES, type Outcome } from "../core/state.ts";
import type { IntegratedWork, Workspace } from "../loop/ports.ts";
import { systemClock } from "../project/clock.ts";
import { isFull } from "../project/disk-space.ts";
import type { RunEnd, RunWatch } from "./options.ts";
import { reportOf } from "./report.ts";
import type { RunStory } from "../history/run-story.ts";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { refused, type Problem } from "../core/problem.ts";
import { wordsFor } from "../host/write-failure.ts";
import { RunFailure } from "../loop/run-failure.ts";

interface Told {
  readonly story: RunStory;
  readonly doubts: readonly string[];
  readonly journal: Journal;
  readonly watch: RunWatch;
}

/** @param earlier what stood in the integration branch before. @param told `story` of this run, `doubts` of the alignment */
export async function endRun(
  loop: Loop,
  workspace: Workspace,
  earlier: readonly IntegratedWork[],
  { story, doubts, journal, watch }: Told,
): Promise<RunEnd> {
  const outcome: Outcome = loop.run.halted ?? "stop_requested";
  const { message, merged, handed_over } = await workspace.finish(outcome);
  const { run, state } = loop;
  const spent = { cost_usd: run.cost_usd, active_ms: activeMs(run) };
  const line: JournalLine = {
    time: systemClock.now(),
    run: run.id,
    iteration: state.control.iteration,
    event: "run_ended",
    message,
    ...spent,
    ...(handed_over === undefined ? {} : { handed_over }),
  };
  const written = journal.append([line]);
  if (!written.ok) return { ok: false, exit_code: 1, problems: written.problems };
  watch.line(line);
  const report = reportOf(state, story, {
    ...spent,
    tokens: run.tokens,
    outcome,
    verdict: run.checked?.verdict ?? null,
    commit: run.checked?.commit ?? null,
    earlier,
    place: message,
    merged,
  });
  const notes = outcome === "verified" ? report.notes : [...report.notes, ...doubts];
  return { ok: true, exit_code: EXIT_CODES[outcome], report: { ...report, notes } };
}

/**
 * @param dir the loop's own folder
 * @throws what is no failure of the run but a defect
 */
export function whyItBroke(error: unknown, dir: string): readonly Problem[] {
  const cause = error instanceof RunFailure && error.cause instanceof WorkspaceError ? error.cause : error;
  if (cause instanceof WorkspaceError)
    return refused(cause.problem.message, fullDisk(dir) ?? cause.problem.hint).problems;
  if (cause instanceof RunFailure) return refused(cause.message, fullDisk(dir) ?? cause.hint).problems;
  const [code, why, hint] = wordsFor(String((error as NodeJS.ErrnoException | null)?.code));
  if (code === "no_space") return refused(`${why}: ${String(error)}`, fullDisk(dir) ?? hint).problems;
  throw error;
}

/** What to do about a full disk, whatever it was that failed for it; null: there is space. */
function fullDisk(dir: string): string | null {
  return isFull(dir)
    ? `the disk that holds ${dir} is full: free some space (\`aot clean --all\` removes what attempts left, with the work in it), then run again; the loop goes on from here`
    : null;
}
