/** Ctrl-C and the like as an abort signal, so that what a command started ends with it. */
import type { Io } from "./io.ts";
import type { Answer } from "./spec.ts";
import { failureJson } from "./unusable.ts";

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

/** Thrown where Ctrl-C cut a command short: what it has by then is no answer, and nothing is made of it. */
export class Interrupted extends Error {}

const CUT_SHORT = "interrupted: nothing was decided or changed";

/** What is answered then. */
export const INTERRUPTED: Answer = {
  exit: 1,
  json: failureJson("interrupted", CUT_SHORT, "run it again, and let it end"),
  text: "",
  trouble: CUT_SHORT,
};

/**
 * Runs `work` with a signal that Ctrl-C aborts, or whatever ends a call here.
 * @throws Interrupted when it was aborted: checks that were cut short have decided nothing
 */
export async function interruptible<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return await untilInterrupted(io, async (signal) => {
    const result = await work(signal);
    if (signal.aborted) throw new Interrupted();
    return result;
  });
}

/** As `interruptible`, where an interrupt is one way to end, and what `work` returns says so. */
export async function untilInterrupted<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
