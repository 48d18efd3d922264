/**
 * What the loops of one tenant may use together (SPEC section 13): tasks at once, and cost per day. Whoever is to begin a
 * task asks first, and gives back when it is over. Pure: an engine keeps one of these per tenant, with one writer.
 *
 * TENANT-1 never are more tasks granted than `agents`; a limit that was lowered takes nothing back, and lets nothing
 *    new pass;
 * TENANT-2 a grant is a task's, not a host's: begun again after the death of one, it has its grant already;
 * TENANT-3 what was spent today never falls, and at the day's limit nothing is granted before the next day (UTC);
 * TENANT-4 who asks is granted in the order of asking, as soon as the limits let one pass.
 */

import { accepted, refused, type Result } from "../core/problem.ts";

/** A tenant's name, as it may be written. */
export function readTenantName(text: string): Result<string> {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/.test(text)) return accepted(text);
  return refused(
    `${JSON.stringify(text)} is no tenant's name`,
    "write at most 40 small letters, digits, `-` and `_`, such as team-blue",
  );
}

/** Absent: no limit. */
export interface TenantLimits {
  /** Tasks at once: attempts, checks of the base case, plans. */
  readonly agents?: number;
  /** Below it tasks are begun; those running then may pass it by what they cost. */
  readonly cost_per_day_usd?: number;
}

export interface TenantTask {
  readonly loop: string;
  readonly task: string;
}

/** `reply`: how the engine lets it know. */
export interface TenantAsk extends TenantTask {
  readonly reply: string;
}

export interface Tenant {
  readonly limits: TenantLimits;
  readonly granted: readonly TenantTask[];
  /** Oldest first. */
  readonly waiting: readonly TenantAsk[];
  /** The day that `spent_usd` is of: `2026-11-21`, UTC. Empty: before the first. */
  readonly day: string;
  readonly spent_usd: number;
}

export interface TenantMove {
  readonly tenant: Tenant;
  /** Are to be let know. */
  readonly grants: readonly TenantAsk[];
  /** ISO 8601: something waits for this time and nothing else. */
  readonly wake_at?: string;
}

export const NO_TENANT: Tenant = { limits: {}, granted: [], waiting: [], day: "", spent_usd: 0 };

/** @param at ISO 8601 */
export function askTenant(tenant: Tenant, ask: TenantAsk, at: string): TenantMove {
  // TENANT-2
  if (tenant.granted.some((known) => isSame(known, ask))) return moved(tenant, [ask]);
  const waits = tenant.waiting.some((known) => isSame(known, ask));
  // TENANT-4: asked again it keeps its place.
  const waiting = waits ? tenant.waiting.map((known) => (isSame(known, ask) ? ask : known)) : [...tenant.waiting, ask];
  return granting({ ...tenant, waiting }, at);
}

/** The task is over, or is not wanted any more. @param cost_usd what it cost, as far as it was reported */
export function giveBack(tenant: Tenant, task: TenantTask, cost_usd: number, at: string): TenantMove {
  const others = <T extends TenantTask>(known: readonly T[]): readonly T[] => known.filter((one) => !isSame(one, task));
  const today = onDay(tenant, at);
  const spent_usd = today.spent_usd + (Number.isFinite(cost_usd) ? Math.max(0, cost_usd) : 0);
  return granting({ ...today, spent_usd, granted: others(today.granted), waiting: others(today.waiting) }, at);
}

export function limitTenant(tenant: Tenant, limits: TenantLimits, at: string): TenantMove {
  return granting({ ...tenant, limits }, at);
}

/** Another day may have begun. */
export function wakeTenant(tenant: Tenant, at: string): TenantMove {
  return granting(tenant, at);
}

/** What keeps the next one from being granted, in words; null: nothing does. */
export function whyTenantWaits({ limits, granted, spent_usd }: Tenant): string | null {
  const { agents = Infinity, cost_per_day_usd = Infinity } = limits;
  if (spent_usd >= cost_per_day_usd)
    return `$${spent_usd.toFixed(2)} of $${cost_per_day_usd.toFixed(2)} are spent today (UTC)`;
  return granted.length >= agents ? `${granted.length} of ${agents} agents are running` : null;
}

function isSame(one: TenantTask, other: TenantTask): boolean {
  return one.loop === other.loop && one.task === other.task;
}

/** TENANT-3. A clock that runs backwards begins no day anew. */
function onDay(tenant: Tenant, at: string): Tenant {
  const day = at.slice(0, 10);
  return day > tenant.day ? { ...tenant, day, spent_usd: 0 } : tenant;
}

/** TENANT-1, TENANT-4 */
function granting(asked: Tenant, at: string): TenantMove {
  let tenant = onDay(asked, at);
  const grants: TenantAsk[] = [];
  for (;;) {
    const [next, ...waiting] = tenant.waiting;
    if (next === undefined || whyTenantWaits(tenant) !== null) break;
    const { loop, task } = next;
    grants.push(next);
    tenant = { ...tenant, waiting, granted: [...tenant.granted, { loop, task }] };
  }
  return moved(tenant, grants);
}

/** Of several moves that are carried out together the last one's time is that of all. */
function moved(tenant: Tenant, grants: readonly TenantAsk[]): TenantMove {
  const { cost_per_day_usd = Infinity } = tenant.limits;
  if (tenant.waiting.length === 0 || tenant.spent_usd < cost_per_day_usd) return { tenant, grants };
  return { tenant, grants, wake_at: dayAfter(tenant.day) };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + 24 * 3_600_000).toISOString();
}
