/** Checks that answer both ways on one tree (SPEC section 6). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeLines } from "../../src/core/decode-line.ts";
import { createRecall } from "../../src/core/journal.ts";
import { answeredOn, remember, seenOf, withFlaky, withRun, type Answers } from "../../src/core/tree-answers.ts";
import { checkNodesOf, failingLeaves, judge, type ChecklistVerdict, type LeafResult } from "../../src/core/verdict.ts";
import type { BaseCase, Check } from "../../src/core/state.ts";
import { lineOf } from "../support/lines.ts";

const command = (value: string): Check => ({ type: "command", value });
const ASSERTION: Check = { type: "assertion", value: "it reads well" };
const BOTH: BaseCase = {
  checklist: [
    { item: "a", check: command("a") },
    { item: "b", any_of: [{ item: "b", check: command("b") }] },
    { item: "c", check: ASSERTION },
  ],
};
const ran = (passed: boolean): LeafResult => ({
  passed,
  evidence: {
    kind: "command",
    command: "",
    exit_code: passed ? 0 : 1,
    timed_out: false,
    duration_ms: 1,
    output: passed ? "" : "boom",
    dropped_bytes: 0,
  },
});
const verdictOf = (a: boolean, b: boolean, c = true): ChecklistVerdict =>
  judge(BOTH, ({ item }) => ran(item === "a" ? a : item === "b" ? b : c));
const look = fc.record({ tree: fc.constantFrom("t1", "t2", "t3"), a: fc.boolean(), b: fc.boolean() });

test("SPEC 6, TREE-ANSWERS-1: a verdict is true only where every answer of every check on its tree was a pass; a contradiction is named with both answers", () => {
  fc.assert(
    fc.property(fc.array(look, { minLength: 1, maxLength: 12 }), (looks) => {
      let known: Answers = [];
      const seen: (typeof looks)[number][] = [];
      for (const { tree, a, b } of looks) {
        seen.push({ tree, a, b });
        known = remember(known, tree, verdictOf(a, b));
        const verdict = withFlaky(known, tree, verdictOf(a, b));
        const here = seen.filter((one) => one.tree === tree);
        expect(verdict.passed === true).toBe(here.every((one) => one.a && one.b));
        for (const { item, passed, evidence } of checkNodesOf(verdict.checklist)) {
          if (item === "c") continue;
          const answers = new Set(here.map((one) => (item === "a" ? one.a : one.b)));
          expect(passed).toBe(answers.size === 2 ? null : [...answers][0]);
          if (evidence.kind === "flaky")
            expect(evidence.reason).toBe(
              `answers both ways on the same tree ${tree}: failed (exit code 1: boom) and passed (exit code 0)`,
            );
        }
        expect(verdict.skipped).toEqual([]);
        // VERDICT-5: what is flaky is work, like what fails.
        expect(failingLeaves(verdict).length).toBe(
          checkNodesOf(verdict.checklist).filter((leaf) => leaf.passed !== true).length,
        );
      }
    }),
  );
});

test("TREE-ANSWERS-1: said twice, a verdict is the same", () => {
  fc.assert(
    fc.property(fc.array(look, { minLength: 1, maxLength: 8 }), (looks) => {
      let known: Answers = [];
      for (const { tree, a, b } of looks) {
        known = remember(known, tree, verdictOf(a, b));
        const judged = withFlaky(known, tree, verdictOf(a, b));
        expect(withFlaky(known, tree, judged)).toEqual(judged);
        const words = (answers: Answers): unknown =>
          answers.map(({ trees }) => trees.map(({ passes: _, fails: __, ...answer }) => answer));
        expect(words(remember(known, tree, judged))).toEqual(words(known));
      }
    }),
  );
});

test("TREE-ANSWERS-4, law: every run counts: reds where nothing passed, passes that reds made worthless, and what came first", () => {
  fc.assert(
    fc.property(fc.array(look, { minLength: 1, maxLength: 12 }), (looks) => {
      const known = looks.reduce((all: Answers, { tree, a, b }) => remember(all, tree, verdictOf(a, b)), []);
      const runs = new Map<string, boolean[]>();
      for (const { tree, a } of looks) runs.set(tree, [...(runs.get(tree) ?? []), a]);
      const trees = [...runs.values()];
      const count = (answers: readonly boolean[], kind: boolean): number =>
        answers.filter((one) => one === kind).length;
      // Once another tree was looked at, no red of the first one counts any more, but for the first.
      const others = looks.findIndex(({ tree }) => tree !== looks[0]?.tree);
      const alone = looks.slice(0, others < 0 ? looks.length : others).filter(({ a }) => !a).length;
      const first = Math.max(alone, trees[0]?.includes(false) === true ? 1 : 0);
      expect(seenOf(known, command("a"))).toEqual({
        green: looks[0]?.a,
        reds: first,
        most_reds: Math.max(0, ...trees.map((all, at) => (all.includes(true) ? 0 : at === 0 ? first : all.length))),
        chances: trees.length,
        wasted: trees.reduce((sum, answers) => sum + (answers.includes(false) ? count(answers, true) : 0), 0),
      });
    }),
  );
});

test("a check that is run again on the same files is counted as long as it agrees, then flaky", () => {
  const twice = withRun(verdictOf(true, false), verdictOf(true, false), "t");
  expect(checkNodesOf(twice.checklist)).toMatchObject([
    { passed: true, runs: 2 },
    { passed: false, runs: 2 },
    { item: "c" },
  ]);
  const [a] = checkNodesOf(withRun(twice, verdictOf(false, false), "t").checklist);
  expect(a).toMatchObject({
    passed: null,
    evidence: { kind: "flaky", answers: { passes: 2, failed: "exit code 1: boom" } },
  });
});

test("TREE-ANSWERS-3: the journal's lines give a later run the same answers, the alignment's included; --restart forgets them", () => {
  fc.assert(
    fc.property(look, fc.array(look, { maxLength: 8 }), (aligned, looks) => {
      const fold = createRecall();
      let known = remember([], aligned.tree, verdictOf(aligned.a, aligned.b));
      fold.read(lineOf({ event: "aligned", tree: aligned.tree, answers: answeredOn(known, aligned.tree) }));
      for (const { tree, a, b } of looks) {
        const verdict = verdictOf(a, b);
        known = remember(known, tree, verdict);
        fold.read(lineOf({ event: "base_case_checked", verdict, tree, answers: answeredOn(known, tree) }));
      }
      const sorted = (answers: Answers | undefined): unknown =>
        answers?.map(({ check, trees }) => [check, trees.toSorted((x, y) => x.tree.localeCompare(y.tree))]);
      expect(sorted(fold.now().memory.answers)).toEqual(sorted(known));
      fold.read(lineOf({ event: "restarted" }));
      expect(fold.now().memory.answers).toBeUndefined();
    }),
  );
});

test("TREE-ANSWERS-2: a check that a redirect changed has answered nothing yet; its item and its baseline are not what it asks", () => {
  const one = (check: Check): BaseCase => ({ checklist: [{ item: "tests", check }] });
  const red = remember(
    [],
    "t",
    judge(one({ type: "command", value: "npm test", timeout: 60 }), () => ran(false)),
  );
  const green = (check: Check): boolean | null => {
    const verdict = judge(one(check), () => ran(true));
    return withFlaky(remember(red, "t", verdict), "t", verdict).passed;
  };
  expect(green({ type: "command", value: "npm test", timeout: 60 })).toBeNull();
  expect(green({ type: "command", value: "npm test", timeout: 60, baseline: "pass" })).toBeNull();
  expect(green({ type: "command", value: "npm test", timeout: 600 })).toBe(true);
  expect(green({ type: "not_command", value: "npm test", timeout: 60 })).toBe(true);
});

test("what a judge decides is not compared", () => {
  const known = remember(remember([], "t", verdictOf(true, true, false)), "t", verdictOf(true, true, true));
  expect(seenOf(known, ASSERTION)).toMatchObject({ green: true, reds: 0, wasted: 0 });
  expect(withFlaky(known, "t", verdictOf(true, true)).passed).toBe(true);
});

test("lines that somebody else wrote teach what they hold and break nothing", () => {
  const learnt = (tree: unknown, answers: unknown): Answers => {
    const fold = createRecall();
    for (const line of decodeLines([{ event: "aligned", tree, answers }])) fold.read(line);
    return fold.now().memory.answers ?? [];
  };
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (tree, answers) => {
      for (const { trees } of learnt(tree, answers)) expect(trees).toEqual([expect.objectContaining({ tree })]);
    }),
  );
  expect(learnt("t", [null, 1, { check: 1 }, { check: "c", failed: "exit code 1", passed: 7 }])).toEqual([
    { check: "c", trees: [{ tree: "t", failed: "exit code 1" }] },
  ]);
});
