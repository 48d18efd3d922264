/**
 * A task as Restate calls a worker for it.
 *
 * K1 a task is claimed at the loop before anything is done, each time it is begun: who has been replaced is refused (H2);
 * K2 no more than `slots` agents work here; a task that waits for a slot has claimed nothing;
 * K3 a task that is aborted, or whose call Restate gave up, ends with everything that it started;
 * K4 what a place threw is tried again a few times, then the loop stops as `agent_unavailable`; only what changes the
 *    integration branch is tried until it is done.
 */
import type { Context, internal, RestatePromise } from "@restatedev/restate-sdk";
import type { HostedLoop, Report, Task } from "../../loop/hosted-loop.ts";
import { loopOf } from "../../loop/loop-record.ts";
import { abortedReport, performTask, unavailableEntry, type TaskPlace } from "../../loop/perform-task.ts";
import type { Ingress } from "./ingress.ts";
import { jsonBytes, LINE, LOOP, TASK, type ClaimAnswer, type ClaimCall, type TaskCall } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";
import type { Slots } from "./slots.ts";

/** What a place of work is opened for: a task of a loop, begun for the `run`-th time. */
export interface TaskOrder extends Pick<HostedLoop, "loop" | "terms"> {
  readonly name: string;
  readonly task: Task;
  readonly run: number;
}

export interface TaskWorker {
  /** Names this worker in the journal. */
  readonly name: string;
  readonly ingress: Ingress;
  readonly slots: Slots;
  /** Aborts when the worker ends at once. */
  readonly ending: AbortSignal;
  /** K4 */
  readonly tries: number;
  /** What it rejects with is tried again (K4). */
  open(order: TaskOrder): Promise<TaskPlace>;
  /** Sees how each task ended here. */
  ended?(report: Pick<Report, "entries">): void;
}

/** Restate's own limits (1 min, then 10 min more) would begin a silent agent again while it works. */
const LONGEST_MS = 24 * 3_600_000;
const OPTIONS = {
  inactivityTimeout: LONGEST_MS,
  abortTimeout: LONGEST_MS,
  journalRetention: 0,
  ingressPrivate: true,
} as const;
/** K4 */
const RETRY = { initialRetryInterval: 500, retryIntervalFactor: 2, maxRetryInterval: 30_000 } as const;

export function taskService(sdk: RestateSdk, worker: TaskWorker): ReturnType<RestateSdk["service"]> {
  return sdk.service({
    name: TASK,
    options: { ...OPTIONS, explicitCancellation: true },
    handlers: {
      perform: async (ctx: Context, { loop, task }: TaskCall): Promise<void> => {
        const abort = new AbortController();
        const cancelled = (ctx as internal.ContextInternal).cancellation().map(() => {
          abort.abort();
          return null;
        });
        const work = begin(ctx, worker, { loop, task }, abort, worker.tries);
        const end = (await sdk.RestatePromise.race([work, cancelled])) ?? (await work);
        const report = end.ok
          ? end.report
          : await ctx.run("give up", () => givenUp(worker, { loop, task }, end.reason));
        settle(ctx, loop, report);
      },
    },
  });
}

/** One hand for everything that changes a loop's integration branch, in the order of its orders. */
export function lineObject(sdk: RestateSdk, worker: TaskWorker): ReturnType<RestateSdk["object"]> {
  return sdk.object({
    name: LINE,
    options: OPTIONS,
    handlers: {
      perform: async (ctx: Context, { loop, task }: TaskCall): Promise<void> => {
        const end = await begin(ctx, worker, { loop, task }, new AbortController());
        if (!end.ok) throw new sdk.TerminalError(end.reason);
        settle(ctx, loop, end.report);
      },
    },
  });
}

function settle(ctx: Context, loop: string, report: Report): void {
  ctx.genericSend({ service: LOOP, key: loop, method: "settle", parameter: jsonBytes(report) });
}

type TaskEnd = { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly reason: string };

/** Not ok: it was given up after `tries`. */
function begin(
  ctx: Context,
  worker: TaskWorker,
  call: TaskCall,
  abort: AbortController,
  tries?: number,
): RestatePromise<TaskEnd> {
  // K3: the engine talks to this attempt at the call no more.
  const end = (): void => abort.abort();
  ctx.request().attemptCompletedSignal.addEventListener("abort", end, { once: true });
  worker.ending.addEventListener("abort", end, { once: true });
  return ctx
    .run("work", () => performed(worker, call, abort.signal), {
      ...RETRY,
      ...(tries === undefined ? {} : { maxRetryAttempts: tries }),
    })
    .map((report, failure): TaskEnd => {
      worker.ending.removeEventListener("abort", end);
      return report === undefined
        ? { ok: false, reason: failure?.message ?? "it was not performed" }
        : { ok: true, report };
    });
}

/** K4: the same fence for saying that it cannot be done. */
async function givenUp(worker: TaskWorker, { loop: name, task }: TaskCall, reason: string): Promise<Report> {
  const claim = await claimed(worker, name, task);
  if (!claim.ok) return abortedReport(task);
  const entry = unavailableEntry(task, loopOf(claim.record), `no worker could perform ${task.id}: ${reason}`);
  return { task: task.id, run: claim.run, entries: entry === null ? [] : [entry] };
}

async function performed(worker: TaskWorker, { loop: name, task }: TaskCall, signal: AbortSignal): Promise<Report> {
  const free = await worker.slots.take(signal);
  if (free === null) return abortedReport(task);
  try {
    const claim = await claimed(worker, name, task);
    if (!claim.ok) return abortedReport(task);
    const { run, record, terms } = claim;
    const loop = loopOf(record);
    const place = await worker.open({ name, task, loop, terms, run });
    try {
      const done = await performTask(task, loop, place, signal);
      // Nobody wanted it aborted: another worker begins it again.
      if (worker.ending.aborted) throw new Error(`the worker ${worker.name} ended`);
      worker.ended?.(done);
      return { task: task.id, run, ...done };
    } finally {
      await place.close();
    }
  } finally {
    free();
  }
}

async function claimed({ ingress, name: worker }: TaskWorker, loop: string, { id }: Task): Promise<ClaimAnswer> {
  const call: ClaimCall = { task: id, worker };
  return (await ingress.call(`/${LOOP}/${encodeURIComponent(loop)}/claim`, call)) as ClaimAnswer;
}
