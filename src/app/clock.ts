/** The machine's clock. */
import { isoNow, monotonicMs } from "../host/clock.ts";
import type { Clock } from "../loop/ports.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: isoNow,
  monotonic: monotonicMs,
  after: (ms, then) => {
    const timer = setTimeout(then, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
