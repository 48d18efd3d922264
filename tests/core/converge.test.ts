import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide, type Standing, isStrayed } from "../../src/core/converge.ts";
import { CALM } from "../support/standings.ts";
import { EXIT_CODES } from "../../src/core/state.ts";

/** SPEC 4 and 9, in the order in which the first wins. */
const REASONS: readonly (readonly [string, Partial<Standing>, RegExp])[] = [
  ["interrupt", { redirect_requested: true }, /^$/],
  ["stop_requested", { stop_requested: true, stop_reason: "lunch" }, /lunch/],
  ["tampered", { tampered: ["spec/a.ts"] }, /spec\/a\.ts/],
  ["verified", { base_case: true }, /verified/],
  // Work that a session did lies in no commit that a run would see.
  ["needs_confirmation", { base_case: true, unconfirmed: true, in_session: true }, /aot state .* --confirm/],
  ["agent_unavailable", { unavailable: "not logged in" }, /not logged in/],
  ["needs_confirmation", { base_case: null, undecided: ["readable"] }, /readable/],
  ["or_group_exhausted", { exhausted: ["token", "db"] }, /^OR group exhausted: token, db$/],
  ["deadlock", { deadlock: "A1 waits for A2" }, /A1 waits for A2/],
  ["stalled", { stall_count: 3 }, /no progress in 3 iterations in a row \(limit 3\)/],
  ["max_iterations", { iteration: 20 }, /iteration 20 of at most 20/],
  ["budget", { budget: "max_cost_usd" }, /max_cost_usd/],
];

for (const [i, [name, mark, words]] of REASONS.entries()) {
  test(`SPEC 4, CONVERGE-1: ${name} on its own, and before everything below it`, () => {
    const alone = decide({ ...CALM, ...mark });
    expect(alone.kind === "halt" ? alone.outcome : alone.kind).toBe(name);
    if (alone.kind === "halt") expect(alone.message).toMatch(words);
    for (const [later, other] of REASONS.slice(i + 1)) {
      // A true and a null verdict exclude each other.
      if (name === "verified" && later === "needs_confirmation") continue;
      const both = decide({ ...CALM, ...other, ...mark });
      expect([later, both.kind === "halt" ? both.outcome : both.kind]).toEqual([later, name]);
    }
  });
}

test("SPEC 4, 9: a judge whom a spent budget held up: the budget, not a person; without a judge a person all the same", () => {
  const open = { ...CALM, base_case: null, undecided: ["readable"], budget: "max_cost_usd" } as const;
  expect(decide({ ...open, asked: true, iteration: 20, stall_count: 3 })).toMatchObject({
    outcome: "budget",
    message: expect.stringMatching(/max_cost_usd.*readable/),
  });
  expect(decide({ ...open, asked: false })).toMatchObject({ outcome: "needs_confirmation" });
  expect(decide({ ...open, asked: true, budget: null })).toMatchObject({ outcome: "needs_confirmation" });
});

test("SPEC 6, CONVERGE-2: what changed in the person's own checkout forbids verified, whatever was confirmed beforehand", () => {
  for (const unconfirmed of [true, false]) {
    const decision = decide({ ...CALM, base_case: true, unconfirmed, strayed: ["a.js", "b.js"] });
    expect(decision).toMatchObject({ outcome: "needs_confirmation", message: expect.stringMatching(/a\.js, b\.js/) });
    expect(decision.kind === "halt" && isStrayed(decision.message)).toBe(true);
  }
});

test("SPEC 6, 9: a flaky check is worked while there is fuel; then, with nothing else left, it is the outcome", () => {
  const flaky = { ...CALM, base_case: null, flaky: ["tests answers both ways"] } as const;
  expect(decide(flaky)).toEqual({ kind: "continue" });
  // What nobody decided beside it waits until it is mended.
  expect(decide({ ...flaky, undecided: ["readable"] })).toEqual({ kind: "continue" });
  for (const spent of [{ stall_count: 3 }, { iteration: 20 }, { budget: "max_cost_usd" }]) {
    expect(decide({ ...flaky, ...spent })).toMatchObject({
      outcome: "flaky_check",
      message: expect.stringMatching(/^a check cannot be believed: tests answers both ways \(.*(limit|spent).*\)$/),
    });
    for (const other of [{ measure: 1 }, { base_case: false, failing: ["build"] }] as const)
      expect(decide({ ...flaky, ...spent, ...other })).not.toMatchObject({ outcome: "flaky_check" });
  }
});

test("SPEC 9: one is not reported as many", () => {
  const message = "no progress in 1 iteration in a row (limit 1), 1 atom left";
  expect(decide({ ...CALM, stall_count: 1, max_stall_count: 1, measure: 1 })).toMatchObject({ message });
});

test("SPEC 4: otherwise the next iteration", () => {
  expect(decide(CALM)).toEqual({ kind: "continue" });
  expect(decide({ ...CALM, base_case: false })).toEqual({ kind: "continue" });
});

test("SPEC 6, CONVERGE-2: nothing but a verdict of true is verified, and an assertion needs a person's yes", () => {
  const standing = fc.record({
    base_case: fc.constantFrom(true, false, null, undefined),
    unconfirmed: fc.boolean(),
    measure: fc.nat(3),
    stall_count: fc.nat(4),
    iteration: fc.nat(21),
  });
  fc.assert(
    fc.property(standing, (mark) => {
      const decision = decide({ ...CALM, ...mark });
      const verified = decision.kind === "halt" && decision.outcome === "verified";
      expect(verified).toBe(mark.base_case === true && !mark.unconfirmed);
      if (mark.base_case === true && mark.unconfirmed)
        expect(decision).toMatchObject({ outcome: "needs_confirmation" });
      // A null verdict halts only when nothing else is left to do.
      if (mark.base_case === null && mark.measure > 0 && decision.kind === "halt")
        expect(decision.outcome).not.toBe("needs_confirmation");
    }),
  );
});

test("SPEC 9: every outcome has its exit code", () => {
  expect(EXIT_CODES).toEqual({
    verified: 0,
    stop_requested: 10,
    stalled: 11,
    max_iterations: 12,
    budget: 13,
    or_group_exhausted: 14,
    deadlock: 15,
    needs_confirmation: 16,
    agent_unavailable: 17,
    tampered: 18,
    flaky_check: 19,
  });
});
