/**
 * A run of a phase loop for a person who is away: they are told when it rests, needs them, or waits long
 * (SPEC section 9).
 */
import { describeProblems } from "../core/problem.ts";
import { systemClock } from "../project/clock.ts";
import { createNotifier, type Notice } from "../run/notify.ts";
import type { PhasesEnd, PhasesRunOptions, PhasesWatch } from "./run-options.ts";

export interface PhasesUnattended {
  /** The run's watch, with what is to be reported seen on the way. */
  readonly watch: PhasesWatch;
  /** A gate waits for a person, and the run for both. */
  asked(message: string): void;
  /** The run is over. Never rejects. */
  ended(end: PhasesEnd): Promise<void>;
}

export function createPhasesUnattended(
  { notify, run, stateFile }: PhasesRunOptions,
  watch: PhasesWatch,
): PhasesUnattended {
  const notifier =
    notify === undefined ? null : createNotifier({ ...notify, cwd: run.root }, (message) => watch.tell(message));
  const tell = (notice: Omit<Notice, "time" | "state_file">): void =>
    notifier?.tell({ time: systemClock.now(), state_file: stateFile, ...notice });
  return {
    watch: {
      ...watch,
      line(line) {
        if (line.event === "waiting" && line.wait_ms >= (notify?.wait_ms ?? Infinity))
          tell({
            event: "waiting",
            message: `${line.who} waits until ${line.until}: ${line.reason}`,
            until: line.until,
          });
        watch.line(line);
      },
    },
    asked: (message) => tell({ event: "needs_confirmation", message }),
    async ended(end) {
      const notice = noticeOf(end);
      if (notice !== null) tell(notice);
      await notifier?.settled();
    },
  };
}

/** Null: a mistake in how it was called, which whoever called it learns. */
function noticeOf(end: PhasesEnd): Omit<Notice, "time" | "state_file"> | null {
  if (!end.ok) {
    if (end.exit_code === 2) return null;
    const event = end.exit_code === 17 ? "agent_unavailable" : "broken";
    return { event, exit_code: end.exit_code, message: describeProblems(end.problems) };
  }
  const { outcome, message, loop, spent } = end.report;
  const event = outcome === "needs_confirmation" || outcome === "agent_unavailable" ? outcome : "halted";
  const { cost_usd, tokens } = spent;
  return { event, outcome, exit_code: end.exit_code, message, goal: loop.loop, cost_usd, tokens };
}
