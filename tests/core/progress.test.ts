/** What counts as progress, and what a stall costs (SPEC sections 4 and 5). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ProposedAtom } from "../../src/core/event.ts";
import { comparedWith, judgeIteration, moveCompared, movementOf, type Compared } from "../../src/core/progress.ts";
import { INITIAL_CONTROL, type Control, type State } from "../../src/core/state.ts";
import { judge, type Passed } from "../../src/core/verdict.ts";
import { NOW, stateOf } from "../support/loops.ts";
import { play, type Play } from "../support/play.ts";

/** A loop whose base case has so many file checks. */
function checks(count: number, state: State): State {
  const checklist = Array.from({ length: count }, (_, i) => ({
    item: `file ${i}`,
    check: { type: "file" as const, value: `f${i}` },
  }));
  return { ...state, objective: { ...state.objective, base_case: { checklist } } };
}

/** The base case is checked: the first `green` leaves pass. */
function checkedGreen(p: Play, green: number): string[] {
  let leaf = 0;
  const verdict = judge(p.loop.state.objective.base_case, () => {
    const passed: Passed = leaf++ < green;
    return { passed, evidence: { kind: "judgement", reason: "" } };
  });
  return p.send({ type: "base_case_checked", at: NOW, verdict, commit: "c" });
}

const plan = (p: Play, atoms: readonly ProposedAtom[]): string[] =>
  p.send({ type: "replanned", at: NOW, atoms, reason: "red" });

/** Every attempt succeeds at once; after each verdict the planner adds `atoms`. @returns iterations and outcome */
function rounds(p: Play, atoms: number, greenAt: (round: number) => number): { readonly outcome: string | null } {
  let round = 0;
  for (let events = 0; p.loop.run.halted === null && events < 500; events++) {
    const [first] = p.loop.run.attempts;
    if (first !== undefined) p.done(first.attempt.id);
    else if (p.loop.run.check !== null) checkedGreen(p, greenAt(round++));
    else if (p.loop.run.reverting > 0) p.send({ type: "work_reverted", at: NOW, commit: "r", lost: [] });
    else
      plan(
        p,
        Array.from({ length: atoms }, (_, i) => ({ description: `repair ${round}.${i}` })),
      );
  }
  return { outcome: p.loop.run.halted };
}

test("SPEC 4: a planner that turns one more check green each round makes progress, whatever its plans add", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), (parallel, atoms) => {
      const constraints = { max_iterations: 40, max_parallel_agents: parallel };
      const p = play(checks(6, stateOf({ atoms: [{ id: "A1" }], constraints })));
      expect(rounds(p, atoms, (round) => round)).toEqual({ outcome: "verified" });
    }),
  );
});

test("SPEC 4: an agent that claims success without turning any check green is stopped as stalled", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), (parallel, atoms) => {
      const constraints = { max_iterations: 40, max_parallel_agents: parallel };
      const p = play(checks(6, stateOf({ atoms: [{ id: "A1" }], constraints })));
      expect(rounds(p, atoms, () => 2)).toEqual({ outcome: "stalled" });
      // The one atom claims it three times before there is a plan.
      expect(p.control.iteration).toBeLessThanOrEqual(3 + 4 * Math.ceil(atoms / parallel));
    }),
  );
});

test("SPEC 5: an iteration has at most one attempt of each atom: a hopeless one is stopped after four", () => {
  const p = play(stateOf({ atoms: [{ id: "A1" }] }));
  for (const [attempt, next] of [
    ["A1.1", "start A1.2"],
    ["A1.2", "start A1.3"],
    ["A1.3", "start A1.4"],
  ] as const)
    expect(p.fail(attempt)).toEqual([`shelve ${attempt}`, next]);
  expect(p.control.iteration).toBe(4);
  expect(p.fail("A1.4")).toEqual(["shelve A1.4", "halt stalled"]);
});

test("SPEC 5: what becomes executable takes what is left of the open iteration, what failed in it does not", () => {
  const p = play(stateOf({ atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3", depends_on: ["A2"] }] }));
  expect(p.first).toEqual(["start A2.1", "start A1.1"]);
  p.succeed("A2.1");
  expect(p.integrated("A2.1")).toEqual(["start A3.1"]);
  expect(p.control.iteration).toBe(1);
  expect(p.fail("A1.1")).toEqual(["shelve A1.1", "start A1.2"]);
  expect(p.control.iteration).toBe(2);
});

const compared: fc.Arbitrary<Compared> = fc
  .record({
    before: fc.integer({ min: -1, max: 9 }),
    above: fc.nat(5),
    failing: fc.option(fc.nat(4)),
    credited: fc.boolean(),
  })
  .map(({ before, above, failing, credited }) => ({ before, low: Math.max(-1, before - above), failing, credited }));

test("SPEC 4, PROGRESS-1: progress is a measure below the low water or a verdict with fewer failing leaves, and nothing else clears the count", () => {
  fc.assert(
    fc.property(
      compared,
      fc.nat(9),
      fc.option(fc.nat(4), { nil: undefined }),
      fc.nat(5),
      (known, measure, fewest, stalls) => {
        const green = fewest !== undefined && known.failing !== null && fewest < known.failing;
        const control: Control = {
          ...INITIAL_CONTROL,
          stall_count: stalls,
          ...(fewest === undefined ? {} : { fewest_failing: fewest }),
        };
        const { movement, control: after } = judgeIteration(control, known, measure);
        expect(movement).toBe(movementOf(known, measure, fewest));
        expect(movement === "progress").toBe(green || (known.before >= 0 && measure < known.low));
        const count = { first: stalls, progress: 0, neutral: stalls, stall: stalls + 1, expansion: stalls + 1 }[
          movement
        ];
        expect(after.stall_count).toBe(count);
        expect(after.prev_pending_count).toBe(measure);
      },
    ),
  );
});

test("SPEC 4, PROGRESS-2: the low water never rises but with what is credited, and then by as much", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(3)), { minLength: 1, maxLength: 12 }), (history) => {
      let control: Control = INITIAL_CONTROL;
      let lowest = Infinity;
      for (const [measure, added] of history) {
        control = judgeIteration(control, comparedWith(control), measure).control;
        lowest = Math.min(lowest, measure);
        expect(control.low_water).toBe(lowest);
        control = moveCompared(control, added);
        lowest += added;
      }
    }),
  );
});

