import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  bears,
  judgeAgreed,
  judgeTests,
  testLines,
  type CommandCheck,
  type Tally,
  type TestBaseline,
  type TestReport,
  type TestVerdict,
} from "../../src/core/test-report.ts";

type Outcome = keyof Tally;

const NO_WORSE: CommandCheck = { type: "command", value: "npm test", expect: "no_worse" };
const PLAIN: CommandCheck = { type: "command", value: "npm test" };

function report(tests: Readonly<Record<string, Outcome>>, errors: readonly string[] = []): TestReport {
  const none = { passed: 0, failed: 0, skipped: 0 };
  const map = new Map(Object.entries(tests).map(([name, outcome]) => [name, { ...none, [outcome]: 1 }]));
  return { format: "tap", tests: map, errors, incomplete: null };
}

function exitOf({ tests, errors }: TestReport): number {
  return [...tests.values()].some(({ failed }) => failed > 0) || errors.length > 0 ? 1 : 0;
}

function before(tests: Readonly<Record<string, Outcome>>, errors: readonly string[] = []): TestBaseline {
  const now = report(tests, errors);
  return { ...now, exit_code: exitOf(now) };
}

function judged(check: CommandCheck, now: TestReport, was: TestBaseline): TestVerdict {
  return judgeTests(check, { exit_code: exitOf(now), report: now }, was);
}

const outcome = fc.constantFrom<Outcome>("passed", "failed", "skipped");
const outcomes = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), outcome);

test("TEST-REPORT-2, 3: no_worse passes exactly when each test that passed passes, and none is gone or newly skipped", () => {
  fc.assert(
    fc.property(outcomes, outcomes, (was, now) => {
      const worse = Object.entries(was).some(([name, then]) => {
        const [today] = [now[name]];
        if (today === undefined) return true;
        if (then === "passed") return today !== "passed";
        return then === "failed" && today === "skipped";
      });
      return judged(NO_WORSE, report(now), before(was)).passed === !worse;
    }),
  );
});

test("TEST-REPORT-2: whatever is expected, a test that is gone or newly skipped is named, and nothing passes by it", () => {
  fc.assert(
    fc.property(outcomes, outcomes, fc.constantFrom(PLAIN, NO_WORSE), (was, now, check) => {
      const gone = Object.keys(was).filter((name) => now[name] === undefined);
      const skipped = Object.keys(was).filter((name) => now[name] === "skipped" && was[name] !== "skipped");
      const { passed, tests } = judged(check, report(now), before(was));
      expect(tests?.vanished?.names ?? []).toEqual(gone);
      expect(tests?.newly_skipped?.names ?? []).toEqual(skipped);
      return !(passed && gone.length + skipped.length > 0);
    }),
  );
});

test("what allow_removed names may go", () => {
  fc.assert(
    fc.property(outcomes, outcomes, (was, now) => {
      const allowed = judged({ ...NO_WORSE, allow_removed: ["*"] }, report(now), before(was));
      const kept = Object.fromEntries(Object.entries(was).filter(([name]) => (now[name] ?? "skipped") !== "skipped"));
      return allowed.passed === judged(NO_WORSE, report(now), before(kept)).passed;
    }),
  );
});

test("TEST-REPORT-1: a forged line that says passed hides no failure of that name", () => {
  const forged: TestReport = {
    ...report({ stays: "passed" }),
    tests: new Map([
      ["stays", { passed: 1, failed: 0, skipped: 0 }],
      ["wanted", { passed: 1, failed: 1, skipped: 0 }],
    ]),
  };
  const was = before({ stays: "passed", wanted: "failed" });
  expect(judged({ ...NO_WORSE, must_pass: ["wanted"] }, forged, was).passed).toBe(false);
  const broken: TestReport = {
    ...forged,
    tests: new Map([
      ["stays", { passed: 1, failed: 1, skipped: 0 }],
      ["wanted", { passed: 1, failed: 0, skipped: 0 }],
    ]),
  };
  expect(judged(NO_WORSE, broken, was).passed).toBe(false);
});

test("TEST-REPORT-4: an exit code that contradicts the report, a cut report and none at all are no pass", () => {
  const was = before({ a: "passed", b: "failed" });
  const green = report({ a: "passed", b: "passed" });
  const red = report({ a: "passed", b: "failed" });
  expect(judgeTests(NO_WORSE, { exit_code: 0, report: green }, was).passed).toBe(true);
  expect(judgeTests(NO_WORSE, { exit_code: 1, report: red }, was).passed).toBe(true);
  for (const run of [
    { exit_code: 1, report: green },
    { exit_code: 0, report: red },
    { exit_code: 0, report: { ...green, incomplete: "it has no plan" } },
    { exit_code: 0, report: "no test report can be read from its output" },
  ]) {
    const { passed, note } = judgeTests(NO_WORSE, run, was);
    expect([passed, (note ?? "").length > 10]).toEqual([false, true]);
  }
  // `exit 0` in the place of the suite.
  expect(judgeTests(PLAIN, { exit_code: 0, report: "no test report" }, was).passed).toBe(false);
  for (const unknown of ["lost", "unknown"] as const)
    expect(judgeTests(NO_WORSE, { exit_code: 0, report: green }, unknown).passed).toBe(false);
  expect(judgeTests(PLAIN, { exit_code: 0, report: green }, "lost").passed).toBe(false);
});

