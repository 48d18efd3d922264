/**
 * What DBOS runs here: its workflows and the queues that they are taken from. Each is short in words, since a loop's rules
 * are not here: a task is performed, and what is due is reported to the loop.
 */
import { patiently } from "./dbos-database.ts";
import { CHANGE, CLOCK, LINES, OVERDUE, PERFORM, POLL_MS, TASKS, WAKE } from "./dbos-names.ts";
import type { DbosSdk } from "./dbos-sdk.ts";
import { performRun, type TaskHost } from "./dbos-task.ts";

export interface Workflows {
  /** Nothing new is taken from now on. */
  stop(): void;
  /** As `stop`. Settles when nothing is running, or when the worker ends at once. */
  drained(): Promise<void>;
  /** Settles when nothing is running. */
  still(): Promise<void>;
}

/** DBOS-TASK-3: half a second, doubled each time; what is never given up, every five seconds. */
const FEW = { retriesAllowed: true, intervalSeconds: 0.5, backoffRate: 2 } as const;
const EVER = { retriesAllowed: true, intervalSeconds: 5, backoffRate: 1, maxAttempts: 1_000_000_000 } as const;
/** DBOS puts a workflow away that was begun again more often. */
const MOST_RECOVERIES = 1_000_000_000;
/** The least that DBOS itself looks for what is due. */
const CLOCK_POLL_MS = 1_000;

export interface Taking {
  /** Tasks that are performed side by side here. */
  readonly slots: number;
  /** How often a task is begun before it is given up (DBOS-TASK-3). */
  readonly tries: number;
}

/** Before DBOS is launched. */
export function registerWorkflows(sdk: DbosSdk, host: TaskHost, { slots, tries }: Taking): Workflows {
  const { DBOS, registerInternalQueue } = sdk;
  const { loops, ending, warn } = host;
  const work = createCounter(ending);
  const workflow = (name: string, run: (loop: string, task: string) => Promise<void>): void =>
    void DBOS.registerWorkflow(run, { name, maxRecoveryAttempts: MOST_RECOVERIES });
  const once = (loop: string, task: string) => (): Promise<void> => {
    const { currentAttempt, maxAttempts } = DBOS.stepStatus ?? {};
    return work.held(() => performRun(host, loop, task, currentAttempt === maxAttempts));
  };
  workflow(PERFORM, async (loop, task) => {
    await DBOS.runStep(once(loop, task), { name: PERFORM, ...FEW, maxAttempts: tries });
  });
  workflow(CHANGE, async (loop, task) => {
    await DBOS.runStep(once(loop, task), { name: CHANGE, ...EVER });
  });
  const reported = (tell: () => Promise<void>): Promise<void> =>
    work.held(async () => {
      await patiently(tell, ending, warn);
      return true;
    });
  workflow(WAKE, (loop) => reported(() => loops.wake(loop)));
  workflow(OVERDUE, (loop, task) => reported(() => loops.giveUpAborted(loop, task)));
  const polled = { minPollingIntervalMs: POLL_MS, workerConcurrency: slots };
  const queues = [
    registerInternalQueue(TASKS, polled),
    registerInternalQueue(LINES, { ...polled, partitionConcurrency: 1 }),
  ];
  registerInternalQueue(CLOCK, { minPollingIntervalMs: CLOCK_POLL_MS });
  const stop = (): void => {
    for (const queue of queues) queue.workerConcurrency = 0;
  };
  return {
    stop,
    drained: async () => {
      stop();
      await Promise.race([work.still(), aborted(ending)]);
    },
    still: work.still,
  };
}

interface Counter {
  /**
   * DBOS-TASK-4: what is not to end here, since it says so or the worker ends, never does: DBOS must not take it for
   * over.
   */
  held(work: () => Promise<boolean>): Promise<void>;
  still(): Promise<void>;
}

function createCounter(ending: AbortSignal): Counter {
  let count = 0;
  const waiting: (() => void)[] = [];
  const attempted = async (work: () => Promise<boolean>): Promise<boolean> => {
    if (ending.aborted) return false;
    count++;
    try {
      return await work();
    } catch (error) {
      if (!ending.aborted) throw error;
      return false;
    } finally {
      count--;
      if (count === 0) for (const resolve of waiting.splice(0)) resolve();
    }
  };
  return {
    held: async (work) => {
      if (!(await attempted(work))) await new Promise(() => {});
    },
    still: () => new Promise((resolve) => (count === 0 ? resolve() : void waiting.push(resolve))),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
