import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BaseCase, Check, ChecklistItem } from "../../src/core/state.ts";
import {
  allOf,
  anyOf,
  checklistOf,
  describeCheck,
  failingLeaves,
  judge,
  leavesOf,
  rubricOf,
  scoreRubric,
  type Leaf,
  type LeafResult,
  type Passed,
} from "../../src/core/verdict.ts";

const passed = fc.constantFrom<Passed>(true, false, null);
const many = fc.array(passed, { minLength: 1, maxLength: 6 });
const not = (value: Passed): Passed => (value === null ? null : !value);
const rank = (value: Passed): number => (value === false ? 0 : value === null ? 1 : 2);
const CHECK: Check = { type: "command", value: "true" };
const result = (value: Passed): LeafResult => ({ passed: value, evidence: { kind: "judgement", reason: "" } });

test("SPEC 6, VERDICT-1 VERDICT-2: a group is the least of its children, an any_of the greatest (false < null < true)", () => {
  fc.assert(
    fc.property(many, (children) => {
      expect(rank(allOf(children))).toBe(Math.min(...children.map(rank)));
      expect(rank(anyOf(children))).toBe(Math.max(...children.map(rank)));
    }),
  );
});

test("SPEC 6: group and any_of are duals, their order does not matter", () => {
  fc.assert(
    fc.property(many, fc.nat(), (children, turn) => {
      expect(anyOf(children)).toBe(not(allOf(children.map(not))));
      const turned = [...children.slice(turn % children.length), ...children.slice(0, turn % children.length)];
      expect(allOf(turned)).toBe(allOf(children));
      expect(anyOf(turned)).toBe(anyOf(children));
    }),
  );
});

const tree: fc.Arbitrary<ChecklistItem> = fc.letrec<{ node: ChecklistItem }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ item: fc.string(), check: fc.constant(CHECK) }),
    fc.record({ item: fc.string(), group: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ item: fc.string(), any_of: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
  ),
})).node;

const baseCase: fc.Arbitrary<BaseCase> = fc
  .array(tree, { minLength: 1, maxLength: 3 })
  .map((checklist) => ({ checklist }));

test("SPEC 6: a better result of one leaf never makes the verdict worse", () => {
  fc.assert(
    fc.property(baseCase, many, fc.nat(), (base, results, pick) => {
      const leaves = leavesOf(base);
      const place = leaves.map((leaf) => leaf.path.join("."));
      const given = (leaf: { readonly path: readonly number[] }): Passed =>
        results[place.indexOf(leaf.path.join(".")) % results.length] ?? null;
      const better = place[pick % place.length];
      const before = judge(base, (leaf) => result(given(leaf)));
      const after = judge(base, (leaf) => result(leaf.path.join(".") === better ? true : given(leaf)));
      expect(rank(after.passed)).toBeGreaterThanOrEqual(rank(before.passed));
    }),
  );
});

test("SPEC 6, VERDICT-3: a leaf that was not run is undecided, never passed", () => {
  fc.assert(
    fc.property(baseCase, (base) => {
      const verdict = judge(base, () => undefined);
      expect(verdict.passed).toBeNull();
      expect(verdict.skipped).toHaveLength(leavesOf(base).length);
    }),
  );
});

test("SPEC 6: failing leaves are false, and there is one whenever the verdict is false; mending them all mends it", () => {
  fc.assert(
    fc.property(baseCase, many, (base, results) => {
      let next = 0;
      const given = new Map(
        leavesOf(base).map((leaf) => [leaf.path.join("."), results[next++ % results.length] ?? null]),
      );
      const verdict = judge(base, (leaf) => result(given.get(leaf.path.join(".")) ?? null));
      const failing = failingLeaves(verdict);
      for (const leaf of failing) expect(given.get(leaf.path.join("."))).toBe(false);
      if (verdict.passed === false) expect(failing).not.toEqual([]);
      const mended = new Set(failing.map((leaf) => leaf.path.join(".")));
      const after = judge(base, (leaf) =>
        result(mended.has(leaf.path.join(".")) ? true : (given.get(leaf.path.join(".")) ?? null)),
      );
      expect(after.passed).not.toBe(false);
    }),
  );
});

test("SPEC 6: leaves come in the order of the file, with the path to each; the legacy form is a list of one", () => {
  const base: BaseCase = {
    checklist: [
      { item: "a", check: CHECK },
      {
        item: "b",
        group: [
          { item: "c", check: CHECK },
          { item: "d", any_of: [{ item: "e", check: CHECK }] },
        ],
      },
    ],
  };
  expect(leavesOf(base).map((leaf) => [leaf.item, ...leaf.path])).toEqual([
    ["a", 0],
    ["c", 1, 0],
    ["e", 1, 1, 0],
  ]);
  expect(checklistOf(CHECK)).toEqual([{ item: "command: true", check: CHECK }]);
  expect(describeCheck({ type: "quality", criteria: "readable", pass_threshold: 3 })).toBe("quality: readable");
});

