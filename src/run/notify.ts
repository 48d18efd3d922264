/**
 * Telling a person who is not looking: a command of theirs is called with what happened (a halt, a question, a long wait).
 *
 * NOTIFY-1 the run never waits for it but at its very end, and then bounded;
 * NOTIFY-2 that it failed is a note, never a failure of the run;
 * NOTIFY-3 it is reported one thing after the other, in the order in which they happened.
 */
import type { Outcome } from "../core/state.ts";
import { runGroup } from "../host/process.ts";

export interface NotifyOptions {
  /** A command line of the platform's shell. */
  readonly command: string;
  /** Notify only about rate limits at least this long. Milliseconds. */
  readonly wait_ms: number;
  /** Folder to run in. */
  readonly cwd: string;
}

/** `broken`: the run ended without an outcome (a full disk, a repository that is gone). */
export type NoticeKind = "halted" | "needs_confirmation" | "agent_unavailable" | "waiting" | "broken";

export interface Notice {
  readonly event: NoticeKind;
  /** ISO 8601. */
  readonly time: string;
  /** Absolute path of the loop's state file. */
  readonly state_file: string;
  readonly run?: string;
  readonly goal?: string;
  readonly outcome?: Outcome;
  readonly exit_code?: number;
  /** In a person's words. */
  readonly message: string;
  /** When a rate limit ends, ISO 8601. */
  readonly until?: string;
  readonly cost_usd?: number;
  readonly tokens?: number;
}

export interface Notifier {
  tell(notice: Notice): void;
  /** Everything was reported, or given up. */
  settled(): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const KEPT_BYTES = 4 * 1024;
/** What waits to be reported at most; of a hundred rate limits a person wants to hear of a few. */
const MOST_WAITING = 16;

/** @param note called when the command failed */
export function createNotifier(options: NotifyOptions, note: (message: string) => void): Notifier {
  let queue: Notice[] = [];
  let working: Promise<void> | null = null;
  const work = async (): Promise<void> => {
    for (let notice = queue.shift(); notice !== undefined; notice = queue.shift()) {
      const problem = await callCommand(options, notice);
      if (problem !== null) note(`notify for "${notice.event}" failed: ${problem}`);
    }
    working = null;
  };
  return {
    tell(notice) {
      // NOTIFY-1: what nobody has to know any more does not hold up what they have to.
      if (notice.event !== "waiting") queue = queue.filter(({ event }) => event !== "waiting");
      else if (queue.length >= MOST_WAITING) return;
      queue.push(notice);
      working ??= work();
    },
    settled: () => working ?? Promise.resolve(),
  };
}

/** Why it failed; null: it did not. */
async function callCommand({ command, cwd }: NotifyOptions, notice: Notice): Promise<string | null> {
  const ended = await runGroup({
    command,
    shell: true,
    cwd,
    env: { ...process.env, ...variablesOf(notice) },
    input: `${JSON.stringify(notice)}\n`,
    timeout_ms: TIMEOUT_MS,
    keep_bytes: KEPT_BYTES,
  });
  if (ended.start_error !== undefined) return ended.start_error;
  if (ended.timed_out !== false) return `not done within ${TIMEOUT_MS / 1_000} s, ended`;
  if (ended.exit_code === 0) return null;
  const said = ended.output.trim();
  const how = ended.exit_code === null ? `ended by ${ended.signal ?? "a signal"}` : `exit code ${ended.exit_code}`;
  return said === "" ? how : `${how}: ${said.slice(-300)}`;
}

function variablesOf(notice: Notice): Record<string, string> {
  return {
    AOT_EVENT: notice.event,
    AOT_MESSAGE: notice.message,
    AOT_STATE_FILE: notice.state_file,
    AOT_RUN: notice.run ?? "",
    AOT_OUTCOME: notice.outcome ?? "",
    AOT_EXIT_CODE: notice.exit_code === undefined ? "" : String(notice.exit_code),
  };
}
