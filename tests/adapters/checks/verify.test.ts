import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createChecker } from "../../../src/adapters/checks/checker.ts";
import { createProgress, verifyBaseCase, type Judgement } from "../../../src/adapters/checks/verify.ts";
import type { BaseCase, Check, ChecklistItem } from "../../../src/core/state.ts";
import { judge as combine, leavesOf, type Leaf, type LeafResult, type Passed } from "../../../src/core/verdict.ts";
import type { Checker, Judge } from "../../../src/loop/ports.ts";

vi.setConfig({ testTimeout: 60_000 });

const never = new AbortController().signal;
const undecided = (reason: string): LeafResult["evidence"] => ({ kind: "undecided", reason });

/** A leaf's value says what its verdict will be: "true", "false" or "null". */
function says(leaf: Leaf): Passed {
  const { check } = leaf;
  return check.type === "quality"
    ? null
    : (({ true: true, false: false } as Record<string, Passed>)[check.value] ?? null);
}
const answers = (leaf: Leaf): LeafResult => ({ passed: says(leaf), evidence: undecided("as told") });

function ports(): { asked: Leaf[]; ran: Leaf[]; checker: Checker; judge: Judge } {
  const asked: Leaf[] = [];
  const ran: Leaf[] = [];
  return {
    asked,
    ran,
    checker: { run: (leaf) => Promise.resolve((ran.push(leaf), answers(leaf))) },
    judge: { judge: (leaf) => Promise.resolve((asked.push(leaf), answers(leaf))) },
  };
}

const mechanical = fc.constantFrom<Check>(
  { type: "command", value: "true" },
  { type: "command", value: "false" },
  { type: "not_file", value: "true" },
  { type: "not_file", value: "false" },
);
const judged = fc.constantFrom("true", "false", "null").map((value): Check => ({ type: "assertion", value }));
const { tree } = fc.letrec<{ tree: ChecklistItem; list: ChecklistItem[] }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ item: fc.constant("leaf"), check: fc.oneof(mechanical, judged) }),
    fc.record({ item: fc.constant("all"), group: tie("list") }),
    fc.record({ item: fc.constant("any"), any_of: tie("list") }),
  ),
  list: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
}));
const baseCase: fc.Arbitrary<BaseCase> = fc
  .array(tree, { minLength: 1, maxLength: 3 })
  .map((checklist) => ({ checklist }));

test("SPEC 6: asking only what can still change the verdict never changes the verdict", async () => {
  await fc.assert(
    fc.asyncProperty(baseCase, async (goal) => {
      const { checker, judge } = ports();
      const verdict = await verifyBaseCase(goal, "/", { checker, judge, signal: never });
      expect(verdict.passed).toBe(combine(goal, answers).passed);
    }),
    { numRuns: 500 },
  );
});

