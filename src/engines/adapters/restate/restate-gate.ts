/**
 * What a task waits for before a worker is called for it: that there is one with its labels, and its tenant's grant. Who
 * waits holds no worker: Restate puts the call to sleep.
 *
 * RESTATE-GATE-1 a task asks its tenant once there is a worker for it: what nobody can work keeps no grant from others;
 * RESTATE-GATE-2 a grant is given back by whoever performed the task, with the end of it.
 */
import type { Context, ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";
import {
  askTenant,
  giveBack,
  limitTenant,
  NO_TENANT,
  wakeTenant,
  type Tenant,
  type TenantAsk,
  type TenantLimits,
  type TenantMove,
  type TenantTask,
} from "../../../loop/tenant.ts";
import { jsonBytes, PATIENCE, TASK, type TaskCall } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";

/** What is before the tasks of a loop that asks for labels or has a tenant. */
export const GATE = "AotGate";
export const TENANT = "AotTenant";

export interface GateCall {
  readonly call: TaskCall;
  /** In their order. */
  readonly labels: readonly string[];
}

/** Of the workers that have all of these labels; `labels` in their order. */
export function taskServiceFor(labels: readonly string[]): string {
  return [TASK, ...labels].join(".");
}

const PRIVATE = { ingressPrivate: true } as const;
/** Then a call that waits is put to sleep. */
const AWAKE_MS = 1_000;

export function gateService(sdk: RestateSdk): ReturnType<RestateSdk["service"]> {
  return sdk.service({
    name: GATE,
    options: { ...PRIVATE, retryPolicy: PATIENCE, journalRetention: 0, inactivityTimeout: AWAKE_MS },
    handlers: {
      pass: async (ctx: Context, { call, labels }: GateCall): Promise<void> => {
        const { tenant } = call;
        const service = taskServiceFor(labels);
        // Nobody offers it yet: Restate asks again until somebody does (RESTATE-GATE-1).
        if (labels.length > 0) await ctx.genericCall({ service, method: "here", parameter: jsonBytes(null) });
        if (tenant !== undefined) {
          const { id, promise } = ctx.awakeable<null>();
          const ask: TenantAsk = { loop: call.loop, task: call.task.id, reply: id };
          ctx.genericSend({ service: TENANT, key: tenant, method: "ask", parameter: jsonBytes(ask) });
          await promise;
        }
        ctx.genericSend({ service, method: "perform", parameter: jsonBytes(call) });
      },
    },
  });
}

export interface GivenBack extends TenantTask {
  readonly cost_usd: number;
}

/** RESTATE-GATE-2 */
export function giveGrantBack(ctx: Context, tenant: string, over: GivenBack): void {
  ctx.genericSend({ service: TENANT, key: tenant, method: "over", parameter: jsonBytes(over) });
}

/** The type of the handlers' definition is the library's own. */
export function tenantObject(sdk: RestateSdk): ReturnType<RestateSdk["object"]> {
  const KEPT = "tenant";
  const moved = async (ctx: ObjectContext, move: (tenant: Tenant, at: string) => TenantMove): Promise<Tenant> => {
    const at = await ctx.date.toJSON();
    const { tenant, grants, wake_at } = move((await ctx.get<Tenant>(KEPT)) ?? NO_TENANT, at);
    ctx.set(KEPT, tenant);
    for (const { reply } of grants) ctx.resolveAwakeable(reply, null);
    const wake = { service: TENANT, key: ctx.key, method: "wake", parameter: jsonBytes(null) };
    if (wake_at !== undefined) ctx.genericSend({ ...wake, delay: Math.max(1, Date.parse(wake_at) - Date.parse(at)) });
    return tenant;
  };
  const quietly = async (ctx: ObjectContext, move: Parameters<typeof moved>[1]): Promise<null> => {
    await moved(ctx, move);
    return null;
  };
  const { exclusive, shared } = sdk.handlers.object;
  return sdk.object({
    name: TENANT,
    options: { journalRetention: 0, retryPolicy: PATIENCE },
    handlers: {
      ask: exclusive(PRIVATE, (ctx: ObjectContext, ask: TenantAsk) =>
        quietly(ctx, (tenant, at) => askTenant(tenant, ask, at)),
      ),
      over: exclusive(PRIVATE, (ctx: ObjectContext, { cost_usd, ...task }: GivenBack) =>
        quietly(ctx, (tenant, at) => giveBack(tenant, task, cost_usd, at)),
      ),
      wake: exclusive(PRIVATE, (ctx: ObjectContext) => quietly(ctx, wakeTenant)),
      limit: async (ctx: ObjectContext, limits: TenantLimits): Promise<Tenant> =>
        await moved(ctx, (tenant, at) => limitTenant(tenant, limits, at)),
      view: shared(async (ctx: ObjectSharedContext): Promise<Tenant | null> => await ctx.get<Tenant>(KEPT)),
    },
  });
}
