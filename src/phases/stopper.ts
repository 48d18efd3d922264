/** How a run of a phase loop is ended from outside, whatever it is at: a phase's loop, a gate, or waiting (SPEC section 8). */
import type { RunControl } from "../run/options.ts";

export interface Stopper extends RunControl {
  /** The loop of a phase begins: what was asked before counts. Null: it is over. */
  attach(control: RunControl | null): void;
  /** Why it is to stop; null: nobody said so. */
  reason(): string | null;
  /** Aborted once it is to stop: what can be done again is given up at once. */
  readonly signal: AbortSignal;
}

export function createStopper(): Stopper {
  const controller = new AbortController();
  let inner: RunControl | null = null;
  let why: string | null = null;
  let killed = false;
  const act = (): void => {
    if (why === null) return;
    if (killed) inner?.kill();
    else inner?.stop(why);
  };
  return {
    attach(control) {
      inner = control;
      act();
    },
    stop(reason) {
      why ??= reason;
      act();
      controller.abort();
    },
    kill() {
      why ??= "killed";
      killed = true;
      act();
      controller.abort();
    },
    note: (message) => inner?.note(message),
    reason: () => why,
    signal: controller.signal,
  };
}
