/** What a hosted loop's journal tells of its run at work: the report that `aot run` gives of its own (SPEC section 9). */
import type { RunSettings } from "../../core/event.ts";
import type { JournalLine } from "../../core/journal.ts";
import { createLoop, tokensOf, type CheckedBaseCase, type Loop } from "../../core/loop.ts";
import type { Outcome } from "../../core/state.ts";
import type { LoopView } from "../../loop/engine.ts";
import { createReportKeeper, type ReportKeeper, type RunReport } from "../run/run-report.ts";

export interface HostedTale {
  /** Every line from the loop's first on: each run begins the tale anew. */
  line(line: JournalLine): void;
  /** @param place where the work is */
  report(view: LoopView, outcome: Outcome, place: string): RunReport;
}

interface Told {
  readonly keeper: ReportKeeper;
  readonly settings: RunSettings;
  readonly started_at: string;
  readonly earlier_ms: number;
  tokens: number;
  now: string;
  checked: CheckedBaseCase | null;
}

export function createHostedTale(): HostedTale {
  let told = begun("", "", { verify_each: false, confirmed: false });
  return {
    line(line) {
      if (line.event === "run_started") {
        const { active_ms, tokens = 0 } = line.memory;
        told = begun(line.run, line.time, line.settings, active_ms, tokens);
      }
      told.keeper.line(line);
      told.now = line.time;
      if ("usage" in line) told.tokens += tokensOf(line.usage);
      if (line.event !== "base_case_checked") return;
      told.checked = { verdict: line.verdict, commit: line.commit, integrations: 0 };
    },
    report: (view, outcome, place) =>
      told.keeper.report(loopIn(view, told), outcome, { message: place, merged: false }),
  };
}

function begun(run: string, at: string, settings: RunSettings, earlier_ms = 0, tokens = 0): Told {
  return { keeper: createReportKeeper(run, []), settings, started_at: at, earlier_ms, tokens, now: at, checked: null };
}

/** As much of the loop as a report asks for. */
function loopIn({ state, cost_usd }: LoopView, { settings, started_at, earlier_ms, tokens, now, checked }: Told): Loop {
  const loop = createLoop(state);
  return { ...loop, run: { ...loop.run, settings, started_at, earlier_ms, tokens, now, cost_usd, checked } };
}
