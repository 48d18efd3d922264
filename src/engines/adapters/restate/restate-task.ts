/**
 * A task as Restate calls a worker for it.
 *
 * RESTATE-TASK-1 a task is claimed at the loop before anything is done, each time it is begun: what is over or aborted
 *    is refused. Which run's result counts is Restate's to say, that of the call's latest attempt (HOSTED-LOOP-2);
 * RESTATE-TASK-2 no more than `slots` agents work here; a task that waits for a slot has claimed nothing. What changes
 *    integration branches is no agent, and waits for none;
 * RESTATE-TASK-3 a task that is aborted, or whose call Restate gave up, ends with everything that it started;
 * RESTATE-TASK-4 what a place threw is tried again a few times, then the loop stops as `agent_unavailable`; only what
 *    changes the integration branch is tried until it is done. Workers that die and an engine that is away are no tries;
 * RESTATE-TASK-5 work that the remote refused, because a later run has begun, is recorded in the loop, once the engine
 *    can be reached.
 */
import type { Context, internal, RestatePromise } from "@restatedev/restate-sdk";
import { EngineUnreachable } from "../engine-unreachable.ts";
import type { HostedLoop, Report, Task } from "../../../loop/hosted-loop.ts";
import { loopOf } from "../../../loop/loop-record.ts";
import { abortedReport, performTask, unavailableEntry, type TaskPlace } from "../../../loop/perform-task.ts";
import { RunReplaced } from "../../../loop/run-replaced.ts";
import type { LoopClient } from "./loop-client.ts";
import { jsonBytes, LINE, LOOP, PATIENCE, TASK, type SettleCall, type TaskCall } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";
import type { Slots } from "../slots.ts";

/** What a place of work is opened for: a task of a loop, begun for the `run`-th time. */
export interface TaskOrder extends Pick<HostedLoop, "loop" | "terms"> {
  readonly name: string;
  readonly task: Task;
  readonly run: number;
  /** Aborts when nobody wants the task here any more. */
  readonly signal: AbortSignal;
}

export interface TaskWorker {
  /** Names this worker in the journal. */
  readonly name: string;
  readonly loops: LoopClient;
  readonly slots: Slots;
  /** For what changes integration branches. */
  readonly line_slots: Slots;
  /** Aborts when the worker ends at once. */
  readonly ending: AbortSignal;
  /** RESTATE-TASK-4 */
  readonly tries: number;
  /** What it rejects with is tried again (RESTATE-TASK-4). */
  open(order: TaskOrder): Promise<TaskPlace>;
  ended?(report: Pick<Report, "entries">): void;
}

/** Restate's own limits (1 min, then 10 min more) would begin a silent agent again while it works. */
const LONGEST_MS = 24 * 3_600_000;
const OPTIONS = {
  retryPolicy: PATIENCE,
  inactivityTimeout: LONGEST_MS,
  abortTimeout: LONGEST_MS,
  journalRetention: 0,
  ingressPrivate: true,
} as const;
/** Why a task is aborted: the loop wants it. */
const CANCELLED = "cancelled";
const GIVEN_UP = "this worker ends, or its call was given up";
const RETRY = { initialRetryInterval: 500, retryIntervalFactor: 2, maxRetryInterval: 30_000 } as const;

export function taskService(sdk: RestateSdk, worker: TaskWorker): ReturnType<RestateSdk["service"]> {
  return sdk.service({
    name: TASK,
    options: { ...OPTIONS, explicitCancellation: true },
    handlers: {
      perform: async (ctx: Context, call: TaskCall): Promise<void> => {
        const { loop, task } = call;
        const abort = new AbortController();
        const cancelled = (ctx as internal.ContextInternal).cancellation().map(() => {
          abort.abort(CANCELLED);
          return null;
        });
        const work = begin(ctx, worker, abort, (signal) => tried(worker, call, ctx.request().id, signal));
        const end = (await sdk.RestatePromise.race([work, cancelled])) ?? (await work);
        const thrown = (call.thrown ?? 0) + 1;
        if (!end.ok && thrown < worker.tries) {
          // A call of its own: another worker may have more luck, and this one has its slot back meanwhile.
          const again: TaskCall = { ...call, thrown };
          const delay = RETRY.initialRetryInterval * RETRY.retryIntervalFactor ** (thrown - 1);
          ctx.genericSend({ service: TASK, method: "perform", parameter: jsonBytes(again), delay });
          return;
        }
        const report = end.ok
          ? end.report
          : await ctx.run("give up", () => givenUp(worker, { loop, task }, ctx.request().id, end.reason), RETRY);
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
        const report = await begin(ctx, worker, new AbortController(), async (signal) =>
          stamped(await performed(worker, worker.line_slots, { loop, task }, { call: ctx.request().id, signal })),
        );
        settle(ctx, loop, report);
      },
    },
  });
}

