/**
 * Running a program as a process group that ends as a whole (SPEC sections 6 and 7).
 *
 * PROCESS-1 the promise never rejects for what the program does, and always settles soon after the leader ended,
 *    whoever still holds its pipes;
 * PROCESS-2 when it settles, nothing of the group is left: not after a time-out, an abort, nor a normal exit
 *    (for what can escape, see process-group.ts);
 * PROCESS-3 memory is bounded by `keep_bytes`, whatever the program prints;
 * PROCESS-4 the first cause wins: a time-out during an abort is still an abort;
 * PROCESS-5 a Ctrl-C in a terminal does not reach it. Between its fork and its own session a child still belongs to our
 *    group: one that such a signal ended then has done nothing, and is started again (where the system tells: Linux).
 */
import type { ChildProcess } from "node:child_process";
import { capture } from "./process-capture.ts";
import { groupOf, isStillborn, nextMark, signalGroup, sweepGroup, type ProcessGroup } from "./process-group.ts";
import { announce, dismiss, enrol, retract } from "./process-registry.ts";
import type { Captured, GroupOptions, GroupResult } from "./process-options.ts";
import { startLeader } from "./process-start.ts";

export { isAlive } from "./process-group.ts";
export type { GroupOptions, GroupResult } from "./process-options.ts";
export { setGuardian } from "./process-registry.ts";

const DEFAULT_GRACE_MS = 2_000;
/** How long the pipes may stay open after the leader's exit (SPEC section 6: a daemon must not make the wait hang). */
const PIPE_WAIT_MS = 250;
/** How long a leader may take to die of SIGKILL before it is given up. */
const DEATH_WAIT_MS = 3_000;
/** setTimeout fires at once beyond this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a program as the leader of a process group of its own and waits until all of it is gone.
 * A signal that has aborted already starts nothing.
 */
export function runGroup(options: GroupOptions): Promise<GroupResult> {
  return started(options, MOST_RESTARTS);
}

const MOST_RESTARTS = 10;
/** Signals of a terminal, which nobody here sends. */
const TERMINAL_SIGNALS: ReadonlySet<string> = new Set(["SIGINT", "SIGHUP", "SIGQUIT"]);

async function started(options: GroupOptions, restarts: number): Promise<GroupResult> {
  if (options.signal?.aborted === true) return { ...NOTHING_RAN, aborted: true };
  const began = performance.now();
  const mark = nextMark();
  announce();
  const leading = startLeader(options, mark);
  if (!leading.ok) {
    retract();
    return { ...NOTHING_RAN, start_error: await leading.failure, duration_ms: since(began) };
  }
  const { child } = leading;
  const group = groupOf(leading.pid, mark);
  const stillborn = isStillborn(group);
  enrol(group);
  const leader = supervise(child, group, options);
  const reading = capture(child, options, leader.active);
  // What is handed over is for a program: a child that never became one must not get it.
  if (!stillborn) feed(child, options);

  const ending = await leader.ended;
  reading.hurry();
  await pipesClosed(child);
  await sweepGroup(group, ending.grace_left_ms);
  child.stdin?.destroy();
  const captured = await reading.finish();
  dismiss(group);
  const interrupted = ending.cause === null && TERMINAL_SIGNALS.has(ending.signal ?? "");
  if (stillborn && interrupted && captured.output === "" && restarts > 0) return started(options, restarts - 1);
  return report(ending, captured, since(began));
}

/** The result of a program that did not run. */
export const NOTHING_RAN: GroupResult = {
  exit_code: null,
  signal: null,
  timed_out: false,
  aborted: false,
  duration_ms: 0,
  stdout: "",
  stderr: "",
  output: "",
  dropped_bytes: 0,
};

type Cause = "absolute" | "idle" | "aborted";
interface Ending {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly cause: Cause | null;
  /** What is left of the time to go by itself, for the rest of the group. */
  readonly grace_left_ms: number;
}

