/**
 * A loop as a Restate object: each handler is short, so that no invocation lives longer than a step and a loop that waits
 * for a person holds none. What stands is read, one pure function says what follows, and that is written and ordered.
 *
 * R1 one writer: the handlers of a loop run one after another, but for those that only read;
 * R2 the time is Restate's, journaled, and never runs backwards for a loop;
 * R3 the state is written before anything that it orders is begun: both leave with the end of the handler's step.
 */
import type { ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";
import type { JournalLine } from "../../core/journal.ts";
import { noLoop } from "../../loop/embedded-engine.ts";
import type { Answer, LoopSpec, LoopView, Signal } from "../../loop/engine.ts";
import {
  claimTask,
  hostLoop,
  settleTask,
  viewOfHosted,
  wakeLoop,
  whyNotHosted,
  type Claim,
  type HostedLoop,
  type Move,
  type Order,
  type Report,
} from "../../loop/hosted-loop.ts";
import { loopOf, recordOf, type LoopRecord } from "../../loop/loop-record.ts";
import { signalLoop } from "../../loop/signal-loop.ts";
import { jsonBytes, LINE, LOOP, TASK, type ClaimAnswer, type ClaimCall, type TaskCall } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";

type Kept = Omit<HostedLoop, "loop"> & { readonly loop: LoopRecord };

const HOSTED = "hosted";
/** Invocations of tasks that may be aborted, by task. */
const CALLS = "calls";

/** The type of the handlers' definition is the library's own. */
export function loopObject(sdk: RestateSdk): ReturnType<RestateSdk["object"]> {
  const { shared } = sdk.handlers.object;
  return sdk.object({
    name: LOOP,
    // A journal is kept in pieces, of which a step needs none.
    options: { enableLazyState: true, journalRetention: 0 },
    handlers: {
      start: async (ctx: ObjectContext, spec: LoopSpec): Promise<Answer> => {
        if ((await ctx.get<Kept>(HOSTED)) !== null)
          return { ok: true, message: `${ctx.key} is there already`, repeated: true };
        return whyNotHosted(spec) ?? (await follow(sdk, ctx, hostLoop(ctx.key, spec, await ctx.date.toJSON())));
      },
      signal: async (ctx: ObjectContext, signal: Signal): Promise<Answer> =>
        await moved(sdk, ctx, noLoop(ctx.key), (hosted, at) => signalLoop(hosted, signal, at)),
      claim: async (ctx: ObjectContext, { task, worker }: ClaimCall): Promise<ClaimAnswer> => {
        const gone: Claim = { ok: false, reason: `there is no loop named ${ctx.key}` };
        return await moved(sdk, ctx, gone, (hosted, at): Move<ClaimAnswer> => {
          const { answer, ...move } = claimTask(hosted, task, worker, at);
          if (!answer.ok) return { ...move, answer };
          return { ...move, answer: { ...answer, record: recordOf(move.hosted.loop), terms: hosted.terms } };
        });
      },
      settle: async (ctx: ObjectContext, report: Report): Promise<Answer> =>
        await moved(sdk, ctx, noLoop(ctx.key), (hosted, at) => settleTask(hosted, report, at)),
      wake: async (ctx: ObjectContext): Promise<null> => await moved(sdk, ctx, null, wakeLoop),
      view: shared(async (ctx: ObjectSharedContext): Promise<LoopView | null> => {
        const hosted = read(await ctx.get<Kept>(HOSTED));
        return hosted === null ? null : viewOfHosted(hosted, "restate");
      }),
      journal: shared(
        async (ctx: ObjectSharedContext, from: number): Promise<readonly JournalLine[]> =>
          (await ctx.get<readonly JournalLine[]>(linesFrom(from))) ?? [],
      ),
    },
  });
}

function linesFrom(number: number): string {
  return `lines-${number}`;
}

function read(kept: Kept | null): HostedLoop | null {
  return kept === null ? null : { ...kept, loop: loopOf(kept.loop) };
}

/** R2 */
async function moved<R>(
  sdk: RestateSdk,
  ctx: ObjectContext,
  absent: R,
  move: (hosted: HostedLoop, at: string) => Move<R>,
): Promise<R> {
  const hosted = read(await ctx.get<Kept>(HOSTED));
  if (hosted === null) return absent;
  const [at, before] = [await ctx.date.toJSON(), hosted.loop.run.now];
  return await follow(sdk, ctx, move(hosted, at > before ? at : before));
}

/** R3 */
async function follow<R>(sdk: RestateSdk, ctx: ObjectContext, { hosted, orders, lines, answer }: Move<R>): Promise<R> {
  if (lines.length > 0) ctx.set(linesFrom(hosted.lines - lines.length), lines);
  ctx.set<Kept>(HOSTED, { ...hosted, loop: recordOf(hosted.loop) });
  if (orders.length > 0) await obey(sdk, ctx, hosted, orders);
  return answer;
}

async function obey(sdk: RestateSdk, ctx: ObjectContext, hosted: HostedLoop, orders: readonly Order[]): Promise<void> {
  const open = new Set(hosted.tasks.map(({ id }) => id));
  const known = Object.entries((await ctx.get<Record<string, string>>(CALLS)) ?? {});
  const calls = new Map(known.filter(([task]) => open.has(task)));
  for (const order of orders) {
    if (order.type === "wake_in") {
      ctx.genericSend({ service: LOOP, key: ctx.key, method: "wake", parameter: jsonBytes(null), delay: order.ms });
      continue;
    }
    if (order.type === "abort") {
      const call = calls.get(order.task);
      if (call !== undefined) ctx.invocation(sdk.InvocationIdParser.fromString(call)).cancel();
      continue;
    }
    const { task, serial } = order;
    const call = { method: "perform", parameter: jsonBytes({ loop: ctx.key, task } satisfies TaskCall) };
    const sent = serial
      ? ctx.genericSend({ ...call, service: LINE, key: ctx.key })
      : ctx.genericSend({ ...call, service: TASK });
    if (!serial) calls.set(task.id, await sent.invocationId);
  }
  ctx.set(CALLS, Object.fromEntries(calls));
}
