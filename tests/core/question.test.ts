/** The planner is asked about an atom that is to blame (SPEC section 4). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyAdvice } from "../../src/core/apply-advice.ts";
import type { Advice } from "../../src/core/event.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { anyState, NOW, stateOf, type Sketch } from "../support/loops.ts";
import { play, type Play } from "../support/play.ts";
import { adviceFor, walk } from "../support/walk.ts";

const PLANNER = { settings: { planner: true } } as const;
const ONE: Sketch = { atoms: [{ id: "A1" }] };

function advise(p: Play, atom: string, advice: Advice | null): string[] {
  return p.send({ type: "advised", at: NOW, atom, advice, reason: "stuck" });
}

const facts = (p: Play, kind: string): unknown => p.facts.find(({ fact }) => fact === kind);

test("SPEC 4: at the second failure for the same reason the planner is asked, once for each atom; without one nobody is", () => {
  const p = play(stateOf(ONE), PLANNER);
  p.fail("A1.1", "3 of 17 tests fail after 1.2s");
  expect(p.fail("A1.2", "3 of 17 tests fail after 4.7s")).toEqual(["shelve A1.2", "ask A1"]);
  expect(p.effects.at(-1)).toMatchObject({ atom: "A1", nogoods: [{ attempt: "A1.1" }, { attempt: "A1.2" }] });
  expect(advise(p, "A1", { kind: "reword", description: "do it otherwise" })).toEqual(["start A1.3"]);
  expect(p.loop.state.atoms).toMatchObject([{ id: "A1", description: "do it otherwise" }]);
  expect(p.fail("A1.3", "3 of 17 tests fail after 1.0s")).toEqual(["shelve A1.3", "start A1.4"]);

  const alone = play(stateOf(ONE));
  alone.fail("A1.1");
  expect(alone.fail("A1.2")).toEqual(["shelve A1.2", "start A1.3"]);
});

test("SPEC 4: at a stall the planner is asked about the atom that is to blame; the others go on meanwhile", () => {
  const p = play(stateOf({ atoms: [{ id: "A1" }, { id: "A2" }], constraints: { max_parallel_agents: 2 } }), PLANNER);
  p.fail("A1.1", "one");
  expect(p.fail("A1.2", "two")).toEqual(["shelve A1.2", "start A1.3"]);
  expect(p.fail("A1.3", "three")).toEqual(["shelve A1.3", "ask A1"]);
  expect(facts(p, "planner_asked")).toMatchObject({ atom: "A1", why: expect.stringMatching(/no progress/) });
  expect(p.succeed("A2.1")).toEqual(["integrate A2.1"]);
  p.integrated("A2.1");
  expect(p.status("A2")).toBe("resolved");
  expect(advise(p, "A1", null)).toEqual(["start A1.4"]);
});

const EACH = { settings: { planner: true, verify_each: true } } as const;
const PAIR: Sketch = { atoms: [{ id: "A1" }, { id: "A2" }], constraints: { max_parallel_agents: 2 } };

test("SPEC 4, ADVANCE-1: a true verdict ends the planner's call, whatever it would say", () => {
  for (const late of [true, false]) {
    const p = play(stateOf(PAIR), EACH);
    p.fail("A1.1");
    p.fail("A1.2");
    p.done("A2.1");
    expect(p.checked(true)).toEqual(["abort planner"]);
    const end = late
      ? advise(p, "A1", { kind: "hopeless" })
      : p.send({ type: "background_aborted", at: NOW, call: "planner" });
    expect(end).toEqual(["halt verified"]);
  }
});

test("SPEC 4: advice that was taken buys one more iteration where the stall limit is reached, and no more", () => {
  const p = play(stateOf({ ...ONE, constraints: { max_stall_count: 1 } }), PLANNER);
  p.fail("A1.1", "one");
  expect(p.fail("A1.2", "two")).toEqual(["shelve A1.2", "ask A1"]);
  expect(p.control.stall_count).toBe(1);
  expect(advise(p, "A1", { kind: "reword", description: "otherwise" })).toEqual(["start A1.3"]);
  expect(p.control.stall_count).toBe(0);
  expect(p.fail("A1.3", "three")).toEqual(["shelve A1.3", "halt stalled"]);
});

test("SPEC 4: advice that cannot be taken, or none, changes nothing: the stall stops the run", () => {
  for (const advice of [null, { kind: "reorder", depends_on: ["nobody"] }] as const) {
    const p = play(stateOf({ ...ONE, constraints: { max_stall_count: 1 } }), PLANNER);
    p.fail("A1.1", "one");
    p.fail("A1.2", "two");
    const before = p.loop.state.atoms;
    expect(advise(p, "A1", advice)).toEqual(["halt stalled"]);
    expect(facts(p, "advice_refused")).toBeDefined();
    expect(p.loop.state.atoms).toBe(before);
  }
});

/** A1 has stalled, and the planner is asked. */
function stalled(sketch: Sketch): Play {
  const p = play(stateOf(sketch), PLANNER);
  p.fail("A1.1");
  p.fail("A1.2");
  expect(p.loop.run.planner).toEqual({ kind: "asking", atom: "A1" });
  return p;
}

