/** The end of a run: the work is handed over, and the journal's last line says where it is (SPEC sections 8 and 9). */
import type { Journal } from "../adapters/store/journal.ts";
import type { JournalLine } from "../core/journal.ts";
import { activeMs, type Loop } from "../core/loop.ts";
import { EXIT_CODES, type Outcome } from "../core/state.ts";
import type { IntegratedWork, Workspace } from "../loop/ports.ts";
import { systemClock } from "../project/clock.ts";
import type { RunEnd, RunWatch } from "./options.ts";
import { reportOf } from "./report.ts";
import type { RunStory } from "../history/run-story.ts";

/** @param earlier what stood in the integration branch before. @param story of this run */
export async function endRun(
  loop: Loop,
  workspace: Workspace,
  earlier: readonly IntegratedWork[],
  { story, journal, watch }: { readonly story: RunStory; readonly journal: Journal; readonly watch: RunWatch },
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
    ...(workspace.kind === "in_place" ? { in_place: true } : {}),
  });
  return { ok: true, exit_code: EXIT_CODES[outcome], report };
}