function settle(ctx: Context, loop: string, report: SettleCall): void {
  ctx.genericSend({ service: LOOP, key: loop, method: "settle", parameter: jsonBytes(report) });
}

/** What `work` throws is begun again by Restate, until it is done. */
function begin<T>(
  ctx: Context,
  worker: TaskWorker,
  abort: AbortController,
  work: (signal: AbortSignal) => Promise<T>,
): RestatePromise<T> {
  const { attemptCompletedSignal } = ctx.request();
  // RESTATE-TASK-3: the engine talks to this attempt at the call no more.
  const end = (): void => abort.abort();
  const watched = async (): Promise<T> => {
    for (const over of [attemptCompletedSignal, worker.ending]) {
      over.addEventListener("abort", end, { once: true });
      if (over.aborted) end();
    }
    try {
      return await work(abort.signal);
    } finally {
      worker.ending.removeEventListener("abort", end);
    }
  };
  return ctx.run("work", watched, RETRY);
}

/** Not ok: the place threw. */
type TaskEnd = { readonly ok: true; readonly report: SettleCall } | { readonly ok: false; readonly reason: string };

/**
 * RESTATE-TASK-4: Restate counts dead workers and outages among its own tries, so that what a place threw is an answer
 * here.
 */
async function tried(worker: TaskWorker, call: TaskCall, invocation: string, signal: AbortSignal): Promise<TaskEnd> {
  try {
    return { ok: true, report: stamped(await performed(worker, worker.slots, call, { call: invocation, signal })) };
  } catch (error) {
    if (isGivenUp(signal) || error instanceof EngineUnreachable) throw error;
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function stamped(report: Report): SettleCall {
  return { ...report, at: new Date().toISOString() };
}

/** RESTATE-TASK-4: the same fence for saying that it cannot be done. */
async function givenUp(
  worker: TaskWorker,
  { loop: name, task }: TaskCall,
  call: string,
  reason: string,
): Promise<SettleCall> {
  const claim = await worker.loops.claim(name, task.id, call);
  if (!claim.ok) return stamped(abortedReport(task));
  const entry = unavailableEntry(task, loopOf(claim.record), `no worker could perform ${task.id}: ${reason}`);
  return stamped({ task: task.id, run: claim.run, entries: entry === null ? [] : [entry] });
}

async function performed(
  worker: TaskWorker,
  slots: Slots,
  { loop: name, task }: TaskCall,
  { call, signal }: { readonly call: string; readonly signal: AbortSignal },
): Promise<Report> {
  const free = await slots.take(signal);
  if (free === null) return unbegun(task, signal);
  try {
    const claim = await worker.loops.claim(name, task.id, call, signal);
    if (!claim.ok) return abortedReport(task);
    if (signal.aborted) return unbegun(task, signal);
    const { run, record, terms } = claim;
    const loop = loopOf(record);
    const place = await worker.open({ name, task, loop, terms, run, signal });
    try {
      const done = await performTask(task, loop, { place, signal });
      if (isGivenUp(signal)) throw new Error(GIVEN_UP);
      worker.ended?.(done);
      return { task: task.id, run, ...done };
    } catch (error) {
      if (error instanceof RunReplaced) void worker.loops.tellLate(name, { task: task.id, run, reason: error.message });
      throw error;
    } finally {
      await place.close();
    }
  } finally {
    free();
  }
}

/** RESTATE-TASK-3: aborted before anything was done. */
function unbegun(task: Task, signal: AbortSignal): Report {
  if (isGivenUp(signal)) throw new Error(GIVEN_UP);
  return abortedReport(task);
}

/** Aborted, but nobody wanted the task aborted: it is begun again elsewhere. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason !== CANCELLED;
}
