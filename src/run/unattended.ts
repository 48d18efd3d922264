/** What a run does for a person who is away: it tells them, and leaves a report behind (SPEC section 9). */
import { createNotifier, type Notice } from "./notify.ts";
import { systemClock } from "../project/clock.ts";
import { describeProblems } from "../core/problem.ts";
import type { JournalLine } from "../core/journal.ts";
import { writeReport } from "./report-file.ts";
import type { NoRun, RunControl, RunEnd, RunOptions, RunWatch } from "./options.ts";
import type { RunReport } from "./report.ts";

/** Tells a person who is away what happens in a run. */
export interface Messenger {
  tell(notice: Omit<Notice, "time" | "state_file">): void;
  /** Called for each line of the run: reports a long wait. */
  line(line: JournalLine): void;
  /** Reports how the run ended. Never rejects. */
  ended(end: Ended): Promise<void>;
}

type Ended =
  | {
      readonly ok: true;
      readonly exit_code: number;
      readonly report: Pick<RunReport, "outcome" | "message" | "goal" | "cost_usd" | "tokens">;
    }
  | NoRun;

/** @param note called when a notification fails. @param run returns the run's id, once it is known */
export function createMessenger(
  { notify, root, stateFile }: Pick<RunOptions, "notify" | "root" | "stateFile">,
  note: (message: string) => void,
  run: () => string | undefined = () => undefined,
): Messenger {
  const notifier = notify === undefined ? null : createNotifier({ ...notify, cwd: root }, note);
  const tell: Messenger["tell"] = (notice) => {
    const id = run();
    notifier?.tell({ time: systemClock.now(), state_file: stateFile, ...(id && { run: id }), ...notice });
  };
  return {
    tell,
    line(line) {
      if (line.event !== "waiting" || line.wait_ms < (notify?.wait_ms ?? Infinity)) return;
      const { who, until, reason } = line;
      tell({ event: "waiting", message: `${who} waits until ${until} for the agent: ${reason}`, until });
    },
    async ended(end) {
      const notice = noticeOf(end);
      if (notice !== null) tell(notice);
      await notifier?.settled();
    },
  };
}

export interface UnattendedWatch {
  /** The run's watch, with what is to be reported seen on the way. */
  readonly watch: RunWatch;
  /** Writes the run's report and notifies the person. Never rejects. */
  ended(end: RunEnd): Promise<void>;
}

export function notifyAndReport(options: RunOptions, watch: RunWatch): UnattendedWatch {
  let control: RunControl | null = null;
  let run: string | undefined;
  const note = (message: string): void => (control === null ? options.warn?.(message) : control.note(message));
  const messenger = createMessenger(options, note, () => run);
  return {
    watch: {
      line(line) {
        if (line.event === "run_started") run = line.run;
        messenger.line(line);
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
      for (const report of options.reports ?? []) {
        const problem = await writeReport(report, end, options);
        if (problem !== null) options.warn?.(`no report: ${problem}`);
      }
      await messenger.ended(end);
    },
  };
}

/** Null: a mistake in how it was called, which whoever called it learns. */
function noticeOf(end: Ended): Omit<Notice, "time" | "state_file"> | null {
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
