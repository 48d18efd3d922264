/** What a run does for a person who is away: it tells them, and leaves a report behind (SPEC section 9). */
import { createNotifier, type Notice } from "./notify.ts";
import { systemClock } from "../project/clock.ts";
import { describeProblems } from "../core/problem.ts";
import type { JournalLine } from "../core/journal.ts";
import { writeReport } from "./report-file.ts";
import type { RunControl, RunEnd, RunOptions, RunWatch } from "./options.ts";

export interface UnattendedWatch {
  /** The run's watch, with what is to be reported seen on the way. */
  readonly watch: RunWatch;
  /** The run is over: its report is written, and it is reported. Never rejects. */
  ended(end: RunEnd): Promise<void>;
}

export function notifyAndReport(options: RunOptions, watch: RunWatch): UnattendedWatch {
  const { stateFile, root, reports = [] } = options;
  let control: RunControl | null = null;
  let run: string | undefined;
  const note = (message: string): void => (control === null ? options.warn?.(message) : control.note(message));
  const notifier = options.notify === undefined ? null : createNotifier({ ...options.notify, cwd: root }, note);
  const tell = (notice: Omit<Notice, "time" | "state_file">): void =>
    notifier?.tell({
      time: systemClock.now(),
      state_file: stateFile,
      ...(run === undefined ? {} : { run }),
      ...notice,
    });
  const see = (line: JournalLine): void => {
    if (line.event === "run_started") run = line.run;
    if (line.event !== "waiting" || line.wait_ms < (options.notify?.wait_ms ?? Infinity)) return;
    const { until } = line;
    tell({ event: "waiting", message: `${line.who} waits until ${until} for the agent: ${line.reason}`, until });
  };
  return {
    watch: {
      line(line) {
        see(line);
        watch.line(line);
      },
      started(begun) {
        control = begun;
        watch.started?.(begun);
      },
    },
    async ended(end) {
      // The journal is closed.
      control = null;
      for (const report of reports) {
        const problem = await writeReport(report, end, options);
        if (problem !== null) options.warn?.(`no report: ${problem}`);
      }
      const notice = noticeOf(end);
      if (notice !== null) tell(notice);
      await notifier?.settled();
    },
  };
}

/** Null: a mistake in how it was called, which whoever called it learns. */
function noticeOf(end: RunEnd): Omit<Notice, "time" | "state_file"> | null {
  const { exit_code } = end;
  if (!end.ok) {
    if (exit_code === 2 || exit_code === 3) return null;
    const event = exit_code === 17 ? "agent_unavailable" : "broken";
    return { event, exit_code, message: describeProblems(end.problems) };
  }
  const { outcome, message, goal, cost_usd, tokens } = end.report;
  const event = outcome === "needs_confirmation" || outcome === "agent_unavailable" ? outcome : "halted";
  return { event, outcome, exit_code, message, goal, cost_usd, tokens };
}
