/** What is believed of a verdict (SPEC section 6). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { believed, groundsOf, toRunAgain, type Grounds } from "../../src/core/believed.ts";
import { trustOf } from "../../src/core/entrance.ts";
import { createRecall } from "../../src/core/journal.ts";
import { luckOf, TRUST } from "../../src/core/luck.ts";
import type { ChecklistItem } from "../../src/core/state.ts";
import { remember, withRun, type Answers } from "../../src/core/tree-answers.ts";
import { checkNodesOf, judge, leavesOf, type ChecklistVerdict, type LeafResult } from "../../src/core/verdict.ts";
import { lineOf } from "../support/lines.ts";

const said = (passed: boolean): LeafResult => ({
  passed,
  evidence: { kind: "file", pattern: "", matches: [], total: passed ? 1 : 0 },
});
const leaf = (name: string): ChecklistItem => ({ item: name, check: { type: "command", value: name } });
const looked = (checklist: readonly ChecklistItem[], passes: (item: string) => boolean): ChecklistVerdict =>
  judge({ checklist: [...checklist] }, ({ item }) => said(passes(item)));

/** The verdict on one tree, run again as long as it has to be; and how often each check was run. */
function verdictOn(
  tree: string,
  answers: Answers,
  checklist: readonly ChecklistItem[],
  passes: (item: string) => boolean,
  trust = TRUST,
): { readonly grounds: Grounds; readonly verdict: ChecklistVerdict; readonly runs: Readonly<Record<string, number>> } {
  const runs: Record<string, number> = {};
  const run = (some: readonly ChecklistItem[]): ChecklistVerdict => {
    for (const { item } of leavesOf({ checklist: [...some] })) runs[item] = (runs[item] ?? 0) + 1;
    return looked(some, passes);
  };
  let verdict = run(checklist);
  for (;;) {
    const grounds = groundsOf(verdict, { tree, trust, answers });
    const again = toRunAgain(verdict, grounds);
    if (again.length === 0) return { grounds, verdict: believed(verdict, grounds), runs };
    verdict = withRun(verdict, run(again), tree);
  }
}

const A = leaf("a");
const B = leaf("b");
const p = (reds: number, chances: number, trust = TRUST): number =>
  luckOf(trust, { green: false, reds, most_reds: reds, chances, wasted: 0 });
/** Red at the commit before the work, so often. */
const redBefore = (checklist: readonly ChecklistItem[], runs = 1, passes = (_: string): boolean => false): Answers => {
  const once = looked(checklist, passes);
  const often = Array.from({ length: runs - 1 }).reduce<ChecklistVerdict>((all) => withRun(all, once, "t0"), once);
  return remember([], "t0", often);
};

test("SPEC 6: red once before the work, twice green after it; how often, and the bound, are part of the verdict", () => {
  const before = verdictOn("t0", [], [A, B], (item) => item === "b");
  expect(before).toMatchObject({ runs: { a: 1, b: 1 }, verdict: { passed: false } });
  expect(before.verdict.luck).toBeUndefined();
  const after = verdictOn("t1", before.grounds.answers, [A, B], () => true);
  expect(after).toMatchObject({ runs: { a: 2, b: 1 }, verdict: { passed: true, luck: p(1, 1) } });
  expect(checkNodesOf(after.verdict.checklist).map(({ runs = 1, reds }) => [runs, reds])).toEqual([
    [2, 1],
    [1, undefined],
  ]);
  const half = verdictOn("t2", before.grounds.answers, [A, B], (item) => item === "a");
  expect(half, "no pass of a false verdict is paid for").toMatchObject({ runs: { a: 1, b: 1 } });
});

test("SPEC 6: reds before the work make the bound tighter, verdicts wider; reds of a later look at that commit nothing", () => {
  const eight = redBefore([A], 8);
  const first = verdictOn("t1", eight, [A], () => true);
  expect(first).toMatchObject({ runs: { a: 2 }, verdict: { luck: p(8, 1) } });
  expect(checkNodesOf(first.verdict.checklist)[0]).toMatchObject({ runs: 2, reds: 8 });
  const red = verdictOn("t1", eight, [A], () => false);
  const again = verdictOn("t0", red.grounds.answers, [A], () => false);
  for (const { grounds } of [red, again])
    expect(verdictOn("t2", grounds.answers, [A], () => true).verdict.luck).toBe(p(8, 2));
});

test("SPEC 6: a run keeps the trust of the one before, else of the alignment, unless somebody says another", () => {
  const fold = createRecall();
  expect(trustOf({}, fold.now().memory)).toBe(TRUST);
  fold.read(lineOf({ event: "aligned", trust: 0.05 }));
  expect(trustOf({}, fold.now().memory)).toBe(0.05);
  expect(trustOf({ trust: 0 }, fold.now().memory)).toBe(0);
  const settings = { verify_each: false, confirmed: false, trust: 0.2 };
  fold.read(lineOf({ event: "run_started", from: "pending", memory: fold.now().memory, settings }));
  expect(trustOf({}, fold.now().memory)).toBe(0.2);
});