test("SPEC 4: a state file without a low water is gone on with: its last measure stands for it", () => {
  const control = { ...INITIAL_CONTROL, prev_pending_count: 4 };
  expect(comparedWith(control)).toMatchObject({ before: 4, low: 4, failing: null });
});

test("SPEC 4: a stall names the atom that failed most often, and says what to do about it once", () => {
  const p = play(
    stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }], constraints: { max_stall_count: 4 } }),
  );
  const judged = (): unknown => p.facts.find((fact) => fact.fact === "iteration_judged");
  p.fail("A1.1");
  expect(judged()).toMatchObject({ movement: "first" });
  p.fail("A1.2");
  expect(judged()).toMatchObject({
    movement: "stall",
    stall_count: 1,
    blamed: "A1",
    advice: expect.stringMatching(/aot logs A1 --events/),
  });
  p.fail("A1.3");
  expect(judged()).toMatchObject({ movement: "stall", stall_count: 2, blamed: "A1" });
  expect(judged()).not.toHaveProperty("advice");
});

/** One slot: the atom fails so often, then it is done. */
function failsThenDone(p: Play, atom: string, failures: number): void {
  for (let number = 1; number <= failures; number++) p.fail(`${atom}.${number}`);
  p.done(`${atom}.${failures + 1}`);
}

test("SPEC 4, BLAME-2: a first failure is no stall; where a resolved atom took several attempts, as many again are none", () => {
  fc.assert(
    fc.property(fc.nat(3), fc.integer({ min: 1, max: 3 }), (failures, limit) => {
      const constraints = { max_iterations: 40, max_parallel_agents: 1, max_stall_count: Math.max(limit, failures) };
      const p = play(stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }], constraints }));
      failsThenDone(p, "A1", failures);
      const patience = failures === 0 ? 1 : 2 * (failures + 1);
      for (let number = 1; number <= patience; number++) p.fail(`A2.${number}`);
      expect([p.control.stall_count, p.loop.run.halted]).toEqual([0, null]);
      p.fail(`A2.${patience + 1}`);
      expect(p.control.stall_count).toBe(1);
    }),
  );
});

test("SPEC 4, BLAME-2: a run of nothing but failures stops all the same, after so many stalls and a first failure of each atom", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), (atoms, limit) => {
      const constraints = { max_iterations: 60, max_parallel_agents: 1, max_stall_count: limit };
      const p = play(stateOf({ atoms: Array.from({ length: atoms }, (_, i) => ({ id: `A${i + 1}` })), constraints }));
      for (let events = 0; p.loop.run.halted === null && events < 100; events++)
        p.fail(p.loop.run.attempts[0]?.attempt.id ?? "");
      expect(p.loop.run.halted).toBe("stalled");
      expect(p.control.iteration).toBeLessThanOrEqual(1 + atoms + limit);
    }),
  );
});

test("SPEC 4, BLAME-1: splitting deeper than twice is credited where every deeper split before is done, so that splitting without end is no more than once", () => {
  const constraints = { max_iterations: 40, max_parallel_agents: 1, max_stall_count: 9 };
  const split = (p: Play, atom: string): void => {
    const children = ["x", "y"].map((part) => ({ id: `${atom}${part}`, description: part }));
    p.send({ type: "work_split", at: NOW, attempt: `${atom}.1`, children, reason: "large" });
  };
  const deep = (): Play => {
    const p = play(stateOf({ atoms: [{ id: "A" }], constraints }));
    for (const atom of ["A", "Ax", "Axx"]) split(p, atom);
    return p;
  };
  const endless = deep();
  expect(endless.control.stall_count).toBe(0);
  split(endless, "Axxx");
  expect(endless.control.stall_count).toBe(1);
  const ending = deep();
  ending.done("Axxx.1");
  ending.done("Axxy.1");
  split(ending, "Axy");
  expect(ending.control.stall_count).toBe(0);
});
