/**
 * Tenants as rows of PostgreSQL (loop/tenant.ts says what they are): a task is put into its queue when it is granted, in the
 * transaction that granted it.
 *
 * N1 one writer: a tenant's row is locked until the transaction ends, after the loop's;
 * N2 a task that is over, or was never begun and is not wanted, has given its grant back in the same transaction.
 */
import { randomUUID } from "node:crypto";
import type { HostedLoop, Order, Task } from "../../../loop/hosted-loop.ts";
import { labelsFor } from "../../../loop/placement.ts";
import { askTenant, giveBack, NO_TENANT, type Tenant, type TenantAsk, type TenantMove } from "../../../loop/tenant.ts";
import { timeOf, type Database } from "./dbos-database.ts";
import { queueFor, taskErrand, type Errand } from "./dbos-errand.ts";
import { CLOCK, SCHEMA, WAKE_TENANT } from "./dbos-names.ts";
import type { Connection } from "./dbos-sdk.ts";

/** What follows from a change of a loop that has a tenant: the tasks that may begin, its own and others'. */
export async function followInTenant(
  connection: Connection,
  tenant: string,
  before: HostedLoop,
  after: HostedLoop,
  orders: readonly Order[],
): Promise<readonly Errand[]> {
  const open = new Set(after.tasks.map(({ id }) => id));
  const over = before.tasks.filter((task) => isGranted(task) && !open.has(task.id));
  const asks = orders.flatMap((order): TenantAsk[] => {
    if (order.type !== "perform" || !isGranted(order.task)) return [];
    const { id: task, effect } = order.task;
    return [{ loop: after.name, task, reply: queueFor(labelsFor(after.placement ?? {}, effect)) }];
  });
  if (over.length === 0 && asks.length === 0) return [];
  const cost = after.loop.run.cost_usd - before.loop.run.cost_usd;
  const steps = [
    // The loop tells its cost as a sum: whichever of the tasks it was.
    ...over.map(
      ({ id: task }, index) =>
        (known: Tenant, at: string): TenantMove =>
          giveBack(known, { loop: after.name, task }, index === 0 ? cost : 0, at),
    ),
    ...asks.map(
      (ask) =>
        (known: Tenant, at: string): TenantMove =>
          askTenant(known, ask, at),
    ),
  ];
  return (await moveTenant(connection, tenant, steps)).errands;
}

function isGranted({ effect: { type } }: Task): boolean {
  return type !== "integrate" && type !== "revert";
}

type Step = (tenant: Tenant, at: string) => TenantMove;

/** N1 */
export async function moveTenant(
  connection: Connection,
  name: string,
  steps: readonly Step[],
): Promise<{ readonly tenant: Tenant; readonly errands: readonly Errand[] }> {
  await connection.query(`INSERT INTO ${SCHEMA}.tenants VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
    name,
    JSON.stringify(NO_TENANT),
  ]);
  const { rows } = await connection.query(`SELECT tenant FROM ${SCHEMA}.tenants WHERE name = $1 FOR UPDATE`, [name]);
  const at = await timeOf(connection);
  let tenant = JSON.parse(String(rows[0]?.["tenant"])) as Tenant;
  const errands: Errand[] = [];
  let wake_at: string | undefined;
  for (const step of steps) {
    const move = step(tenant, at);
    tenant = move.tenant;
    wake_at = move.wake_at;
    errands.push(...move.grants.map(({ loop, task, reply }) => taskErrand(loop, task, reply)));
  }
  await connection.query(`UPDATE ${SCHEMA}.tenants SET tenant = $2 WHERE name = $1`, [name, JSON.stringify(tenant)]);
  if (wake_at !== undefined) errands.push(wakeErrand(name, Date.parse(wake_at) - Date.parse(at)));
  return { tenant, errands };
}

function wakeErrand(name: string, ms: number): Errand {
  const id = `tenant/${name}/${randomUUID()}`;
  return { id, workflow: WAKE_TENANT, queue: CLOCK, args: [name], delay_ms: Math.max(1, ms) };
}

/** Null: nobody named it yet. */
export async function readTenant(database: Database, name: string): Promise<Tenant | null> {
  const [row] = await database.query(`SELECT tenant FROM ${SCHEMA}.tenants WHERE name = $1`, [name]);
  return row === undefined ? null : (JSON.parse(String(row["tenant"])) as Tenant);
}
