/** What is believed of a verdict (SPEC section 6). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { believed, groundsOf, toRunAgain, type Grounds } from "../../src/core/believed.ts";
import { trustOf } from "../../src/core/entrance.ts";
import { createRecall } from "../../src/core/journal.ts";
import { runPlan } from "../../src/core/luck.ts";
import type { ChecklistItem } from "../../src/core/state.ts";
import type { Answers } from "../../src/core/tree-answers.ts";
import { withRun } from "../../src/core/tree-answers.ts";
import { checkNodesOf, judge, leavesOf, type ChecklistVerdict, type LeafResult } from "../../src/core/verdict.ts";
import { lineOf } from "../support/lines.ts";

const TRUST = 0.01;
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
const { reds, passes, p } = runPlan(TRUST);

test("SPEC 6: what is red is run again before the work, and what passes after it; the bound is part of the verdict", () => {
  const before = verdictOn("t0", [], [A, B], (item) => item === "b");
  expect(before).toMatchObject({ runs: { a: reds, b: 1 }, verdict: { passed: false } });
  expect(before.verdict.luck).toBeUndefined();
  const after = verdictOn("t1", before.grounds.answers, [A, B], () => true);
  expect(after).toMatchObject({ runs: { a: passes, b: 1 }, verdict: { passed: true, luck: p } });
  const half = verdictOn("t2", before.grounds.answers, [A, B], (item) => item === "a");
  expect(half, "no pass of a false verdict is paid for").toMatchObject({ runs: { a: 1, b: 1 } });
});

test("SPEC 6: a run keeps the trust of the one before, else of the alignment, unless somebody says another", () => {
  const fold = createRecall();
  expect(trustOf({}, fold.now().memory)).toBe(0.01);
  fold.read(lineOf({ event: "aligned", trust: 0.05 }));
  expect(trustOf({}, fold.now().memory)).toBe(0.05);
  expect(trustOf({ trust: 0 }, fold.now().memory)).toBe(0);
  const settings = { verify_each: false, confirmed: false, trust: 0.2 };
  fold.read(lineOf({ event: "run_started", from: "pending", memory: fold.now().memory, settings }));
  expect(trustOf({}, fold.now().memory)).toBe(0.2);
});

test("SPEC 6: trust 0 runs each check once, and says no bound", () => {
  const before = verdictOn("t0", [], [A], () => false, 0);
  const after = verdictOn("t1", before.grounds.answers, [A], () => true, 0);
  expect([before.runs, after.runs]).toEqual([{ a: 1 }, { a: 1 }]);
  expect(after.verdict).toMatchObject({ passed: true });
  expect(after.verdict.luck).toBeUndefined();
});

test("BELIEVED-2: a verdict that says true with too few runs is not true", () => {
  const before = verdictOn("t0", [], [A], () => false);
  const once = looked([A], () => true);
  const verdict = believed(
    once,
    groundsOf(once, before.grounds.tree === "t0" ? { ...before.grounds, tree: "t1" } : before.grounds),
  );
  expect(verdict.passed).toBeNull();
  // Runs on the same tree count, whichever verdict they were for.
  const twice = verdictOn("t1", groundsOf(once, { ...before.grounds, tree: "t1" }).answers, [A], () => true);
  expect(twice).toMatchObject({ runs: { a: passes - 1 }, verdict: { passed: true } });
});

test("BELIEVED-3: of an any_of each child has a share, one of them is run again, and the chances add up", () => {
  const any = [{ item: "any", any_of: [A, B] }];
  const share = runPlan(TRUST / 2);
  const before = verdictOn("t0", [], any, () => false);
  expect(before.runs).toEqual({ a: share.reds, b: share.reds });
  const after = verdictOn("t1", before.grounds.answers, any, () => true);
  expect(after.runs).toEqual({ a: share.passes, b: 1 });
  expect(after.verdict.passed).toBe(true);
  expect(after.verdict.luck).toBeCloseTo(2 * (share.p ?? 0), 12);
  expect(after.verdict.luck).toBeLessThanOrEqual(TRUST);
});

test("SPEC 6: what was flaky on one tree has to pass more often on the next one, and is null as long as it does not", () => {
  const before = verdictOn("t0", [], [A], () => false);
  let run = 0;
  const flaky = verdictOn("t1", before.grounds.answers, [A], () => ++run < 3);
  expect(flaky).toMatchObject({ runs: { a: 3 }, verdict: { passed: null } });
  expect(checkNodesOf(flaky.verdict.checklist)[0]?.evidence).toMatchObject({ kind: "flaky" });
  const mended = verdictOn("t2", flaky.grounds.answers, [A], () => true);
  expect(mended).toMatchObject({
    runs: { a: passes + 2 * runPlan(TRUST).penalty },
    verdict: { passed: true, luck: p },
  });
});

test("BELIEVED-4: a loop that was not aligned pays for its reds where it first fails", () => {
  const first = verdictOn("t1", [], [A], () => false);
  expect(first.runs).toEqual({ a: reds });
  expect(verdictOn("t2", first.grounds.answers, [A], () => false).runs).toEqual({ a: 1 });
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
      fc.constantFrom(0, 0.01, 0.1),
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
