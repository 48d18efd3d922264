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
  "pytest-plain.txt": ["pytest", 0, 1, 0, 1],
  "pytest-rA.txt": ["pytest", 4, 3, 2, 0],
  "pytest-v.txt": ["pytest", 4, 3, 2, 0],
  "pytest.xml": ["junit", 4, 3, 2, 0],
  "surefire.xml": ["junit", 1, 1, 1, 0],
  "tape.tap": ["tap", 3, 1, 0, 0],
  "unittest-v.txt": ["unittest", 1, 2, 2, 1],
  "unittest.txt": ["unittest", 3, 3, 0, 1],
  "vitest.json": ["vitest", 3, 1, 2, 1],
  "vitest.junit.xml": ["junit", 3, 1, 2, 1],
};

test("`go test` without -v names failures alone, or none where nothing could be compiled: no list of all tests", () => {
  const failed = `--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n        a_test.go:3: x\nFAIL\nFAIL\tx/a\t0.006s\nFAIL\n`;
  const broken = "FAIL\tx/a [build failed]\nFAIL\n";
  expect(read(failed)?.tests.get("x/a > TestA > one")?.failed).toBe(1);
  for (const text of [failed, broken]) expect(read(text)?.incomplete).toMatch(/-v$/);
  expect(read(`=== RUN   TestA\n=== RUN   TestA/one\n${failed}`)?.incomplete).toBeNull();
});

test("pytest without -v names no test that passes, so where none does it is no list of all tests, either", () => {
  const failed = "FAILED t.py::test_a - assert 1 == 2\n1 failed in 0.02s\n";
  const verbose = "platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0 -- /usr/bin/python3\n";
  expect(read(failed)).toMatchObject({ incomplete: expect.stringMatching(/names no test that passes/) as unknown });
  expect(read(failed)?.tests.get("t.py > test_a")?.failed).toBe(1);
  expect(read("ERROR t.py\n1 error in 0.02s\n")?.incomplete).toMatch(/names no test that passes/);
  expect(read(`${verbose}ERROR t.py\n1 error in 0.02s\n`)?.incomplete).toBeNull();
  expect(read(`${verbose}t.py::test_a FAILED   [100%]\n${failed}`)?.incomplete).toBeNull();
});

