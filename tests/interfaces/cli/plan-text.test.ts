import { expect, test } from "vitest";
import type { WorstCase } from "../../../src/core/fuel.ts";
import { planText } from "../../../src/run/commands/plan-text.ts";

const WORST: WorstCase = {
  iterations: 20,
  attempts: 60,
  probe_calls: 4,
  judge_calls: 42,
  planner_calls: 20,
  agent_calls: 244,
  wall_ms: 7_200_000,
  cost_usd: 488,
  cost_left_usd: 9,
};

test("SPEC 4: the worst case is a table: iterations, calls by role, wall time and cost", () => {
  expect(`\n${planText(WORST, "claude")}\n`).toMatchInlineSnapshot(`
    "
    at most, with claude:

      iterations          20
      worker calls        60  3 in each iteration; 4 of them may be probes
      judge calls         42  2 in each of 21 checks of the base case, half of them for void votes
      planner calls       20  one after each check of the base case that fails, one about each atom that is stuck
      all calls          244  each may be repeated once, if unreadable
      wall time        2h 0m  time-outs added up, or the limit on time
      cost           $488.00  every call at its highest price
      cost limit       $9.00  once that is spent the loop stops
    "
  `);
});

test("SPEC 4: what no limit gives says how to set one; what cannot happen is left out", () => {
  const worst = { ...WORST, probe_calls: 0, judge_calls: 0, cost_usd: null, cost_left_usd: null, wall_ms: null };
  expect(`\n${planText(worst, "codex")}\n`).toMatchInlineSnapshot(`
    "
    at most, with codex:

      iterations      20
      worker calls    60  3 in each iteration
      planner calls   20  one after each check of the base case that fails, one about each atom that is stuck
      all calls      244  each may be repeated once, if unreadable
      wall time        ?  no limit: set one with --max-duration
      cost             ?  price unknown: cap a call with --max-call-usd
    "
  `);
});

test("SPEC 4: without an iteration left it says how to get more", () => {
  const worst = { ...WORST, iterations: 0, attempts: 0, planner_calls: 0, judge_calls: 2, agent_calls: 4 };
  const text = planText(worst, "claude");
  expect(text).toContain("aot redirect limit max_iterations");
  expect(text).toContain("2 in each of 1 check of");
  expect(text).not.toContain("NaN");
});