test("SPEC 4: an alternative: a group is made of the atom, which is given up for it; what waits for the atom waits for the group", () => {
  const p = stalled({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
  expect(advise(p, "A1", { kind: "alternative", atom: { description: "another way", touches: ["b"] } })).toEqual([
    "revert A1",
  ]);
  expect(p.group("A1")).toEqual({ name: "A1", choices: ["A1", "A3"], selected: "A3", failed: ["A1"] });
  expect(p.reverted()).toEqual(["start A3.1"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ attempt: "A1.1" }, { attempt: "A1.2" }] });
  expect(p.loop.state.atoms.at(-1)).toMatchObject({ id: "A3", touches: ["b"], or_group: "A1" });
  expect(p.done("A3.1")).toEqual(["start A2.1"]);
});

test("SPEC 4: a split by the planner; its growth is held against nobody", () => {
  const p = stalled(ONE);
  const atoms = [{ id: "x", description: "x" }, { description: "y" }];
  expect(advise(p, "A1", { kind: "split", atoms })).toEqual(["start A2.1", "start x.1"]);
  expect(facts(p, "advice_taken")).toMatchObject({ advice: "split", added: ["x", "A2"], measure: 2 });
  p.done("x.1");
  p.done("A2.1");
  expect(p.status("A1")).toBe("resolved");
});

test("SPEC 4: reordered, the atom waits for what it needs", () => {
  const p = play(stateOf({ atoms: [{ id: "A1" }, { id: "A2" }], constraints: { max_parallel_agents: 1 } }), PLANNER);
  p.fail("A1.1");
  expect(p.fail("A1.2")).toEqual(["shelve A1.2", "ask A1", "start A2.1"]);
  expect(advise(p, "A1", { kind: "reorder", depends_on: ["A2"] })).toEqual([]);
  expect(p.done("A2.1")).toEqual(["start A1.3"]);
});

test("SPEC 4: hopeless is giving up: the choice above it, or else the loop stops, with the reason", () => {
  const p = stalled(ONE);
  expect(advise(p, "A1", { kind: "hopeless" })).toEqual(["revert A1"]);
  expect(p.reverted()).toEqual(["check"]);
  expect(p.checked(false)).toEqual(["halt or_group_exhausted"]);
  expect(p.control.stop_reason).toBe("OR group exhausted: A1");

  const below = stalled({
    atoms: [{ id: "C" }, { id: "D" }, { id: "A1" }],
    groups: [{ name: "g", choices: ["C", "D"] }],
    splits: [["C", ["A1"]]],
  });
  advise(below, "A1", { kind: "hopeless" });
  expect(below.group("g")).toMatchObject({ selected: "D", failed: ["C"] });
});

test("SPEC 4, APPLY-ADVICE-1: advice leaves a valid state that differs, or is refused with a reason; only the atom and what is new may change", () => {
  fc.assert(
    fc.property(anyState(6), fc.nat(20), fc.nat(100), (state, place, roll) => {
      const atoms = state.atoms;
      const { id = "" } = atoms[place % atoms.length] ?? {};
      const advice = adviceFor(id, roll);
      if (advice === null) return;
      const result = applyAdvice(state, id, advice, { reason: "stuck", now: NOW });
      if (!result.ok) {
        expect(result.problems[0]?.message).not.toBe("");
        return;
      }
      const { state: after, added } = result.value;
      expect(checkInvariants(after)).toEqual([]);
      expect(after).not.toEqual(state);
      expect(after.atoms.length).toBe(atoms.length + added.length);
      expect(after.objective).toBe(state.objective);
    }),
  );
});

test("QUESTION-1: once the base case is met nobody is asked, whatever iterations are judged then", () => {
  const atoms = [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }, { id: "A3" }, { id: "A4" }];
  const constraints = { max_iterations: 8, max_parallel_agents: 3, max_stall_count: 3 };
  const { lines } = walk(stateOf({ atoms, constraints }), [1386, 8096, 446, 0, 757], { planner: true });
  const met = lines.findIndex((line) => line.event === "base_case_checked" && line.verdict.passed === true);
  const judged = lines.slice(met).map(({ event }) => event);
  expect(judged).toContain("iteration_judged");
  expect(judged).not.toContain("planner_asked");
});

test("SPEC 4: with a planner that answers anything every loop halts within its fuel, and asks about each atom once", () => {
  const rolls = fc.array(fc.nat(10_000), { minLength: 5, maxLength: 200 });
  fc.assert(
    fc.property(anyState(6, { max_iterations: 8 }), rolls, (state, dice) => {
      const { loop, finished, lines, attempts } = walk(state, dice, { planner: true }, ({ after }) => {
        expect(checkInvariants(after.state)).toEqual([]);
      });
      expect(finished).toBe(true);
      expect(attempts).toBeLessThanOrEqual(8 * 3);
      expect(loop.run.halted).not.toBeNull();
      const asked = lines.flatMap((line) => (line.event === "planner_asked" ? [line.atom] : []));
      expect(new Set(asked).size).toBe(asked.length);
    }),
    { numRuns: 1_000 },
  );
});
