/**
 * The clocks of the machine, for commands that live for milliseconds: the first `Date.prototype.toISOString` of a
 * process costs 0.2 ms, its first `performance.now` 0.7 ms.
 */

const MS_PER_SECOND = 1000;
const NS_PER_MS = 1e6;

/** Now, as `Date.prototype.toISOString` writes it (ISO 8601, UTC, milliseconds). */
export function isoNow(): string {
  return isoTime(new Date());
}

let began: { readonly wall: number; readonly monotonic: number } | null = null;
/** The last time that was asked for: a busy run asks many times in one millisecond. */
let last = { ms: -1, text: "" };

/**
 * The time of a run, as `isoNow`: the wall clock at the first call, and what has passed since. Whoever sets the machine's
 * clock meanwhile neither gives nor takes time; what a suspended machine slept is not counted.
 */
export function steadyNow(): string {
  began ??= { wall: Date.now(), monotonic: monotonicMs() };
  const ms = Math.floor(began.wall + monotonicMs() - began.monotonic);
  if (ms !== last.ms) last = { ms, text: isoTime(new Date(ms)) };
  return last.text;
}

/** As `time.toISOString()`, for the years 0 to 9999. */
export function isoTime(time: Date): string {
  const date = `${digits(time.getUTCFullYear(), 4)}-${digits(time.getUTCMonth() + 1, 2)}-${digits(time.getUTCDate(), 2)}`;
  const clock = `${digits(time.getUTCHours(), 2)}:${digits(time.getUTCMinutes(), 2)}:${digits(time.getUTCSeconds(), 2)}`;
  return `${date}T${clock}.${digits(time.getUTCMilliseconds(), 3)}Z`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}

/** Milliseconds since some moment; never goes back, whatever is done to the wall clock. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * MS_PER_SECOND + nanoseconds / NS_PER_MS;
}

/** Blocks this thread for `ms` milliseconds. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
