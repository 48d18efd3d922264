import { expect, test } from "vitest";
import type { Limits, WorstCase } from "../../../src/core/fuel.ts";
import { limitWords, planText } from "../../../src/run/commands/plan-text.ts";

const LIMITS: Limits = {
  max_iterations: 20,
  parallel: 3,
  max_cost_usd: 9,
  max_tokens: Infinity,
  max_duration_ms: 7_200_000,
  max_attempts_per_atom: 5,
};
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
  expect(`\n${planText({ plan: WORST, agent: "claude", limits: LIMITS })}\n`).toMatchInlineSnapshot(`
    "
    with claude: stops after 20 iterations, 5 attempts of one atom, 2h 0m or $9.00

    at most:
      iterations          20
      worker calls        60  3 in each iteration; 4 of them may be probes
      judge calls         42  2 in each of 21 checks of the base case, half of them for void answers
      planner calls       20  one after each check of the base case that fails, one about each atom that is stuck
      all calls          244  each may be repeated once, if unreadable
      time             2h 0m  work; waiting for a rate limit is not counted
      cost           $488.00  every call at its highest price
      cost limit       $9.00  once that is spent the loop stops
    "
  `);
});

test("SPEC 4: what no limit gives says how to set one; what cannot happen is left out", () => {
  const worst = { ...WORST, probe_calls: 0, judge_calls: 0, cost_usd: null, cost_left_usd: null, wall_ms: null };
  expect(
    `\n${planText({ plan: worst, agent: "codex", limits: { ...LIMITS, max_cost_usd: Infinity, max_duration_ms: Infinity } })}\n`,
  ).toMatchInlineSnapshot(`
    "
    with codex: stops after 20 iterations or 5 attempts of one atom; not limited: --max-duration, --max-cost-usd

    at most:
      iterations      20
      worker calls    60  3 in each iteration
      planner calls   20  one after each check of the base case that fails, one about each atom that is stuck
      all calls      244  each may be repeated once, if unreadable
      time             ?  no limit: set one with --max-duration
      cost             ?  price unknown: cap a call with --set max_call_usd=N
    "
  `);
});

test("SPEC 4: without an iteration left it says how to get more", () => {
  const worst = { ...WORST, iterations: 0, attempts: 0, planner_calls: 0, judge_calls: 2, agent_calls: 4 };
  const text = planText({ plan: worst, agent: "claude", limits: LIMITS });
  expect(text).toContain("aot redirect limit max_iterations");
  expect(text).toContain("2 in each of 1 check of");
  expect(text).not.toContain("NaN");
});

test("one of a limit is said as one", () => {
  expect(limitWords({ ...LIMITS, max_iterations: 1, max_attempts_per_atom: 1 })).toMatch(
    /^stops after 1 iteration, 1 attempt of one atom, /,
  );
});
