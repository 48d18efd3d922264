/** Ctrl-C and the like as an abort signal, so that what a command started ends with it. */
import type { Io } from "./io.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const name of SIGNALS) process.once(name, abort);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) process.removeListener(name, abort);
    },
  };
}

/** Runs `work` with a signal that Ctrl-C aborts, or whatever ends a call here. */
export async function interruptible<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (io.gone !== undefined) return await work(io.gone);
  const interrupt = onInterrupt();
  try {
    return await work(interrupt.signal);
  } finally {
    interrupt.release();
  }
}

/** Calls `then` once it is aborted, at once if it is. @returns takes that back */
export function onceAborted(signal: AbortSignal, then: () => void): () => void {
  if (signal.aborted) then();
  signal.addEventListener("abort", then, { once: true });
  return () => signal.removeEventListener("abort", then);
}