test("a check of today, whose tests nobody recorded, is decided by its exit code as it was", () => {
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 0, max: 3 }), fc.boolean(), (now, exit_code, readable) => {
      const run = { exit_code, report: readable ? report(now) : "no test report" };
      return judgeTests(PLAIN, run, "unknown").passed === (exit_code === 0);
    }),
  );
});

test("TEST-REPORT-3: what failed beside the tests before the work does not count, what is new does", () => {
  const was = before({ a: "passed" }, ["broken.js"]);
  expect(judged(NO_WORSE, report({ a: "passed" }, ["broken.js"]), was).passed).toBe(true);
  expect(judged(NO_WORSE, report({ a: "passed" }), was).passed).toBe(true);
  expect(judged(NO_WORSE, report({ a: "passed" }, ["broken.js", "other.js"]), was).passed).toBe(false);
  // A threshold of coverage that was missed before.
  const threshold = { ...before({ a: "passed" }), exit_code: 1 };
  expect(judgeTests(NO_WORSE, { exit_code: 1, report: report({ a: "passed" }) }, threshold).passed).toBe(true);
});

test("TEST-REPORT-5: a required test that nobody bears, or that is skipped, is not met", () => {
  const was = before({ "f.js > suite > a": "failed", "f.js > suite > b": "failed" });
  const check: CommandCheck = { ...NO_WORSE, must_pass: ["suite > a"] };
  const now = (a: Outcome): TestVerdict =>
    judged(check, report({ "f.js > suite > a": a, "f.js > suite > b": "failed" }), was);
  expect([now("passed").passed, now("failed").passed, now("skipped").passed]).toEqual([true, false, false]);
  expect(now("failed").tests?.not_passed).toEqual(["suite > a"]);
  expect(judged({ ...NO_WORSE, must_pass: ["nobody"] }, report({ x: "passed" }), before({ x: "passed" })).passed).toBe(
    false,
  );
});

test("names are matched whole, by their last parts, or by stars", () => {
  const name = "test/a.js > suite > adds (all) a*b";
  for (const pattern of [name, "suite > adds (all) a*b", "test/a.js::suite::adds*", "*adds*", "test/*", "suite > *"])
    expect([pattern, bears(name, pattern)]).toEqual([pattern, true]);
  for (const pattern of ["adds", "suite", "dds (all) a*b", "test/*.ts*", "**x", ""])
    expect([pattern, bears(name, pattern)]).toEqual([pattern, false]);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 }),
      fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }),
      (pattern, text) => {
        const wanted = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text);
        return bears(text, pattern) === wanted;
      },
    ),
  );
});

test("what is said of tests is bounded, whatever their number and the length of their names", () => {
  const many = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, i) => [`${"x".repeat(900)} ${i}`, "failed"] as const),
  );
  const { tests } = judgeTests(NO_WORSE, { exit_code: 1, report: report(many) }, before({}));
  expect(tests?.failed).toBe(5_000);
  expect(JSON.stringify(tests).length).toBeLessThan(30_000);
  expect((tests === undefined ? [] : testLines(tests)).join("\n").length).toBeLessThan(5_000);
  expect((tests === undefined ? [] : testLines(tests))[1]).toMatch(/ and 4,?99\d more$/);
});

test("TEST-REPORT-7: of a run that named only what failed, its end has to come again, and what failed passes", () => {
  const partial = true as const;
  fc.assert(
    fc.property(outcomes, fc.boolean(), fc.constantFrom(0, 1), fc.boolean(), (was, mended, exit_code, ended) => {
      const failed = Object.keys(was).filter((name) => was[name] === "failed");
      const then: TestBaseline = { ...before(Object.fromEntries(failed.map((name) => [name, "failed"]))), partial };
      const now = {
        ...report(mended ? {} : Object.fromEntries(failed.map((name) => [name, "failed"]))),
        incomplete: "x",
      };
      const run = { exit_code, report: ended ? now : "no report" };
      const isGood = exit_code === 0 && ended && (mended || failed.length === 0);
      for (const judgeOne of [judgeTests, judgeAgreed]) expect(judgeOne(PLAIN, run, then).passed).toBe(isGood);
    }),
  );
  const fewer = { ...report({}), incomplete: "x", counted: { passed: 1, failed: 0, skipped: 0 } };
  const two = { ...before({ a: "failed", b: "failed" }), partial };
  expect(judgeTests(PLAIN, { exit_code: 0, report: fewer }, two).note).toBe(
    "1 tests ran, and 2 failed at the alignment",
  );
  const gone = judgeTests(PLAIN, { exit_code: 0, report: "no report" }, { ...before({}), partial });
  expect(gone.note).toMatch(/closing line of tap, which was there at the alignment, is missing/);
});
