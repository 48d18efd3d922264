/**
 * What a worker has begun, and who has it ended: a run that was aborted or replaced elsewhere is reported here within a
 * moment. Asked is only while something is running.
 */
import { setMaxListeners } from "node:events";
import type { BegunRun, Loops } from "./dbos-loops.ts";

export interface WatchedRun {
  /** Aborts when nobody wants the run any more, and when the worker ends. */
  readonly signal: AbortSignal;
  over(): void;
}

export interface Runs {
  watch(run: BegunRun): WatchedRun;
}

const LOOK_EVERY_MS = 250;

/** @param ending aborts when the worker ends at once */
export function createRuns(loops: Loops, worker: string, ending: AbortSignal): Runs {
  setMaxListeners(0, ending);
  const atWork = new Map<string, AbortController>();
  let timer: NodeJS.Timeout | null = null;

  const look = async (): Promise<void> => {
    // While the database is away nobody can abort anything.
    const found = await loops.runsToEnd(worker).catch(() => []);
    for (const run of found) atWork.get(keyOf(run))?.abort();
    timer = null;
    lookLater();
  };
  const lookLater = (): void => {
    if (timer === null && atWork.size > 0) timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };

  return {
    watch: (run) => {
      const abort = new AbortController();
      const end = (): void => abort.abort();
      if (ending.aborted) end();
      ending.addEventListener("abort", end, { once: true });
      atWork.set(keyOf(run), abort);
      lookLater();
      return {
        signal: abort.signal,
        over: () => {
          ending.removeEventListener("abort", end);
          atWork.delete(keyOf(run));
        },
      };
    },
  };
}

function keyOf({ loop, task, run }: BegunRun): string {
  return JSON.stringify([loop, task, run]);
}
