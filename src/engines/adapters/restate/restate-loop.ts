/**
 * A loop as a Restate object: each handler is short, so that no invocation lives longer than a step and a loop that waits
 * for a person holds none. What stands is read, one pure function says what follows, and that is written and ordered.
 *
 * RESTATE-LOOP-1 one writer: the handlers of a loop run one after another, but for those that only read;
 * RESTATE-LOOP-2 the time is that of the worker that tells, part of what it tells, and never runs backwards for a loop;
 * RESTATE-LOOP-3 the state is written before anything that it orders is begun: both leave with the end of the handler's
 *    step;
 * RESTATE-LOOP-4 a step asks the engine once, for what stands: each further question is a way to the server and back.
 */
import type { ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";
import type { JournalLine } from "../../../core/journal.ts";
import type { Answer, LoopSpec, LoopView, Signal } from "../../../loop/engine.ts";
import {
  claimTask,
  hostLoop,
  refuseResult,
  settleTask,
  viewOfHosted,
  wakeLoop,
  whyNotHosted,
  type Claim,
  type HostedLoop,
  type Move,
  type Order,
} from "../../../loop/hosted-loop.ts";
import { hostedIn, keptText, recordOf } from "../../../loop/loop-record.ts";
import { noLoop, signalLoop } from "../../../loop/signal-loop.ts";
import {
  jsonBytes,
  LINE,
  LOOP,
  PATIENCE,
  TASK,
  type ClaimAnswer,
  type ClaimCall,
  type LateCall,
  type SettleCall,
  type TaskCall,
} from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";

const HOSTED = "hosted";

/** The type of the handlers' definition is the library's own. */
export function loopObject(sdk: RestateSdk): ReturnType<RestateSdk["object"]> {
  const { shared } = sdk.handlers.object;
  return sdk.object({
    name: LOOP,
    // A journal is kept in pieces, of which a step needs none.
    options: { enableLazyState: true, journalRetention: 0, retryPolicy: PATIENCE },
    handlers: {
      start: async (ctx: ObjectContext, spec: LoopSpec): Promise<Answer> => {
        if ((await ctx.get(HOSTED, sdk.serde.binary)) !== null)
          return { ok: true, message: `${ctx.key} is there already`, repeated: true };
        return whyNotHosted(spec) ?? follow(sdk, ctx, hostLoop(ctx.key, spec, await ctx.date.toJSON()));
      },
      signal: async (ctx: ObjectContext, signal: Signal): Promise<Answer> =>
        await moved(sdk, ctx, { absent: noLoop(ctx.key), told: null }, (hosted, at) => signalLoop(hosted, signal, at)),
      claim: async (ctx: ObjectContext, { task, worker, call, at: told }: ClaimCall): Promise<ClaimAnswer> => {
        const gone: Claim = { ok: false, reason: `there is no loop named ${ctx.key}` };
        return await moved(sdk, ctx, { absent: gone, told }, (hosted, at): Move<ClaimAnswer> => {
          const { answer, ...move } = claimTask(hosted, task, { worker, at, call });
          if (!answer.ok) return { ...move, answer };
          return { ...move, answer: { ...answer, record: recordOf(move.hosted.loop), terms: hosted.terms } };
        });
      },
      settle: sdk.handlers.object.exclusive(
        // Only what Restate hands over counts (HOSTED-LOOP-2).
        { ingressPrivate: true },
        async (ctx: ObjectContext, { at: told, ...report }: SettleCall): Promise<Answer> =>
          await moved(sdk, ctx, { absent: noLoop(ctx.key), told }, (hosted, at) => settleTask(hosted, report, at)),
      ),
      late: async (ctx: ObjectContext, late: LateCall): Promise<Answer> =>
        await moved(sdk, ctx, { absent: noLoop(ctx.key), told: null }, (hosted, at) =>
          refuseResult(hosted, late, late.reason, at),
        ),
      wake: async (ctx: ObjectContext): Promise<null> => await moved(sdk, ctx, { absent: null, told: null }, wakeLoop),
      view: shared(async (ctx: ObjectSharedContext): Promise<LoopView | null> => {
        const hosted = await read(sdk, ctx);
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

async function read(sdk: RestateSdk, ctx: ObjectSharedContext): Promise<HostedLoop | null> {
  const bytes = await ctx.get(HOSTED, sdk.serde.binary);
  return bytes === null ? null : hostedIn(Buffer.from(bytes).toString());
}

/** RESTATE-LOOP-2. @param reported the time that came with what is reported; null: this worker's */
async function moved<R>(
  sdk: RestateSdk,
  ctx: ObjectContext,
  { absent, told }: { readonly absent: R; readonly told: string | null },
  move: (hosted: HostedLoop, at: string) => Move<R>,
): Promise<R> {
  const hosted = await read(sdk, ctx);
  if (hosted === null) return absent;
  const [at, before] = [told ?? (await ctx.date.toJSON()), hosted.loop.run.now];
  return follow(sdk, ctx, move(hosted, at > before ? at : before));
}

/** RESTATE-LOOP-3 */
function follow<R>(sdk: RestateSdk, ctx: ObjectContext, { hosted, orders, lines, answer }: Move<R>): R {
  if (lines.length > 0) ctx.set(linesFrom(hosted.lines - lines.length), lines);
  ctx.set(HOSTED, Buffer.from(keptText(hosted)), sdk.serde.binary);
  for (const order of orders) obey(sdk, ctx, order);
  return answer;
}

function obey(sdk: RestateSdk, ctx: ObjectContext, order: Order): void {
  if (order.type === "wake_in") {
    ctx.genericSend({ service: LOOP, key: ctx.key, method: "wake", parameter: jsonBytes(null), delay: order.ms });
    return;
  }
  if (order.type === "abort") {
    if (order.call !== undefined) ctx.invocation(sdk.InvocationIdParser.fromString(order.call)).cancel();
    return;
  }
  const { task, serial } = order;
  const call: TaskCall = { loop: ctx.key, task };
  const perform = { method: "perform", parameter: jsonBytes(call) };
  if (serial) ctx.genericSend({ ...perform, service: LINE, key: ctx.key });
  else ctx.genericSend({ ...perform, service: TASK });
}
