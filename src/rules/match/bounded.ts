/**
 * Work that is ended when it takes too long. Node's regular expressions can take for ever and cannot be asked to stop;
 * the engine of `node:vm` interrupts them (measured: a 30 ms limit ends `(a+)+$` after 33 ms, and costs 0.1 to 0.4 ms).
 *
 * BOUNDED-1 the limit is of the processor's time: on a busy machine the clock runs on while nothing is worked, so that it
 *    is asked again with a longer clock as long as the work has not had its time.
 */
import { cpuUsage } from "node:process";
import { Script } from "node:vm";

const SLOT = "aot-loop.bounded-work";
const script = new Script(`globalThis[${JSON.stringify(SLOT)}]()`);
/** So many times the limit, at most, the clock may show at a time. */
const LONGEST_CLOCK = 64;
/** Of the limit; the clock of `node:vm` is no exact one. */
const SPENT_SHARE = 0.8;

/**
 * Runs `work`, at most that long.
 * @param work must stay usable when it is ended anywhere inside; it may be begun again
 * @param milliseconds of the processor's time
 * @returns what it gave; null: its time was up
 */
export function bounded<T>(work: () => T, milliseconds: number): { readonly value: T } | null {
  for (let clock = milliseconds; clock <= milliseconds * LONGEST_CLOCK; clock *= 2) {
    const before = cpuUsage();
    const done = timed(work, clock);
    const { user, system } = cpuUsage(before);
    if (done !== null) return done;
    if ((user + system) / 1000 >= milliseconds * SPENT_SHARE) return null;
  }
  return null;
}

function timed<T>(work: () => T, milliseconds: number): { readonly value: T } | null {
  let done: { readonly value: T } | null = null;
  Reflect.set(globalThis, SLOT, () => {
    done = { value: work() };
  });
  try {
    script.runInThisContext({ timeout: milliseconds });
    return done;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    throw error;
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
  }
}
