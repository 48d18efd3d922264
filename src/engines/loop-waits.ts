/** What the tasks of loops wait for that nobody works yet: a worker with their labels, their tenant (SPEC section 13). */
import type { Result } from "../core/problem.ts";
import type { Engine, LoopView, WorkerView } from "../loop/engine.ts";
import { whyTenantWaits, type Tenant } from "../loop/tenant.ts";
import { asking } from "./client.ts";

export interface LoopWait {
  readonly task: string;
  /** In words. */
  readonly for: string;
}

/** By loop; those that wait for nothing are not in it. */
export async function waitsOf(
  engine: Engine,
  views: readonly LoopView[],
): Promise<Result<ReadonlyMap<string, readonly LoopWait[]>>> {
  return await asking(async () => {
    const placed = views.filter((view) => view.placement !== undefined && unbegun(view).length > 0);
    if (placed.length === 0) return new Map();
    const workers = (await engine.workers?.()) ?? [];
    const names = new Set(placed.flatMap(({ placement }) => placement?.tenant ?? []));
    const tenants = new Map<string, Tenant>();
    for (const name of names) {
      const tenant = await engine.tenants?.view(name);
      if (tenant != null) tenants.set(name, tenant);
    }
    return new Map(placed.map((view) => [view.loop, waitsIn(view, workers, tenants)] as const));
  });
}

/** Integrations and reverts ask nobody. */
function unbegun({ working }: LoopView): LoopView["working"] {
  return working.filter(({ task, worker }) => worker === null && !/^(integrate|revert)#/.test(task));
}

function waitsIn(
  view: LoopView,
  workers: readonly WorkerView[],
  tenants: ReadonlyMap<string, Tenant>,
): readonly LoopWait[] {
  const { tenant = "" } = view.placement ?? {};
  const account = tenants.get(tenant);
  return unbegun(view).map(({ task, labels = [] }) => {
    const fits = ({ draining, labels: own }: WorkerView): boolean =>
      !draining && labels.every((label) => own.includes(label));
    const fit = labels.length === 0 ? "a free worker" : `a worker with ${labels.join(" and ")}`;
    if (labels.length > 0 && !workers.some(fits)) return { task, for: `${fit}; none is known` };
    const asked = account?.waiting.some((one) => one.loop === view.loop && one.task === task) === true;
    const why = account === undefined ? null : whyTenantWaits(account);
    return { task, for: asked ? `its tenant ${tenant}: ${why ?? "it is being let go"}` : fit };
  });
}
