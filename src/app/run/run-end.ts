/** The end of a run: the work is handed over, and the journal's last line says where it is (SPEC sections 8 and 9). */
import type { Journal } from "../../adapters/store/journal.ts";
import type { JournalLine } from "../../core/journal.ts";
import { activeMs, type Loop } from "../../core/loop.ts";
import { EXIT_CODES, type Outcome } from "../../core/state.ts";
import type { Workspace } from "../../loop/ports.ts";
import { systemClock } from "../clock.ts";
import type { RunEnd, RunWatch } from "./run-options.ts";
import type { ReportKeeper } from "./run-report.ts";

export async function endRun(
  loop: Loop,
  workspace: Workspace,
  keeper: ReportKeeper,
  journal: Journal,
  watch: RunWatch,
): Promise<RunEnd> {
  const outcome: Outcome = loop.run.halted ?? "stop_requested";
  const { message, merged } = await workspace.finish(outcome);
  const line: JournalLine = {
    time: systemClock.now(),
    run: loop.run.id,
    iteration: loop.state.control.iteration,
    event: "run_ended",
    message,
    cost_usd: loop.run.cost_usd,
    active_ms: activeMs(loop.run),
  };
  const written = journal.append([line]);
  if (!written.ok) return { ok: false, exit_code: 1, problems: written.problems };
  watch.line(line);
  const place = { message, merged, ...(workspace.kind === "in_place" ? { in_place: true as const } : {}) };
  return { ok: true, exit_code: EXIT_CODES[outcome], report: keeper.report(loop, outcome, place) };
}
