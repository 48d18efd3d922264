import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readReport } from "../../../src/adapters/checks/reports/read-report.ts";
import { totals, type Tally, type TestReport } from "../../../src/core/test-report.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/reports");
const FIXTURES = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), "utf8") }));

function read(text: string): TestReport | null {
  return readReport(text, ["/project"]);
}

function fixture(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

/** [format, passed, failed, skipped, errors beside the tests] */
const WANTED: Readonly<Record<string, readonly [string, number, number, number, number]>> = {
  "ava.tap": ["tap", 1, 1, 2, 0],
  "cargo.txt": ["cargo", 4, 1, 1, 0],
  "go-json.txt": ["go", 2, 1, 1, 1],
  "go-v.txt": ["go", 2, 1, 1, 1],
  // jest-junit writes what is to do as passed.
  "jest-junit.xml": ["junit", 4, 1, 1, 0],
  "jest.json": ["jest", 3, 1, 2, 1],
  "mocha-junit.xml": ["junit", 5, 1, 0, 1],
  "mocha.json": ["mocha", 5, 1, 2, 1],
  "mocha.tap": ["tap", 5, 1, 2, 1],
  "mocha.txt": ["mocha", 5, 1, 2, 1],
  "node.junit.xml": ["junit", 4, 2, 3, 1],
  "node.spec.txt": ["node", 4, 1, 4, 1],
  "node.tap": ["tap", 4, 1, 4, 1],
  "pytest-broken.xml": ["junit", 0, 0, 0, 1],
  "pytest-plain.txt": ["pytest", 0, 0, 0, 1],
  "pytest-rA.txt": ["pytest", 4, 3, 2, 0],
  "pytest-v.txt": ["pytest", 4, 3, 2, 0],
  "pytest.xml": ["junit", 4, 3, 2, 0],
  "surefire.xml": ["junit", 1, 1, 1, 0],
  "tape.tap": ["tap", 3, 1, 0, 0],
  "vitest.json": ["vitest", 3, 1, 2, 1],
  "vitest.junit.xml": ["junit", 3, 1, 2, 1],
};

test("SPEC 6: a report of each runner is read test by test, and none of its fixtures is left out", () => {
  expect(FIXTURES.map(({ name }) => name).toSorted()).toEqual(Object.keys(WANTED).toSorted());
  const found = FIXTURES.map(({ name, text }) => {
    const report = read(text);
    if (report === null) return [name, null];
    const { passed, failed, skipped } = totals(report);
    expect([name, report.incomplete]).toEqual([name, null]);
    return [name, [report.format, passed, failed, skipped, report.errors.length]];
  });
  expect(Object.fromEntries(found)).toEqual(WANTED);
});

test("TEST-REPORT-1: a test is its file, suites and title: no time, no absolute path, no colour", () => {
  const names = [...(read(fixture("vitest.json"))?.tests.keys() ?? [])];
  expect(names).toContain('t/sum.vitest.js > sum > nested <deep> & "quoted" > adds');
  expect([...(read(fixture("mocha.txt"))?.tests.keys() ?? [])]).toContain("sum > is slow");
  expect([...(read(fixture("node.tap"))?.tests.keys() ?? [])]).toContain("sum > is wrong # really");
  expect([...(read(fixture("pytest-v.txt"))?.tests.keys() ?? [])]).toContain("test_sum.py > test_param[x y]");
  expect(read(fixture("go-json.txt"))?.errors).toEqual(["example.com/sums/broken"]);
  for (const { text } of FIXTURES) {
    const report = read(text);
    for (const name of [...(report?.tests.keys() ?? []), ...(report?.errors ?? [])]) {
      expect(name).not.toMatch(/\/project|\(\d|\u001b/);
    }
  }
});

test("a report reads the same in colours, with the line ends of Windows, and with other output before and after it", () => {
  const same = (text: string, wanted: TestReport | null): void => {
    expect(read(text)).toEqual(wanted);
  };
  for (const name of ["mocha.txt", "node.spec.txt", "pytest-v.txt", "cargo.txt", "node.tap", "go-v.txt"]) {
    const text = fixture(name);
    const wanted = read(text);
    same(text.replaceAll("\n", "\r\n"), wanted);
    same(text.replaceAll(/^( *)([^\s#].*)$/gm, "$1\u001b[32m$2\u001b[0m"), wanted);
    same(`\n> sums@1.0.0 test\n> run-tests --all\n\n${text}\nnpm notice\n`, wanted);
  }
  for (const name of ["vitest.json", "jest.json", "mocha.json", "surefire.xml"])
    same(`\n> sums@1.0.0 test\n> run-tests\n\n${fixture(name)}\nDone in 3 s.\n`, read(fixture(name)));
});

test("two runners in one command are one report", () => {
  const report = read(`${fixture("cargo.txt")}\n${fixture("pytest-v.txt")}`);
  expect(report).toMatchObject({ format: "pytest+cargo", incomplete: null });
  expect(report === null ? 0 : totals(report).total).toBe(15);
});

function isWithin(tests: ReadonlyMap<string, Tally>, whole: ReadonlyMap<string, Tally>): boolean {
  return [...tests].every(([name, { passed, failed, skipped }]) => {
    const all = whole.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    return passed <= all.passed && failed <= all.failed && skipped <= all.skipped;
  });
}

test("TEST-REPORT-4: a report that is cut off anywhere never holds a test that the whole one does not", () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIXTURES), fc.double({ min: 0, max: 1, noNaN: true }), ({ text }, share) => {
      const cut = read(text.slice(0, Math.floor(text.length * share)));
      const whole = read(text);
      return cut === null || cut.incomplete !== null || isWithin(cut.tests, whole?.tests ?? new Map());
    }),
    { numRuns: 600 },
  );
});

test("TEST-REPORT-4: what has a plan, a count or an end says that it is cut off", () => {
  for (const name of ["node.tap", "ava.tap", "vitest.json", "surefire.xml", "go-json.txt"]) {
    const lines = fixture(name).trimEnd().split("\n");
    const cut = read(lines.slice(0, Math.floor(lines.length * 0.7)).join("\n"));
    expect([name, cut === null || cut.incomplete !== null]).toEqual([name, true]);
  }
});

test("TEST-REPORT-4: lines that a test prints beside the runner's own do not add up", () => {
  const forged: readonly (readonly [string, string, string])[] = [
    ["mocha.txt", "    1) is wrong", "    ✔ is wrong\n    1) is wrong"],
    ["node.spec.txt", "  ✖ is wrong", "  ✔ is wrong\n  ✖ is wrong"],
    ["node.tap", "    not ok 2 - is wrong", "    ok 2 - is wrong\n    not ok 2 - is wrong"],
    ["ava.tap", "not ok 4 - is wrong", "ok 4 - is wrong\nnot ok 4 - is wrong"],
    ["cargo.txt", "test tests::is_wrong ... FAILED", "test tests::is_wrong ... ok\ntest tests::is_wrong ... FAILED"],
    [
      "pytest-v.txt",
      "test_sum.py::test_wrong FAILED",
      "test_sum.py::test_wrong PASSED\ntest_sum.py::test_wrong FAILED",
    ],
  ];
  for (const [name, line, instead] of forged) {
    const text = fixture(name);
    expect(text).toContain(line);
    expect([name, read(text.replace(line, instead))?.incomplete ?? null]).not.toEqual([name, null]);
  }
});

test("an older mocha, whose count of failures is on stderr, is read", () => {
  expect(read(fixture("mocha.txt").replace("  2 failing\n", ""))).toEqual(read(fixture("mocha.txt")));
});

test("pytest without -v or -rA names no passing test: its report says so", () => {
  const text = fixture("pytest-v.txt").replaceAll(/^test_sum\.py::.* PASSED.*$/gm, "");
  expect(read(text)?.incomplete).toContain("run it with -v or -rA");
});

/** Deletes, doubles, swaps and garbles parts of real reports. */
const mutated = fc
  .tuple(
    fc.constantFrom(...FIXTURES),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        length: fc.nat({ max: 60 }),
        put: fc.oneof(
          fc.string(),
          fc.constantFrom("{", "}", "<", "]]>", "1..9999999999", "ok", "\u001b[", "&#99999999;", "    "),
        ),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([{ text }, edits]) =>
    edits.reduce((now, { at, length, put }) => {
      const from = Math.floor(now.length * at);
      return now.slice(0, from) + put + now.slice(from + length);
    }, text),
  );

test("no reader ever throws, and its counts are never negative", () => {
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string({ maxLength: 2_000 })), (text) => {
      const report = read(text);
      if (report === null) return true;
      return [...report.tests.values()].every(({ passed, failed, skipped }) => Math.min(passed, failed, skipped) >= 0);
    }),
    { numRuns: 1_500 },
  );
});

test("a large output is read in linear time: no pattern is tried at every place of a line without an end", () => {
  const long = `${"[".repeat(300_000)}\n${" ".repeat(300_000)}\n${"<a b='".repeat(50_000)}\n${"{".repeat(100_000)}`;
  for (const name of ["mocha.txt", "surefire.xml", "vitest.json", "node.tap", "pytest-v.txt"])
    expect(() => read(`${fixture(name)}\n${long}`)).not.toThrow();
}, 20_000);