test("BELIEVED-2: a verdict that says true with too few runs is not true", () => {
  const answers = redBefore([A]);
  const once = looked([A], () => true);
  const grounds = groundsOf(once, { tree: "t1", trust: TRUST, answers });
  expect(believed(once, grounds).passed).toBeNull();
  // Runs on the same tree count, whichever verdict they were for.
  const twice = verdictOn("t1", grounds.answers, [A], () => true);
  expect(twice).toMatchObject({ runs: { a: 1 }, verdict: { passed: true } });
});

test("BELIEVED-3: of an any_of one child is run again, and the chances add up; with a trust each child has a share", () => {
  const any = [{ item: "any", any_of: [A, B] }];
  const after = verdictOn("t1", redBefore(any, 8), any, () => true);
  expect(after).toMatchObject({ runs: { a: 2, b: 1 }, verdict: { passed: true } });
  expect(after.verdict.luck).toBeCloseTo(2 * p(8, 1), 12);
  const asked = verdictOn("t1", redBefore(any, 8), any, () => true, 0.01);
  expect(asked).toMatchObject({ runs: { a: 4, b: 1 }, verdict: { passed: true } });
  expect(asked.verdict.luck).toBeCloseTo(2 * p(8, 1, 0.005), 12);
});

test("SPEC 6: what was flaky on one tree has to pass four times more on the next one, and is null as long as it does not", () => {
  let run = 0;
  const flaky = verdictOn("t1", redBefore([A], 4), [A], () => ++run < 2);
  expect(flaky).toMatchObject({ runs: { a: 2 }, verdict: { passed: null } });
  expect(checkNodesOf(flaky.verdict.checklist)[0]?.evidence).toMatchObject({ kind: "flaky" });
  const mended = verdictOn("t2", flaky.grounds.answers, [A], () => true);
  expect(mended).toMatchObject({ runs: { a: 6 }, verdict: { passed: true, luck: p(4, 2) } });
});

test("LUCK-4: what was flaky before the work is null, until it was red four times on one tree", () => {
  const flaky = groundsOf(
    looked([A], () => true),
    { tree: "t0", trust: TRUST, answers: redBefore([A], 3) },
  ).answers;
  const green = verdictOn("t1", flaky, [A], () => true);
  expect(green).toMatchObject({ runs: { a: 1 }, verdict: { passed: null } });
  expect(checkNodesOf(green.verdict.checklist)[0]?.evidence).toMatchObject({ kind: "flaky" });
  const red = verdictOn("t2", green.grounds.answers, [A], () => false);
  expect(red).toMatchObject({ runs: { a: 4 }, verdict: { passed: false } });
  expect(verdictOn("t3", red.grounds.answers, [A], () => true)).toMatchObject({
    runs: { a: 6 },
    verdict: { passed: true },
  });
});

test("BELIEVED-4: a loop that was not aligned pays for the reds that a trust wants where it first fails", () => {
  const first = verdictOn("t1", [], [A], () => false, 0.01);
  expect(first.runs).toEqual({ a: 4 });
  expect(verdictOn("t2", first.grounds.answers, [A], () => false, 0.01).runs).toEqual({ a: 1 });
  expect(verdictOn("t1", [], [A], () => false).runs).toEqual({ a: 1 });
  expect(verdictOn("t3", [], [A], () => true)).toMatchObject({ runs: { a: 1 }, verdict: { passed: true } });
});

const tree: fc.Memo<ChecklistItem> = fc.memo((depth) =>
  depth <= 1
    ? fc.constantFrom("a", "b", "c", "d").map(leaf)
    : fc.oneof(
        tree(1),
        fc.array(tree(depth - 1), { minLength: 1, maxLength: 3 }).map((group) => ({ item: "all", group })),
        fc.array(tree(depth - 1), { minLength: 1, maxLength: 3 }).map((any_of) => ({ item: "any", any_of })),
      ),
);

test("law: whatever the base case and the answers, runs end, a true verdict says at most the trust, and needs no more runs", () => {
  fc.assert(
    fc.property(
      fc.array(tree(3), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 0.01, 0.1, TRUST),
      fc.array(fc.constantFrom(0, 0.5, 0.9, 1), { minLength: 4, maxLength: 4 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
      (checklist, trust, rates, lots) => {
        let answers: Answers = [];
        for (const name of ["t0", "t1", "t2"]) {
          const answer = (item: string): boolean => (lots.next().value ?? 0) < (rates["abcd".indexOf(item)] ?? 0);
          const { grounds, verdict } = verdictOn(name, answers, checklist, answer, trust);
          ({ answers } = grounds);
          if (verdict.luck !== undefined) expect(verdict.luck).toBeLessThanOrEqual(trust);
          expect(believed(verdict, grounds).passed).toBe(verdict.passed);
          if (verdict.passed !== true) expect(verdict.luck).toBeUndefined();
        }
      },
    ),
  );
});
