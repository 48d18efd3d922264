import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DURATION, formatDuration, limitsOf, parseDuration, worstCase } from "../../src/core/fuel.ts";
import { DEFAULT_CONSTRAINTS } from "../../src/core/state.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { SETTINGS, walk } from "../support/walk.ts";

test("SPEC 2: durations as people write them", () => {
  expect(["90m", "2h", "1h30m", "1h 30m", "45s", "1.5h", "250ms", "1d"].map(parseDuration)).toEqual([
    5_400_000, 7_200_000, 5_400_000, 5_400_000, 45_000, 5_400_000, 250, 86_400_000,
  ]);
  for (const wrong of ["", "90", "m", "1h30", "-5m", "5 m", "1w", "0s", "five"])
    expect([wrong, parseDuration(wrong)]).toEqual([wrong, null]);
});

test("SPEC 2: what the state file may hold as a duration is one, and is not nothing", () => {
  const part = (unit: string) => fc.constantFrom("", `0${unit}`, `5${unit}`, `00${unit}`, `30${unit}`);
  const durations = fc.tuple(part("d"), part("h"), part("m"), part("s")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(durations, (text) => {
      expect(DURATION.test(text)).toBe((parseDuration(text) ?? 0) > 0);
    }),
  );
  for (const none of ["", "0s", "1", "1.5h", "90000ms", "30m1h", "5h ", "soon"])
    expect(DURATION.test(none)).toBe(false);
});

test("law: a duration in words never shows 60 of a unit, and is close to what it says", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400_000_000 }), (ms) => {
      const words = formatDuration(ms);
      expect(words).not.toMatch(/\b(60s|60m|1000ms)\b/);
      const back = ms < 0.5 ? 0 : (parseDuration(words.replace(" ", "")) ?? 0);
      expect(Math.abs(back - ms)).toBeLessThanOrEqual(ms < 60_000 ? 50 : ms < 3_600_000 ? 500 : 60_000);
    }),
  );
  expect([formatDuration(119_700), formatDuration(59_960), formatDuration(4_200)]).toEqual(["2m 0s", "1m 0s", "4.2s"]);
});

const maybe = (values: fc.Arbitrary<number>) => fc.option(values, { nil: undefined });

test("SPEC 4: a run's settings narrow the limits of the state file and never widen them", () => {
  const settings = fc.record(
    {
      parallel: fc.integer({ min: 1, max: 9 }),
      max_iterations: fc.integer({ min: 1, max: 40 }),
      max_cost_usd: fc.nat(9),
      max_tokens: fc.nat(9_000),
      max_duration_ms: fc.nat(9_000_000),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(settings, maybe(fc.nat(9)), maybe(fc.integer({ min: 1, max: 120 })), (narrow, cost, minutes) => {
      const constraints = {
        ...DEFAULT_CONSTRAINTS,
        ...(cost === undefined ? {} : { max_cost_usd: cost }),
        ...(minutes === undefined ? {} : { max_duration: `${minutes}m` }),
      };
      const limits = limitsOf(constraints, { ...SETTINGS, ...narrow });
      expect(limits).toEqual({
        parallel: Math.min(3, narrow.parallel ?? 3),
        max_iterations: Math.min(20, narrow.max_iterations ?? 20),
        max_cost_usd: Math.min(cost ?? Infinity, narrow.max_cost_usd ?? Infinity),
        max_tokens: narrow.max_tokens ?? Infinity,
        max_duration_ms: Math.min(
          minutes === undefined ? Infinity : minutes * 60_000,
          narrow.max_duration_ms ?? Infinity,
        ),
        max_attempts_per_atom: Infinity,
      });
    }),
  );
});

const PRICES = { max_call_usd: 2, call_timeout_ms: 1_000, spent_usd: 1 };

test("SPEC 4: no loop does more than the worst case that was printed before it started", () => {
  fc.assert(
    fc.property(
      anyState(7, { max_iterations: 5 }),
      fc.array(fc.nat(10_000), { minLength: 20, maxLength: 200 }),
      fc.boolean(),
      (plain, dice, probing) => {
        const atoms = plain.atoms.map((atom, i) => (probing && i % 2 === 0 ? { ...atom, probe: true } : atom));
        const state = { ...plain, atoms };
        const worst = worstCase(state, SETTINGS, PRICES);
        const did = { start_attempt: 0, check_base_case: 0, replan: 0, probes: 0, iterations: 0 };
        walk(state, dice, { lost: true }, ({ effects, facts }) => {
          for (const effect of effects) {
            if (effect.type === "start_attempt" || effect.type === "check_base_case" || effect.type === "replan")
              did[effect.type]++;
            if (effect.type === "start_attempt" && effect.attempt.role === "probe") did.probes++;
          }
          did.iterations += facts.filter((fact) => fact.fact === "iteration_opened").length;
        });
        expect(did.iterations).toBeLessThanOrEqual(worst.iterations);
        expect(did.start_attempt).toBeLessThanOrEqual(worst.attempts);
        expect(did.replan).toBeLessThanOrEqual(worst.planner_calls);
        expect(did.probes).toBeLessThanOrEqual(worst.probe_calls);
        expect(did.check_base_case).toBeLessThanOrEqual(worst.iterations + 1);
      },
    ),
    { numRuns: 1_500 },
  );
});

test("SPEC 4: the worst case in figures: calls, each asked once more, wall time and cost", () => {
  const base = stateOf({ atoms: [{ id: "A1" }], constraints: { max_iterations: 4, max_cost_usd: 10 } });
  const state = {
    ...base,
    control: { ...base.control, iteration: 2 },
    objective: {
      ...base.objective,
      base_case: {
        checklist: [
          { item: "t", check: { type: "command" as const, value: "npm test", timeout: 60 } },
          { item: "n", check: { type: "assertion" as const, value: "nice" } },
        ],
      },
    },
  };
  const worst = worstCase(state, SETTINGS, PRICES);
  // 2 iterations left: 6 attempts, 3 checks with one judged leaf, whose answer may be void once, 2 planner
  // calls; each call asked at most twice.
  expect(worst).toEqual({
    iterations: 2,
    attempts: 6,
    probe_calls: 0,
    judge_calls: 6,
    planner_calls: 2,
    agent_calls: 28,
    wall_ms: 28 * 1_000 + 3 * 60_000,
    cost_usd: 56,
    cost_left_usd: 9,
  });
  expect(worstCase(state, SETTINGS, { call_timeout_ms: 1, spent_usd: 0 }).cost_usd).toBeNull();
  expect(worstCase(state, { ...SETTINGS, max_duration_ms: 5 }, PRICES).wall_ms).toBe(5);
  expect(worstCase({ ...state, control: { ...state.control, iteration: 9 } }, SETTINGS, PRICES).attempts).toBe(0);
});