test("SPEC 6: each question to the judge could have changed the verdict; mechanical leaves all ran before", async () => {
  await fc.assert(
    fc.asyncProperty(baseCase, async (goal) => {
      const { asked, ran, checker } = ports();
      const known = new Map<string, LeafResult>();
      const judge: Judge = {
        judge(leaf) {
          expect(ran.length).toBe(leavesOf(goal).filter((l) => l.check.type !== "assertion").length);
          ran.forEach((l) => known.set(String(l.path), answers(l)));
          // By brute force: some answers of the other open leaves leave it to this one.
          const open = leavesOf(goal).filter((l) => !known.has(String(l.path)) && String(l.path) !== String(leaf.path));
          const outcomes = (mine: Passed): Passed[] =>
            assignments(open.length).map(
              (values) =>
                combine(goal, (l) => {
                  if (String(l.path) === String(leaf.path)) return { passed: mine, evidence: undecided("") };
                  const index = open.findIndex((o) => String(o.path) === String(l.path));
                  return index < 0
                    ? known.get(String(l.path))
                    : { passed: values[index] ?? null, evidence: undecided("") };
                }).passed,
            );
          const [yes, no] = [outcomes(true), outcomes(false)];
          if (open.length <= 8) expect(yes.some((verdict, i) => verdict !== no[i])).toBe(true);
          asked.push(leaf);
          // Who is asked at the same time does not know it yet.
          return Promise.resolve(answers(leaf)).then((answer) => (known.set(String(leaf.path), answer), answer));
        },
      };
      await verifyBaseCase(goal, "/", { checker, judge, signal: never });
      const order = leavesOf(goal).map((l) => String(l.path));
      const indices = asked.map((l) => order.indexOf(String(l.path)));
      expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});

/** Every way to set `n` booleans; for more than 8 just two of them. */
function assignments(n: number): boolean[][] {
  if (n > 8) return [Array.from({ length: n }, () => true), Array.from({ length: n }, () => false)];
  return Array.from({ length: 2 ** n }, (_, bits) => Array.from({ length: n }, (_, i) => (bits & (1 << i)) !== 0));
}

test("SPEC 6: without a judge the verdict is that of the mechanical leaves, the rest skipped", async () => {
  await fc.assert(
    fc.asyncProperty(baseCase, async (goal) => {
      const { checker } = ports();
      const verdict = await verifyBaseCase(goal, "/", { checker, signal: never });
      expect(verdict).toEqual(combine(goal, (leaf) => (leaf.check.type === "assertion" ? undefined : answers(leaf))));
    }),
  );
});

test("mechanical checks run in order, one at a time", async () => {
  const goal: BaseCase = {
    checklist: Array.from({ length: 3 }, (_, i) => ({ item: `c${i}`, check: { type: "command", value: "true" } })),
  };
  const seen: string[] = [];
  const checker: Checker = {
    async run(leaf) {
      seen.push(`${leaf.item} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${leaf.item} ends`);
      return answers(leaf);
    },
  };
  expect((await verifyBaseCase(goal, "/", { checker, signal: never })).passed).toBe(true);
  expect(seen).toEqual(["c0", "c1", "c2"].flatMap((item) => [`${item} begins`, `${item} ends`]));
});

const rubric = [
  { criterion: "Readability", weight: 0.4 },
  { criterion: "Design", weight: 0.4 },
];
const quality: BaseCase = { checklist: [{ item: "Code", check: { type: "quality", rubric, pass_threshold: 3.5 } }] };
const scored = (readability: number, design?: number): LeafResult => ({
  // The judge's own word is always wrong here: it must not count.
  passed: readability < 3.5,
  evidence: {
    kind: "scores",
    average: 99,
    threshold: 0,
    scores: [
      { criterion: "Readability", score: readability, reason: "r" },
      ...(design === undefined ? [] : [{ criterion: "Design", score: design, reason: "d" }]),
    ],
  },
});
const judgeOf = (answer: Judgement): Judge => ({ judge: () => Promise.resolve(answer) });

test.each([
  [scored(4, 3), true, "scores"],
  [scored(3, 3), false, "scores"],
  [scored(5), null, "error"],
  [scored(5, 6), null, "error"],
  [{ passed: true, evidence: { kind: "judgement", reason: "looks good" } } as const, null, "error"],
  [{ passed: null, evidence: undecided("could not read") } as const, null, "undecided"],
])("SPEC 6: the quality verdict is computed from the scores, by code (%#)", async (answer, passed, kind) => {
  const { checker } = ports();
  for (const options of [{ judge: judgeOf(answer) }, { given: () => answer }]) {
    const verdict = await verifyBaseCase(quality, "/", { checker, signal: never, ...options });
    expect(verdict.passed).toBe(passed);
    expect(verdict.checklist[0]).toMatchObject({ passed, evidence: { kind } });
  }
});

test("SPEC 6: an assertion that is true requires a person's confirmation; one that is false does not", async () => {
  const { checker, judge } = ports();
  const goal = (value: string): BaseCase => ({ type: "assertion", value });
  expect(await verifyBaseCase(goal("true"), "/", { checker, judge, signal: never })).toMatchObject({
    passed: true,
    requires_user_confirmation: true,
  });
  expect(await verifyBaseCase(goal("false"), "/", { checker, judge, signal: never })).toMatchObject({
    passed: false,
    requires_user_confirmation: false,
  });
  const given = (): LeafResult => ({
    passed: true,
    evidence: { kind: "judgement", reason: "a person said so" },
    requires_user_confirmation: false,
  });
  expect(await verifyBaseCase(goal("null"), "/", { checker, given, signal: never })).toMatchObject({
    passed: true,
    requires_user_confirmation: false,
  });
});

test("SPEC 6: what is given never is used for a mechanical check", async () => {
  const { checker, ran } = ports();
  const given = (): LeafResult => ({ passed: true, evidence: { kind: "judgement", reason: "trust me" } });
  expect(
    (await verifyBaseCase({ type: "command", value: "false" }, "/", { checker, given, signal: never })).passed,
  ).toBe(false);
  expect(ran).toHaveLength(1);
  const stopped = await verifyBaseCase({ type: "command", value: "true" }, "/", {
    checker,
    given,
    signal: AbortSignal.abort(),
  });
  expect(stopped.passed).toBeNull();
});

test("a judge that is not there is not asked for more; its answer is passed on", async () => {
  const { checker } = ports();
  const goal: BaseCase = {
    checklist: [
      { item: "either", any_of: ["a", "b"].map((item) => ({ item, check: { type: "assertion", value: "null" } })) },
    ],
  };
  const reported: Judgement[] = [];
  let calls = 0;
  const judge: Judge = {
    judge: () =>
      Promise.resolve((calls++, { passed: null, evidence: undecided("not logged in"), unavailable: "not logged in" })),
  };
  const verdict = await verifyBaseCase(goal, "/", {
    checker,
    judge,
    signal: never,
    onJudged: (_, judgement) => reported.push(judgement),
  });
  expect(calls).toBe(1);
  expect(reported).toMatchObject([{ unavailable: "not logged in" }]);
  expect(verdict).toMatchObject({ passed: null, skipped: ["a", "b"] });
});

test("when the signal aborts nothing more is run or asked, and what is left is undecided", async () => {
  const controller = new AbortController();
  const { asked, judge } = ports();
  const goal: BaseCase = {
    checklist: [
      { item: "a", check: { type: "command", value: "true" } },
      { item: "b", check: { type: "command", value: "true" } },
      { item: "c", check: { type: "assertion", value: "true" } },
    ],
  };
  const checker: Checker = { run: (leaf) => Promise.resolve((controller.abort(), answers(leaf))) };
  const verdict = await verifyBaseCase(goal, "/", { checker, judge, signal: controller.signal });
  expect(verdict).toMatchObject({ passed: null, skipped: ["b", "c"] });
  expect(asked).toEqual([]);
});

test("SPEC 4, 6: four judgements at a time share what is left, and what they cost is not there for the next", async () => {
  const left: unknown[] = [];
  let [now, peak] = [0, 0];
  const judge: Judge = {
    judge: async (leaf, _dir, _signal, { budget_usd, budget_tokens } = {}) => {
      left.push([budget_usd, budget_tokens]);
      peak = Math.max(peak, ++now);
      // The first to be asked is the last to answer.
      for (let turn = leaf.path[0] ?? 0; turn < 9; turn++) await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      const evidence = { kind: "judgement", reason: leaf.item } as const;
      return { passed: true, evidence, usage: { cost_usd: 1, output_tokens: 2 } };
    },
  };
  const leaf = (item: string) => ({ item, check: { type: "assertion", value: item } as const });
  const goal = { checklist: ["a", "b", "c", "d", "e"].map(leaf) };
  const given = { checker: createChecker(), judge, signal: never, left: { budget_usd: 8, budget_tokens: 11 } };
  const { checklist } = await verifyBaseCase(goal, "/", given);
  expect(left).toEqual([...Array.from({ length: 4 }, () => [2, 2]), [4, 3]]);
  expect(peak).toBe(4);
  expect(checklist).toMatchObject(["a", "b", "c", "d", "e"].map((reason) => ({ item: reason, evidence: { reason } })));
});

test("SPEC 7, VERIFY-6: a verification in parts comes to the same; no check runs twice, and files are looked at once, before", async () => {
  await fc.assert(
    fc.asyncProperty(baseCase, fc.array(fc.boolean(), { maxLength: 12 }), async (goal, away) => {
      const whole = await verifyBaseCase(goal, "/", { ...ports(), signal: never });
      const { ran, asked, checker, judge } = ports();
      let looks = 0;
      let absent = 0;
      const patchy: Judge = {
        look: () => Promise.resolve((looks++, expect(ran).toEqual([]))),
        judge: (leaf, ...rest) =>
          away.shift() === true
            ? Promise.resolve((absent++, { passed: null, evidence: undecided("429"), unavailable: "429" }))
            : judge.judge(leaf, ...rest),
      };
      const progress = createProgress();
      let verdict = null;
      let parts = 0;
      for (let unavailable = true; unavailable; parts++) {
        unavailable = false;
        const onJudged = (_: Leaf, { unavailable: why }: Judgement): void => void (unavailable ||= why !== undefined);
        verdict = await verifyBaseCase(goal, "/", { checker, judge: patchy, signal: never, progress, onJudged });
        if (unavailable) expect(verdict.passed).not.toBe(true);
      }
      // Who answered beside one that was not there may have made that question needless.
      expect(verdict?.passed).toBe(whole.passed);
      expect(parts).toBeLessThanOrEqual(absent + 1);
      expect(new Set(ran.map(({ path }) => path.join())).size).toBe(ran.length);
      expect(new Set(asked.map(({ path }) => path.join())).size).toBe(asked.length);
      expect(looks).toBeLessThanOrEqual(1);
    }),
  );
});
