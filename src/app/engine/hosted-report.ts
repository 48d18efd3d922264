/** What a hosted loop's journal says of its newest run: the report that `aot run` gives of its own (SPEC section 9). */
import type { RunSettings } from "../../core/event.ts";
import type { JournalLine } from "../../core/journal.ts";
import { createLoop, tokensOf, type CheckedBaseCase, type Loop } from "../../core/loop.ts";
import type { Outcome } from "../../core/state.ts";
import type { LoopView } from "../../loop/engine.ts";
import { createReportKeeper, type ReportKeeper, type RunReport } from "../run/run-report.ts";

export interface HostedReport {
  /** Every line from the loop's first on: each run begins the report anew. */
  line(line: JournalLine): void;
  /** @param place where the work is */
  report(view: LoopView, outcome: Outcome, place: string): RunReport;
}

interface Gathered {
  readonly keeper: ReportKeeper;
  readonly settings: RunSettings;
  readonly started_at: string;
  readonly earlier_ms: number;
  tokens: number;
  now: string;
  checked: CheckedBaseCase | null;
}

export function createHostedReport(): HostedReport {
  let gathered = begun("", "", { verify_each: false, confirmed: false });
  return {
    line(line) {
      if (line.event === "run_started") {
        const { active_ms, tokens = 0 } = line.memory;
        gathered = begun(line.run, line.time, line.settings, active_ms, tokens);
      }
      gathered.keeper.line(line);
      gathered.now = line.time;
      if ("usage" in line) gathered.tokens += tokensOf(line.usage);
      if (line.event !== "base_case_checked") return;
      gathered.checked = { verdict: line.verdict, commit: line.commit, integrations: 0 };
    },
    report: (view, outcome, place) =>
      gathered.keeper.report(loopIn(view, gathered), outcome, { message: place, merged: false }),
  };
}

function begun(run: string, at: string, settings: RunSettings, earlier_ms = 0, tokens = 0): Gathered {
  return { keeper: createReportKeeper(run, []), settings, started_at: at, earlier_ms, tokens, now: at, checked: null };
}

/** As much of the loop as a report asks for. */
function loopIn(
  { state, cost_usd }: LoopView,
  { settings, started_at, earlier_ms, tokens, now, checked }: Gathered,
): Loop {
  const loop = createLoop(state);
  return { ...loop, run: { ...loop.run, settings, started_at, earlier_ms, tokens, now, cost_usd, checked } };
}
