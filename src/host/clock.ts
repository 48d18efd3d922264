/** The clocks of the machine. */

/** Now: ISO 8601, UTC, milliseconds. */
export function isoNow(): string {
  return new Date().toISOString();
}

let began: { readonly wall: number; readonly monotonic: number } | null = null;

/**
 * The time of a run, as `isoNow`: the wall clock at the first call, and what has passed since. Whoever sets the machine's
 * clock meanwhile neither gives nor takes time; what a suspended machine slept is not counted.
 */
export function steadyNow(): string {
  began ??= { wall: Date.now(), monotonic: monotonicMs() };
  return new Date(Math.floor(began.wall + monotonicMs() - began.monotonic)).toISOString();
}

/** Milliseconds since some moment; never goes back, whatever is done to the wall clock. */
export function monotonicMs(): number {
  return performance.now();
}

/** Blocks this thread for `ms` milliseconds. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
