/** Limits that loops share (SPEC section 13), as laws over whatever is asked, given back, limited and waited for. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  askTenant,
  giveBack,
  limitTenant,
  NO_TENANT,
  wakeTenant,
  whyTenantWaits,
  type Tenant,
  type TenantAsk,
  type TenantLimits,
  type TenantMove,
} from "../../src/loop/tenant.ts";

type Step =
  | { readonly kind: "ask" | "back"; readonly task: number; readonly cost: number }
  | { readonly kind: "limit"; readonly limits: TenantLimits }
  | { readonly kind: "time"; readonly hours: number };

const limits: fc.Arbitrary<TenantLimits> = fc
  .record({ agents: fc.option(fc.integer({ min: 1, max: 4 })), cost: fc.option(fc.integer({ min: 0, max: 6 })) })
  .map(({ agents, cost }) => ({
    ...(agents === null ? {} : { agents }),
    ...(cost === null ? {} : { cost_per_day_usd: cost }),
  }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("ask" as const, "back" as const),
      task: fc.nat({ max: 9 }),
      cost: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: limits.map((of) => ({ kind: "limit", limits: of }) as const) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 30 }).map((hours) => ({ kind: "time", hours }) as const) },
);

function askOf(task: number): TenantAsk {
  return { loop: `l${task % 3}`, task: `t${task}`, reply: `r${task}` };
}

/** Plays the steps; `seen` looks at each move. */
function played(
  steps: readonly Step[],
  seen: (before: Tenant, move: TenantMove, step: Step, at: string) => void,
): Tenant {
  let [tenant, now] = [NO_TENANT, Date.parse("2026-11-21T20:00:00.000Z")];
  for (const one of steps) {
    if (one.kind === "time") now += one.hours * 3_600_000;
    const at = new Date(now).toISOString();
    const move =
      one.kind === "ask"
        ? askTenant(tenant, askOf(one.task), at)
        : one.kind === "back"
          ? giveBack(tenant, askOf(one.task), one.cost, at)
          : one.kind === "limit"
            ? limitTenant(tenant, one.limits, at)
            : wakeTenant(tenant, at);
    seen(tenant, move, one, at);
    tenant = move.tenant;
  }
  return tenant;
}

const key = ({ loop, task }: { readonly loop: string; readonly task: string }): string => `${loop}/${task}`;

test("SPEC 13: never more than the limit is granted by a move, whatever dies, is repeated or is given back", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      played(steps, (before, { tenant, grants }) => {
        const { agents = Infinity, cost_per_day_usd = Infinity } = tenant.limits;
        const fresh = grants.filter((one) => !before.granted.some((known) => key(known) === key(one)));
        if (fresh.length > 0) {
          expect(tenant.granted.length).toBeLessThanOrEqual(agents);
          expect(tenant.spent_usd).toBeLessThan(cost_per_day_usd);
        }
        expect(tenant.granted.length).toBeLessThanOrEqual(Math.max(before.granted.length, agents));
        expect(new Set(tenant.granted.map(key)).size).toBe(tenant.granted.length);
        const open = [...tenant.granted, ...tenant.waiting].map(key);
        expect(new Set(open).size).toBe(open.length);
      });
    }),
  );
});

test("SPEC 13: who asked is granted or waits until it gives back; asked again it has its grant already", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const open = new Set<string>();
      played(steps, (before, { tenant, grants }, one) => {
        if (one.kind === "ask") open.add(key(askOf(one.task)));
        if (one.kind === "back") open.delete(key(askOf(one.task)));
        expect([...tenant.granted, ...tenant.waiting].map(key).toSorted()).toEqual([...open].toSorted());
        for (const grant of grants) expect(tenant.granted.map(key)).toContain(key(grant));
        if (one.kind === "ask" && before.granted.some((known) => key(known) === key(askOf(one.task))))
          expect({ tenant, grants }).toEqual({ tenant: before, grants: [askOf(one.task)] });
        else
          for (const known of tenant.granted)
            if (!before.granted.some((other) => key(other) === key(known)))
              expect(grants.map(key)).toContain(key(known));
      });
    }),
  );
});

test("SPEC 4: within a day what was spent never falls; a clock that runs backwards begins no day anew", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      played(steps, (before, { tenant }, one) => {
        expect(tenant.day >= before.day).toBe(true);
        if (tenant.day === before.day) expect(tenant.spent_usd).toBeGreaterThanOrEqual(before.spent_usd);
        if (one.kind !== "back" && tenant.day === before.day) expect(tenant.spent_usd).toBe(before.spent_usd);
      });
    }),
  );
});

test("SPEC 13: nobody waits without a reason, in the order of asking; what waits for a day says when", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let asked: string[] = [];
      played(steps, (before, { tenant, grants, wake_at }, one) => {
        if (tenant.waiting.length > 0) expect(whyTenantWaits(tenant)).not.toBeNull();
        const own = one.kind === "ask" || one.kind === "back" ? key(askOf(one.task)) : "";
        if (one.kind === "ask" && !asked.includes(own)) asked.push(own);
        if (one.kind === "back") asked = asked.filter((other) => other !== own);
        const fresh = grants.map(key).filter((other) => !before.granted.some((known) => key(known) === other));
        expect(fresh).toEqual(asked.slice(0, fresh.length));
        asked = asked.filter((other) => !tenant.granted.some((known) => key(known) === other));
        expect(tenant.waiting.map(key)).toEqual(asked);
        const isSpent = tenant.spent_usd >= (tenant.limits.cost_per_day_usd ?? Infinity);
        if (tenant.waiting.length > 0 && isSpent) {
          expect(wake_at).toBe(new Date(Date.parse(`${tenant.day}T24:00:00.000Z`)).toISOString());
          const later = wakeTenant(tenant, wake_at ?? "");
          expect(later.tenant.spent_usd).toBe(0);
        } else expect(wake_at).toBeUndefined();
      });
    }),
  );
});

test("TENANT-2: who has its grant and asks again does not make forgotten that somebody waits for the next day", () => {
  const at = "2026-11-21T20:00:00.000Z";
  const one = askTenant(NO_TENANT, askOf(1), at).tenant;
  const waiting = askTenant(limitTenant(one, { cost_per_day_usd: 0 }, at).tenant, askOf(2), at);
  const again = askTenant(waiting.tenant, askOf(1), at);
  expect([waiting.wake_at, again.wake_at]).toEqual(["2026-11-22T00:00:00.000Z", "2026-11-22T00:00:00.000Z"]);
  expect(again.grants).toEqual([askOf(1)]);
});

test("SPEC 13: what it waits for is said in words", () => {
  const at = "2026-11-21T20:00:00.000Z";
  const limited = limitTenant(NO_TENANT, { agents: 1, cost_per_day_usd: 2 }, at).tenant;
  const busy = askTenant(limited, askOf(1), at).tenant;
  expect(whyTenantWaits(busy)).toBe("1 of 1 agents are running");
  expect(whyTenantWaits(giveBack(busy, askOf(1), 2.5, at).tenant)).toBe("$2.50 of $2.00 are spent today (UTC)");
  expect(whyTenantWaits(giveBack(busy, askOf(1), 1, at).tenant)).toBeNull();
});
