/**
 * Work that is ended when it takes too long. Node's regular expressions can take for ever and cannot be asked to stop;
 * the engine of `node:vm` interrupts them (measured: a 30 ms limit ends `(a+)+$` after 33 ms, and costs 0.1 to 0.4 ms).
 */
import { Script } from "node:vm";

const SLOT = "aot-loop.bounded-work";
const script = new Script(`globalThis[${JSON.stringify(SLOT)}]()`);

/**
 * Runs `work`, at most that long.
 * @param work must stay usable when it is ended anywhere inside
 * @returns what it gave; null: its time was up
 */
export function bounded<T>(work: () => T, milliseconds: number): { readonly value: T } | null {
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
