/**
 * Watching while another process works a loop: its journal's lines from the run's beginning on, until it is over
 * (SPEC section 8). Changes nothing; any number of processes may watch.
 */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { BY_HAND, type AnyLine, type LineOf } from "../core/journal-line.ts";
import { EXIT_CODES, type Outcome } from "../core/state.ts";
import { isAlive } from "../host/process.ts";
import { readDetached, type DetachedEnd } from "./detach.ts";
import { follow, fromNewest, journalFiles, looks } from "../history/follow.ts";
import { journalOf } from "../history/loop-log.ts";

/** How the newest run of a loop stands. */
export type AttachEnd =
  | {
      readonly kind: "ended";
      readonly run: string;
      readonly exit_code: number;
      readonly outcome: Outcome;
      readonly message: string;
      /** What a detached run left behind. */
      readonly detached?: DetachedEnd;
    }
  /** It ended without an outcome: refused, or broken. */
  | { readonly kind: "failed"; readonly exit_code: number; readonly detached: DetachedEnd }
  /** Killed, or its machine went down. */
  | { readonly kind: "died"; readonly run: string }
  /** Whoever watched had enough; the run goes on. */
  | { readonly kind: "left"; readonly run: string }
  | { readonly kind: "none" };

/** How long a detached run may take to write its record behind its last line. Milliseconds. */
const RECORD_MS = 5_000;

/** @param each sees the lines of the newest run in their order, those from before as well */
export async function attachLoop(
  stateFile: string,
  each: (line: AnyLine) => void,
  signal: AbortSignal,
): Promise<AttachEnd> {
  let seen = NOTHING;
  const isAlone = (): boolean => runnerOf(stateFile) === null;
  for await (const { lines } of fromNewest(follow(journalFiles(journalOf(stateFile)), signal, isAlone), isStart)) {
    for (const line of lines) {
      seen = seenAfter(seen, line);
      each(line);
    }
    if (seen.over) break;
  }
  if (signal.aborted && !seen.over && !isAlone()) return { kind: "left", run: seen.run };
  return await attachEndOf(stateFile, seen, signal);
}

function isStart(line: AnyLine): line is LineOf<"run_started"> {
  return line.event === "run_started" && line.run !== BY_HAND;
}

/** What the newest run said of itself. */
interface Seen {
  readonly run: string;
  /** ISO 8601; empty: there is no run. */
  readonly started_at: string;
  readonly halt: { readonly outcome: Outcome; readonly message: string } | null;
  readonly over: boolean;
}

const NOTHING: Seen = { run: "", started_at: "", halt: null, over: false };

function seenAfter(before: Seen, line: AnyLine): Seen {
  const seen = isStart(line) ? { ...NOTHING, run: line.run, started_at: line.time } : before;
  if (line.run !== seen.run) return seen;
  if (line.event === "halted") return { ...seen, halt: { outcome: line.outcome, message: line.message } };
  return line.event === "run_ended" ? { ...seen, over: true } : seen;
}

/** How the newest run stands, once nobody works the loop, from its lines and from what a detached one left. */
async function attachEndOf(
  stateFile: string,
  { run, started_at, halt }: Seen,
  signal: AbortSignal,
): Promise<AttachEnd> {
  const detached = await recordOf(stateFile, signal);
  // A run that was refused, or broke, wrote nothing of its end into the journal.
  const isNewest = detached !== undefined && detached.ended_at >= started_at;
  if (isNewest && !("outcome" in detached.document)) return { kind: "failed", exit_code: detached.exit_code, detached };
  if (run === "") return { kind: "none" };
  if (halt === null) return { kind: "died", run };
  return {
    kind: "ended",
    run,
    exit_code: EXIT_CODES[halt.outcome],
    ...halt,
    ...(detached === undefined || !isOf(detached, run) ? {} : { detached }),
  };
}

function isOf(detached: DetachedEnd, run: string): boolean {
  return "run" in detached.document && detached.document.run === run;
}

/** What the newest detached run left, once it is gone; the journal's last line comes a little before. */
async function recordOf(stateFile: string, signal: AbortSignal): Promise<DetachedEnd | undefined> {
  const limit = performance.now() + RECORD_MS;
  for await (const _ of looks(signal)) {
    const record = readDetached(stateFile);
    if (record === null || record.end !== undefined || !isAlive(record.pid) || performance.now() > limit) break;
  }
  // It may have written its record, and gone, since that was read.
  return readDetached(stateFile)?.end;
}
