/** The machine's clock, as a run sees it: it never jumps, so that no limit is missed or spent by setting it (SPEC section 4). */
import { monotonicMs, steadyNow } from "../host/clock.ts";
import type { Clock } from "../loop/ports.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: steadyNow,
  monotonic: monotonicMs,
  after: (ms, then) => {
    const timer = setTimeout(then, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