test("SPEC 6: a report of each runner is read test by test, and none of its fixtures is left out", () => {
  expect(FIXTURES.map(({ name }) => name).toSorted()).toEqual(Object.keys(WANTED).toSorted());
  const found = FIXTURES.map(({ name, text }) => {
    const report = read(text);
    if (report === null) return [name, null];
    const { passed, failed, skipped } = totals(report);
    // Without -v a test that passes has no name.
    const wanted: unknown = ["pytest-plain.txt", "unittest.txt"].includes(name) ? expect.stringMatching(/ -v\b/) : null;
    expect([name, report.incomplete]).toEqual([name, wanted]);
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

interface Suite {
  readonly title: string;
  readonly tests: readonly string[];
  readonly suites: readonly Suite[];
}

/** What a program prints to stdout, in the form of the tree or not. */
const PRINTED = [
  "Error: a mistake\n    at handle (/x/base.js:76:46)\n      at Runner.run (node:internal/timers:483:21)\n    at new Promise (<anonymous>)",
  'TypeError: [object Object]\n    at /x/a.js:1:2 {\n  code: "E",\n  cause: {\n    name: "x"\n  }\n}',
  '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}',
  "---\ntitle: x\n---\n# a heading\n\n    quoted\n\nend",
  "listening on 8080",
  "# a heading",
];

function mochaText({ title, tests, suites }: Suite, printed: ReadonlyMap<string, string>, depth = 1): string {
  const indent = "  ".repeat(depth);
  const marked = tests.map((name) => `${printed.get(`${title}.${name}`) ?? ""}${indent}  ✓ ${name}\n`);
  const own = `${indent}${title}\n${marked.join("")}${suites.map((suite) => mochaText(suite, printed, depth + 1)).join("")}`;
  return depth === 1 ? `${own}\n` : own;
}

const SUITES: fc.Memo<Suite> = fc.memo((depth) =>
  fc.record({
    title: fc.constantFrom("numbers", "at the end (of a list)", "given '/a.b'", "#sum()"),
    tests: fc.uniqueArray(fc.constantFrom("adds", "is slow", "handles internal errors", "- is 2"), {
      minLength: depth > 1 ? 0 : 1,
      maxLength: 3,
    }),
    suites: depth > 1 ? fc.array(SUITES(depth - 1), { minLength: 1, maxLength: 3 }) : fc.constant([]),
  }),
);

test("TEST-REPORT-1: what a program prints while a test of mocha runs changes no test's name", () => {
  const passing = (text: string): string => `\n\n${text}\n\n  ${text.split("✓").length - 1} passing (9ms)\n\n`;
  fc.assert(
    fc.property(
      fc.array(SUITES(3), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...PRINTED)), { maxLength: 4 }),
      (suites, noises) => {
        const keys = suites.flatMap(function keysOf({ title, tests, suites: inner }): readonly string[] {
          return [...tests.map((name) => `${title}.${name}`), ...inner.flatMap(keysOf)];
        });
        const printed = new Map(noises.map(([at, text]) => [keys[at % keys.length] ?? "", `${text}\n`]));
        const text = (of: ReadonlyMap<string, string>): string =>
          passing(suites.map((suite) => mochaText(suite, of)).join(""));
        expect(read(text(printed))).toEqual(read(text(new Map())));
      },
    ),
  );
});

test("TEST-REPORT-1: what a program prints in TAP is no name, and hides no test", () => {
  const plain = fixture("mocha.tap").replace("noise\n", "");
  const node = fixture("node.tap");
  for (const printed of PRINTED) {
    expect(read(plain.replace("not ok 2", `${printed}\nnot ok 2`))).toEqual(read(plain));
    expect(read(node.replace("# Subtest: sum\n", `${printed}\n# Subtest: sum\n`))).toEqual(read(node));
  }
});

test("what pytest counts is said, also where it names the failed tests alone", () => {
  const report = read(
    "FAILED tests/a.py::one - x\nERROR tests/b.py::two\n1 failed, 28 passed, 2 skipped, 1 error in 0.10s\n",
  );
  expect(report?.incomplete).toMatch(/counts 28 PASSED and names 0/);
  expect(totals(report ?? { tests: new Map() })).toEqual({ passed: 28, failed: 2, skipped: 2, total: 32 });
});

test("TEST-REPORT-1: what node-tap says beside its points, and an error that it names one by, is no test that could vanish", () => {
  const yaml = (text: string): string => `          ---\n          ${text}\n          ...\n`;
  const text = [
    "TAP version 14",
    "# Subtest: test/a.ts",
    "    # Subtest: reads",
    "        ok 1 - should be equal",
    "        not ok 2 - should be greater",
    `${yaml("at: a.ts")}        not ok 3 - Cannot read this`,
    `${yaml("tapCaught: testFunctionThrow")}        1..3`,
    "    not ok 1 - reads # time=5ms",
    "    # Subtest: writes",
    "        not ok 1 - test unfinished",
    `${yaml("at: a.ts")}        1..1`,
    "    not ok 2 - writes # time=5ms",
    "    not ok 3 - child test left in queue: closes",
    "    1..3",
    "not ok 1 - test/a.ts # time=50ms",
    "1..1",
    "",
  ].join("\n");
  const report = read(text);
  expect(report?.incomplete).toBeNull();
  expect([...(report?.tests.keys() ?? [])]).toEqual([
    "test/a.ts > reads > should be equal",
    "test/a.ts > reads > should be greater",
  ]);
  expect(report?.errors).toEqual([
    "test/a.ts > reads > Cannot read this",
    "test/a.ts > writes > test unfinished",
    "test/a.ts > child test left in queue: closes",
  ]);
});

test("TEST-REPORT-1: what a hook of mocha prints between two suites ends neither", () => {
  const [quiet, loud] = ["", "closed\n    at close (/x/a.js:1:2)\n"].map((printed) =>
    read(
      `\n\n  server\n    one\n      ✓ adds\n${printed}    other\n      ✓ adds\n${printed}\n  client\n    ✓ adds\n\n\n  3 passing (9ms)\n`,
    ),
  );
  expect([...(quiet?.tests.keys() ?? [])]).toEqual(["server > one > adds", "server > other > adds", "client > adds"]);
  expect(loud).toEqual(quiet);
});

test("TEST-REPORT-7: where no passing test has a name the report of a green run says that its runner came to its end", () => {
  for (const text of [
    "===== 2 passed in 0.02s =====\n",
    "ok  \tx/a\t0.006s\n",
    "..\n------\nRan 2 tests in 0.001s\n\nOK\n",
    "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\n",
    " Test Files  1 passed (1)\n      Tests  1 passed | 1 skipped (2)\n",
    "2 runs, 2 assertions, 0 failures, 0 errors, 0 skips\n",
    "Finished in 0.01 seconds\n2 examples, 0 failures\n",
    "All tests successful.\nFiles=1, Tests=2,  0 wallclock secs\nResult: PASS\n",
    "OK (2 tests, 2 assertions)\n",
    "100% tests passed, 0 tests failed out of 2\n",
    "ok | 2 passed | 0 failed (12ms)\n",
    "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
  ]) {
    const report = read(text);
    expect([text, report?.tests.size, typeof report?.incomplete]).toEqual([text, 0, "string"]);
  }
  for (const text of ["", "building\ndone in 3 s\n", "Ran 2 tests in 0.001s\n", "2 tests\n"])
    expect(read(text)).toBeNull();
});

test("TEST-REPORT-1: a test of unittest has one name, whatever Python it runs on and whatever it says of itself", () => {
  const old = fixture("unittest-v.txt").replaceAll(/\((tests\.test_calc\.T)\.test_\w+\)/g, "($1)");
  expect(read(old)).toEqual(read(fixture("unittest-v.txt")));
  expect(read(fixture("unittest.txt"))?.tests.get("tests.test_calc.T > test_add")?.failed).toBe(1);
  expect([...(read(fixture("unittest-v.txt"))?.tests.keys() ?? [])]).toContain("tests.test_calc.T > test_b");
  const all = "F\n=====\nFAIL: test_a (t.T.test_a)\n-----\n\n-----\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n";
  expect(read(all)?.incomplete, "once they pass none has a name").toMatch(/-v$/);
  expect(read(fixture("unittest.txt"))?.errors).toEqual(["tests.test_bad"]);
});

test("TEST-REPORT-1: a file that is a plain script is no test, and neither is the time that it took a part of its name", () => {
  const tap = (time: string): TestReport | null =>
    read(`TAP version 14\nok 1 - adds # time=${time}\nok 2 - test/a.js # time=${time}\n1..2\n`);
  expect([...(tap("41.1ms")?.tests.keys() ?? [])]).toEqual(["adds"]);
  expect(tap("41.1ms")).toEqual(tap("1.2s"));
  expect(read("TAP version 13\n# Subtest: /project/test/a.js\nok 1 - /project/test/a.js\n1..1\n")).toMatchObject({
    errors: [],
    incomplete: null,
  });
});

test("TEST-REPORT-7: cargo test -q names what failed, and is no list of all tests even where all do", () => {
  const quiet =
    "running 1 test\nF\nfailures:\n\n---- tests::adds stdout ----\npanicked\n\nfailures:\n    tests::adds\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored;\n";
  expect(read(quiet)?.tests.get("tests::adds")).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(read(quiet)?.incomplete).toMatch(/without -q$/);
});