test("SPEC 6: a checklist nested 1,000 deep is judged", () => {
  let item: ChecklistItem = { item: "leaf", check: CHECK };
  for (let depth = 0; depth < 1_000; depth++)
    item = depth % 2 === 0 ? { item: "g", group: [item] } : { item: "o", any_of: [item] };
  const base: BaseCase = { checklist: [item] };
  expect(leavesOf(base)[0]?.path).toHaveLength(1_001);
  const verdict = judge(base, () => result(false));
  expect(verdict.passed).toBe(false);
  expect(failingLeaves(verdict)).toHaveLength(1);
});

test("SPEC 6: a verdict needs a person's yes exactly when it is true and would not be without the assertions", () => {
  fc.assert(
    fc.property(baseCase, many, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (base, results, word) => {
      const place = leavesOf(base).map((leaf) => leaf.path.join("."));
      const at = <T>(list: readonly T[], leaf: Leaf): T | undefined =>
        list[place.indexOf(leaf.path.join(".")) % list.length];
      const given = (leaf: Leaf): LeafResult => {
        const value = at(results, leaf) ?? null;
        const marked = value === true && at(word, leaf) === true;
        return { ...result(value), ...(marked ? { requires_user_confirmation: true } : {}) };
      };
      const verdict = judge(base, given);
      const alone = judge(base, (leaf) => (given(leaf).requires_user_confirmation === true ? undefined : given(leaf)));
      expect(verdict.requires_user_confirmation).toBe(verdict.passed === true && alone.passed !== true);
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 6: a true assertion beside a true sibling of its any_of asks nobody; in a group it does", () => {
  const leaves = [
    { item: "says", check: { type: "assertion", value: "it is nice" } },
    { item: "runs", check: CHECK },
  ] as const;
  const given = (leaf: Leaf): LeafResult => ({
    ...result(true),
    ...(leaf.item === "says" ? { requires_user_confirmation: true } : {}),
  });
  const asks = (node: ChecklistItem): boolean => judge({ checklist: [node] }, given).requires_user_confirmation;
  expect(asks({ item: "either", any_of: leaves })).toBe(false);
  expect(asks({ item: "both", group: leaves })).toBe(true);
  expect(asks({ item: "nested", any_of: [{ item: "both", group: leaves }] })).toBe(true);
});

const score = (criterion: string, value: number) => ({ criterion, score: value, reason: "" });

test("SPEC 6: a missing or out-of-range score is an error that names it, not a 0", () => {
  const rubric = [{ criterion: "r" }, { criterion: "d" }];
  for (const scores of [
    [score("r", 4)],
    [score("r", 4), score("d", 0)],
    [score("r", 4), score("d", 6)],
    [score("r", 4), score("d", Number.NaN)],
  ]) {
    const judged = scoreRubric(rubric, scores, 1);
    expect(judged.passed).toBeNull();
    expect(judged.evidence).toMatchObject({ kind: "error", message: expect.stringContaining('"d"') });
  }
  expect(scoreRubric([], [], 3).passed).toBeNull();
});

test("SPEC 6: the average lies between the lowest and the highest score, and scaling the weights changes nothing", () => {
  const marks = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9 })), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(marks, fc.integer({ min: 1, max: 9 }), (list, scale) => {
      const rubric = list.map(([, weight], i) => ({ criterion: `c${i}`, weight }));
      const scores = list.map(([value], i) => score(`c${i}`, value));
      const average = (by: number): number => {
        const judged = scoreRubric(
          rubric.map((one) => ({ ...one, weight: one.weight * by })),
          scores,
          3,
        );
        return judged.evidence.kind === "scores" ? judged.evidence.average : Number.NaN;
      };
      expect(average(1)).toBeGreaterThanOrEqual(Math.min(...list.map(([value]) => value)) - 1e-9);
      expect(average(1)).toBeLessThanOrEqual(Math.max(...list.map(([value]) => value)) + 1e-9);
      expect(average(scale)).toBeCloseTo(average(1), 9);
      expect(scoreRubric(rubric, scores, average(1)).passed).toBe(true);
    }),
  );
});

test("SPEC 6: the simple form of quality is a rubric of one", () => {
  expect(rubricOf({ type: "quality", criteria: "short functions", pass_threshold: 3 })).toEqual([
    { criterion: "short functions", weight: 1 },
  ]);
});
