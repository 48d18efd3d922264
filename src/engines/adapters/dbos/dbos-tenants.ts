/**
 * Tenants as rows of PostgreSQL (loop/tenant.ts says what they are): a task is put into its queue when it is granted, in the
 * transaction that granted it.
 *
 * DBOS-TENANTS-1 one writer: a tenant's row is locked until the transaction ends, after the loop's;
 * DBOS-TENANTS-2 a task that is over, or was never begun and is not wanted, has given its grant back in the same
 *    transaction;
 * DBOS-TENANTS-3 while tasks wait for a time and nothing else, a wake-up for it waits as well; one, however many they are.
 */
import { randomUUID } from "node:crypto";
import type { HostedLoop, Order, Task } from "../../../loop/hosted-loop.ts";
import { labelsFor } from "../../../loop/placement.ts";
import { askTenant, giveBack, NO_TENANT, type Tenant, type TenantAsk, type TenantMove } from "../../../loop/tenant.ts";
import { timeOf, type Database } from "./dbos-database.ts";
import { queueFor, taskErrand, type Errand } from "./dbos-errand.ts";
import { CLOCK, DBOS_SCHEMA, ENDED, SCHEMA, WAKE_TENANT } from "./dbos-names.ts";
import type { Connection } from "./dbos-sdk.ts";

/** What follows from a change of a loop that has a tenant: the tasks that may begin, its own and others'. */
export async function followInTenant(
  connection: Connection,
  tenant: string,
  { before, after }: { readonly before: HostedLoop; readonly after: HostedLoop },
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
  const steps: Step[] = [];
  // The loop tells its cost as a sum: whichever of the tasks it was.
  for (const [index, { id: task }] of over.entries())
    steps.push((known, at) => giveBack(known, { loop: after.name, task }, index === 0 ? cost : 0, at));
  for (const ask of asks) steps.push((known, at) => askTenant(known, ask, at));
  return (await moveTenant(connection, tenant, steps)).errands;
}

function isGranted({ effect: { type } }: Task): boolean {
  return type !== "integrate" && type !== "revert";
}

type Step = (tenant: Tenant, at: string) => TenantMove;

/** DBOS-TENANTS-1 */
export async function moveTenant(
  connection: Connection,
  name: string,
  steps: readonly Step[],
): Promise<{ readonly tenant: Tenant; readonly errands: readonly Errand[] }> {
  const made = `INSERT INTO ${SCHEMA}.tenants VALUES ($1, $2) ON CONFLICT DO NOTHING`;
  await connection.query(made, [name, JSON.stringify(NO_TENANT)]);
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
  if (wake_at !== undefined && !(await isWakeUpWaiting(connection, name, wake_at)))
    errands.push(wakeErrand(name, Date.parse(wake_at) - Date.parse(at)));
  return { tenant, errands };
}

/** Clocks of hosts that differ by more do not spare each other's wake-ups. */
const SKEW_MS = 60_000;

/**
 * DBOS-TENANTS-3. One that comes too early asks for another one itself; it takes the tenant's row, and so comes behind
 * whoever relies on it here.
 */
async function isWakeUpWaiting(connection: Connection, name: string, wake_at: string): Promise<boolean> {
  const text = `SELECT 1 FROM ${DBOS_SCHEMA}.workflow_status
    WHERE status = 'DELAYED' AND delay_until_epoch_ms <= $2 AND starts_with(workflow_uuid, $1) LIMIT 1`;
  const { rows } = await connection.query(text, [wakePrefix(name), Date.parse(wake_at) + SKEW_MS]);
  return rows.length > 0;
}

const MOST_WAKE_UPS = 1_000;

/** What DBOS still has of wake-ups that ran, of all tenants: nobody asks for it. */
export async function endedWakeUps(database: Database): Promise<string[]> {
  const text = `SELECT workflow_uuid AS id FROM ${DBOS_SCHEMA}.workflow_status
    WHERE name = $1 AND status IN ${ENDED} LIMIT ${MOST_WAKE_UPS}`;
  return (await database.query(text, [WAKE_TENANT])).map(({ id }) => String(id));
}

function wakePrefix(name: string): string {
  return `tenant/${name}/`;
}

function wakeErrand(name: string, ms: number): Errand {
  const id = `${wakePrefix(name)}${randomUUID()}`;
  return { id, workflow: WAKE_TENANT, queue: CLOCK, args: [name], delay_ms: Math.max(1, ms) };
}

/** Null: nobody named it yet. */
export async function readTenant(database: Database, name: string): Promise<Tenant | null> {
  const [row] = await database.query(`SELECT tenant FROM ${SCHEMA}.tenants WHERE name = $1`, [name]);
  return row === undefined ? null : (JSON.parse(String(row["tenant"])) as Tenant);
}