/** Waits for the leader's end, and brings it about on time-out, silence or abort. `active` says that it is not silent. */
function supervise(
  child: ChildProcess,
  group: ProcessGroup,
  options: GroupOptions,
): { readonly ended: Promise<Ending>; readonly active: () => void } {
  const grace = options.grace_ms ?? DEFAULT_GRACE_MS;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void): NodeJS.Timeout => {
    const timer = setTimeout(then, Math.min(ms, LONGEST_TIMER_MS));
    timers.push(timer);
    return timer;
  };
  let cause: Cause | null = null;
  let killAt = 0;
  let idle: NodeJS.Timeout | undefined;

  const ended = new Promise<Ending>((resolve) => {
    const end = (exit_code: number | null, signal: string | null): void => {
      unsubscribe?.();
      timers.forEach(clearTimeout);
      const grace_left_ms = cause === null ? grace : Math.max(0, killAt - performance.now());
      resolve({ exit_code, signal, cause, grace_left_ms });
    };
    const terminate = (why: Cause): void => {
      if (cause !== null) return;
      cause = why;
      killAt = performance.now() + grace;
      signalGroup(group, "SIGTERM");
      after(grace, () => {
        signalGroup(group, "SIGKILL");
        after(DEATH_WAIT_MS, () => end(null, null));
      });
    };
    const unsubscribe = options.signal && onAbort(options.signal, () => terminate("aborted"));
    if (options.timeout_ms !== undefined) after(options.timeout_ms, () => terminate("absolute"));
    if (options.idle_timeout_ms !== undefined) idle = after(options.idle_timeout_ms, () => terminate("idle"));
    child.once("exit", end);
  });
  return { ended, active: () => void (cause === null && idle?.refresh()) };
}

/** Writes stdin and closes it, or hands it over. A program that does not read it, or ended, is no error (EPIPE). */
function feed({ stdin }: ChildProcess, { input, converse }: GroupOptions): void {
  stdin?.on("error", () => {});
  if (input !== undefined) stdin?.end(input);
  else if (stdin !== null) converse?.(stdin);
}

/** Waits until both pipes have ended, at most PIPE_WAIT_MS; then nothing that the leader itself wrote is still unread. */
async function pipesClosed(child: ChildProcess): Promise<void> {
  const open = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
  if (open.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PIPE_WAIT_MS)));
  await Promise.race([
    Promise.all(open.map((stream) => new Promise((resolve) => stream?.once("close", resolve)))),
    patience,
  ]);
  clearTimeout(timer);
  // A busy process may find the timer due before it has looked at its pipes: let it look once more.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function report(ending: Ending, captured: Captured, duration_ms: number): GroupResult {
  const { exit_code, signal, cause } = ending;
  return {
    exit_code,
    signal,
    timed_out: cause === "absolute" || cause === "idle" ? cause : false,
    aborted: cause === "aborted",
    duration_ms,
    ...captured,
  };
}

function since(began: number): number {
  return Math.round(performance.now() - began);
}

/**
 * One listener per AbortSignal, however many runs share it: many listeners on one signal make Node warn
 * of a leak (MaxListenersExceededWarning), and a finished run must leave none behind.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `then` once when the signal aborts; not if it has aborted already.
 * @returns takes the subscription back; harmless when called twice
 */
function onAbort(signal: AbortSignal, then: () => void): () => void {
  const known = waiting.get(signal);
  const subscribers = known ?? new Set<() => void>();
  if (known === undefined) {
    waiting.set(signal, subscribers);
    signal.addEventListener("abort", () => [...subscribers].forEach((call) => call()), {
      once: true,
    });
  }
  // A closure of its own, so that the same function subscribed twice is two subscriptions.
  const call = (): void => {
    subscribers.delete(call);
    then();
  };
  subscribers.add(call);
  return () => {
    subscribers.delete(call);
  };
}
