/**
 * A task as a DBOS workflow performs it.
 *
 * DBOS-TASK-1 a task is claimed at the loop before anything is done, each time it is begun: who has been replaced is
 *    refused (HOSTED-LOOP-2);
 * DBOS-TASK-2 a run that is aborted or replaced ends with everything that it started;
 * DBOS-TASK-3 what a place threw is tried again a few times, then the loop stops as `agent_unavailable`; only what
 *    changes the integration branch is tried until it is done;
 * DBOS-TASK-4 of a worker that ends, or was given up, no workflow ends: it is begun again, here or elsewhere;
 * DBOS-TASK-5 work that the remote refused, because a later run has begun, is recorded in the loop as a late result.
 */
import type { HostedLoop, Task } from "../../../loop/hosted-loop.ts";
import { abortedReport, performTask, unavailableEntry, type TaskPlace } from "../../../loop/perform-task.ts";
import { logEnds, type LogEnd } from "./dbos-logs.ts";
import { RunReplaced } from "../../../loop/run-failure.ts";
import { patiently } from "./dbos-database.ts";
import type { Begun, BegunRun, Claimant, Loops } from "./dbos-loops.ts";
import type { Runs } from "./dbos-runs.ts";
import { noteBegun, noteEnded, type WorkerFigures } from "../worker-figures.ts";

/** What a place of work is opened for: a task of a loop, begun for the `run`-th time. */
export interface TaskOrder extends Pick<HostedLoop, "loop" | "terms"> {
  readonly name: string;
  readonly task: Task;
  readonly run: number;
  /** Aborts when nobody wants the task here any more. */
  readonly signal: AbortSignal;
}

/** Its name is what the journal calls this worker. */
export interface TaskHost extends Claimant {
  readonly loops: Loops;
  readonly runs: Runs;
  readonly figures: WorkerFigures;
  /** Aborts when the worker ends at once. */
  readonly ending: AbortSignal;
  warn(message: string): void;
  /** This worker was given up. */
  replaced(): void;
  /** What it rejects with is tried again (DBOS-TASK-3). */
  open(order: TaskOrder): Promise<TaskPlace>;
}

/**
 * Begins the task once, and reports what became of it. False: its workflow is not to end here (DBOS-TASK-4). What is
 * another worker's by now is left to it.
 * @param isLast DBOS-TASK-3: what is thrown now is not tried again
 * @throws what the place threw: the task is to be begun again
 */
export async function performRun(host: TaskHost, loop: string, id: string, isLast: boolean): Promise<boolean> {
  const { loops, ending, warn } = host;
  const claim = await patiently(() => loops.claim(loop, id, host), ending, warn);
  if (!claim.ok) {
    if (claim.replaced === true) host.replaced();
    return claim.replaced !== true;
  }
  const watched = host.runs.watch({ loop, task: id, run: claim.run });
  host.figures.working++;
  noteBegun(host.figures, claim.task);
  try {
    const report = await performed(host, claim, watched.signal).catch((error: unknown) => {
      noteEnded(host.figures, null);
      if (ending.aborted || !isLast || error instanceof RunReplaced) throw error;
      return givenUp(claim, error);
    });
    ending.throwIfAborted();
    await patiently(() => loops.settle(loop, report), ending, warn);
    noteEnded(host.figures, report);
    return true;
  } catch (error) {
    if (!(error instanceof RunReplaced)) throw error;
    // DBOS-TASK-5: also of a worker that was given up. Its workflow is another's by now.
    await patiently(() => loops.settle(loop, { task: id, run: claim.run, entries: [] }), ending, warn);
    return false;
  } finally {
    host.figures.working--;
    watched.over();
  }
}

type Claimed = Extract<Begun, { ok: true }>;
type SettleReport = Parameters<Loops["settle"]>[1];

async function performed(host: TaskHost, claim: Claimed, signal: AbortSignal): Promise<SettleReport> {
  const { run, task, hosted } = claim;
  const { name, loop, terms } = hosted;
  if (signal.aborted) return abortedReport(task);
  const place = await host.open({ name, task, loop, terms, run, signal });
  try {
    return { task: task.id, run, ...(await performTask(task, loop, { place, signal })) };
  } finally {
    const { logs: folder } = place.limits;
    const logs = folder === undefined ? [] : await logEnds(folder).catch(() => []);
    await place.close();
    await keepLogs(host, { loop: name, task: task.id, run }, logs);
  }
}

/** A log that cannot be kept fails no attempt. */
async function keepLogs({ loops, ending, warn }: TaskHost, of: BegunRun, logs: readonly LogEnd[]): Promise<void> {
  try {
    await patiently(() => loops.keepLogs(of, logs), ending, warn);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`logs of ${of.task} of ${of.loop} could not be kept: ${why}`);
  }
}

/** @throws the error, where a task is never given up */
function givenUp({ run, task, hosted }: Claimed, error: unknown): SettleReport {
  const why = error instanceof Error ? error.message : String(error);
  const entry = unavailableEntry(task, hosted.loop, `no worker could perform ${task.id}: ${why}`);
  if (entry === null) throw error;
  return { task: task.id, run, entries: [entry] };
}
