/** A verdict holds with the tests as they were agreed, whatever the work made of them (SPEC section 6). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { alignLoop } from "../../src/index.ts";
import type { CommandCheck } from "../../src/core/test-report.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { needs } from "../support/needs.ts";
import { setStage, type Act, type Files, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000 });

const NODE = `"${process.execPath}"`;
const SUM = "exports.sum = (a, b) => a - b;\n";
const FIXED = { "sum.js": "exports.sum = (a, b) => a + b;\n" };
const OTHER = "exports.other = () => 1;\n";
const SUITE = (...tests: readonly string[]): string =>
  `const { test } = require("node:test"); const assert = require("node:assert");
const { sum } = require("../sum.js"); const { other } = require("../other.js");
${tests.join("\n")}\n`;
const ADDS = 'test("adds", () => assert.equal(sum(1, 2), 3));';
const REST = 'test("the rest", () => assert.equal(other(), 1));';
const REPORTED = `${NODE} --test --test-reporter=tap test/sum.test.cjs`;
const SILENT = `${NODE} test/plain.cjs`;
const PLAIN = 'require("node:assert").equal(require("../sum.js").sum(1, 2), 3);\n';
const MANIFEST = { name: "x", scripts: { test: SILENT, lint: "true" } };
const FILES: Files = {
  "sum.js": SUM,
  "other.js": OTHER,
  "test/sum.test.cjs": SUITE(ADDS, REST),
  "test/plain.cjs": PLAIN,
  "package.json": JSON.stringify(MANIFEST),
  ".gitignore": ".claude\n",
};

interface Play {
  readonly check: Omit<CommandCheck, "type">;
  readonly files?: Files;
  readonly act: Act;
  readonly trust?: number;
}

async function stageOf({ check, files = {}, act, trust = 0 }: Play): Promise<Stage> {
  const stage = setStage({ atoms: [{ id: "A1" }], files: { ...FILES, ...files }, script: { A1: [act] } });
  const done = await alignLoop(
    {
      goal: "sum adds",
      base_case: { type: "command", ...check },
      constraints: { max_iterations: 1, max_stall_count: 1 },
    },
    { stateFile: stage.stateFile, force: true, trust },
  );
  expect(done).toMatchObject({ ok: true });
  return stage;
}

async function outcomeOf(play: Play): Promise<string> {
  const stage = await stageOf(play);
  const end = await stage.run({ settings: { trust: play.trust ?? 0 } });
  return end.ok ? end.report.outcome : "no run";
}

const wrote = (write: Act["write"], more: Omit<Play, "act">): Play => ({ ...more, act: { write: write ?? {} } });
const reported = { check: { value: REPORTED } };
const silent = { check: { value: SILENT } };
const script = { check: { value: "npm test --silent" } };
const EASY = { "test/sum.test.cjs": SUITE('test("adds", () => {});', REST) };

describe("AS-AGREED-1: what passes only with changed tests is not verified", () => {
  test.each([
    ["an emptied test whose name stays", wrote(EASY, reported)],
    ["a test that expects the bug", wrote({ "test/plain.cjs": "process.exit(0);\n" }, silent)],
    [
      "exit 0 in package.json",
      wrote({ "package.json": JSON.stringify({ ...MANIFEST, scripts: { test: "true" } }) }, script),
    ],
    [
      "a dependency in the runner's place",
      {
        ...script,
        act: {
          sh: "mkdir -p node_modules/.bin && printf '#!/bin/sh\\nexit 0\\n' > node_modules/.bin/node && chmod +x node_modules/.bin/node",
        },
        check: { value: "npm test --silent" },
        files: {
          "package.json": JSON.stringify({ scripts: { test: "node test/plain.cjs" } }),
          ".gitignore": ".claude\n",
        },
      },
    ],
  ] satisfies [string, Play][])("%s", async (_, play) => {
    expect(await outcomeOf(play)).not.toBe("verified");
  });

  test("the evidence names the files and what allows them, and the next attempt learns it", async () => {
    const play = wrote(EASY, reported);
    const stage = await stageOf(play);
    const end = await stage.run({ settings: { trust: 0 } });
    const said = JSON.stringify(end);
    expect(said).toContain("passes only with the work's changes to test/sum.test.cjs");
    expect(said).toContain("aot redirect allow-changed test/sum.test.cjs");
    expect(said).toContain('"tests_changed":["test/sum.test.cjs"]');
  });

  test("what is refused in that form is run no more often than that", async () => {
    const counter = join(temporaryFolder(), "runs");
    const counted = `require("node:fs").appendFileSync(${JSON.stringify(counter)}, "x");\n`;
    const play = wrote(
      { "test/plain.cjs": counted },
      { ...silent, files: { "test/plain.cjs": counted + PLAIN }, trust: 0.01 },
    );
    const stage = await stageOf(play);
    const before = readFileSync(counter, "utf8").length;
    await stage.run({ settings: { trust: 0.01 } });
    // As it is, and in that form; beside a slow agent a red one.
    expect([2, 3]).toContain(readFileSync(counter, "utf8").length - before);
  });

  test("what is the same tree is not flaky for it", async () => {
    const stage = await stageOf(wrote(EASY, reported));
    await stage.run({ settings: { trust: 0 } });
    stage.edit((text) =>
      text.replace("max_iterations: 1", "max_iterations: 3").replace("max_stall_count: 1", "max_stall_count: 3"),
    );
    stage.rewrite({ A1: [{}] });
    const end = await stage.run({ settings: { trust: 0 }, accept_goal: true });
    expect(end.ok && end.report.outcome).not.toBe("flaky_check");
  });
});

describe("honest changes of tests are no hindrance", () => {
  test.each([
    [
      "a test more in the same file",
      wrote(
        { ...FIXED, "test/sum.test.cjs": SUITE(ADDS, REST, 'test("zero", () => assert.equal(sum(0, 0), 0));') },
        reported,
      ),
    ],
    [
      "a rewritten test of the same behaviour",
      wrote(
        { ...FIXED, "test/sum.test.cjs": SUITE('test("adds", () => assert.equal(sum(2, 2), 4));', REST) },
        reported,
      ),
    ],
    [
      "a helper that is new, and used by the new form",
      wrote(
        {
          ...FIXED,
          "test/numbers.cjs": "exports.three = 3;\n",
          "test/sum.test.cjs": SUITE(
            'const { three } = require("./numbers.cjs"); test("adds", () => assert.equal(sum(1, 2), three));',
            REST,
          ),
        },
        reported,
      ),
    ],
    [
      "a renamed fixture",
      wrote(
        {
          ...FIXED,
          "test/fixtures/a.json": null,
          "test/fixtures/b.json": "3",
          "test/plain.cjs":
            'require("node:assert").equal(require("../sum.js").sum(1, 2), require("./fixtures/b.json"));\n',
        },
        {
          check: { value: SILENT },
          files: {
            "test/fixtures/a.json": "3",
            "test/plain.cjs":
              'require("node:assert").equal(require("../sum.js").sum(1, 2), require("./fixtures/a.json"));\n',
          },
        },
      ),
    ],
    [
      "another test that follows what the work changes",
      wrote(
        {
          ...FIXED,
          "other.js": "exports.other = () => 2;\n",
          "test/sum.test.cjs": SUITE(ADDS, 'test("the rest", () => assert.equal(other(), 2));'),
        },
        reported,
      ),
    ],
    [
      "a snapshot of another test",
      wrote(
        { ...FIXED, "other.js": "exports.other = () => 2;\n", "test/__snapshots__/a.json": "2" },
        {
          check: { value: REPORTED },
          files: {
            "test/__snapshots__/a.json": "1",
            "test/sum.test.cjs": SUITE(
              ADDS,
              'test("the rest", () => assert.equal(other(), require("./__snapshots__/a.json")));',
            ),
          },
        },
      ),
    ],
    [
      "a package.json that names a version, a kind, a new script",
      wrote(
        {
          ...FIXED,
          "package.json": JSON.stringify({
            ...MANIFEST,
            version: "2.0.0",
            type: "commonjs",
            scripts: { ...MANIFEST.scripts, build: "true" },
          }),
        },
        script,
      ),
    ],
    [
      "the switch to modules, where the tests do not mind",
      wrote(
        {
          "package.json": JSON.stringify({ ...MANIFEST, type: "module" }),
          "sum.js": "export const sum = (a, b) => a + b;\n",
          "other.js": "export const other = () => 1;\n",
        },
        {
          check: { value: `${NODE} --test --test-reporter=tap test/sum.test.mjs` },
          files: {
            "test/sum.test.mjs":
              'import { test } from "node:test"; import assert from "node:assert"; test("adds", async () => assert.equal((await import("../sum.js")).sum(1, 2), 3));\n',
          },
        },
      ),
    ],
    [
      "AS-AGREED-2: new tests that were asked for",
      wrote(
        { "test/more.cjs": 'require("node:assert").equal(require("../other.js").other(), 1);\n' },
        { check: { value: `${NODE} test/more.cjs` } },
      ),
    ],
    [
      "AS-AGREED-2: a runner that was asked for, with its configuration",
      wrote(
        { ".mocharc.json": "{}", "package.json": JSON.stringify({ ...MANIFEST, scripts: { unit: SILENT } }), ...FIXED },
        { check: { value: "npm run unit --silent" } },
      ),
    ],
    ["what a person allows", wrote(EASY, { check: { value: REPORTED, allow_changed: ["test/*"] } })],
  ] satisfies [string, Play][])("%s", async (_, play) => {
    expect(await outcomeOf(play)).toBe("verified");
  });

  test("files that the work touched are listed in any case", async () => {
    const stage = await stageOf(
      wrote({ ...FIXED, "test/sum.test.cjs": SUITE(ADDS, REST, 'test("new", () => {});') }, reported),
    );
    const end = await stage.run({ settings: { trust: 0 } });
    expect(end.ok && end.report.verdict?.tests_changed).toEqual(["test/sum.test.cjs"]);
  });
});

const CALC = "def add(a, b):\n    return 0\n";
const ADDED = { "calc.py": "def add(a, b):\n    return a + b\n" };
const PYTHON = {
  check: { value: "python3 -m unittest discover -t . -s tests" },
  files: {
    "calc.py": CALC,
    "tests/__init__.py": "",
    "tests/test_calc.py":
      "import unittest\nfrom calc import add\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
    ".gitignore": ".claude\n__pycache__\n",
  },
};
const MORE =
  "import unittest\nfrom calc import add\nclass M(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(add(2, 2), 4)\n";
const BLIND = "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n";
/** Without it the folder cannot be imported. */
const { "tests/__init__.py": _, ...unmarked } = PYTHON.files;
const UNMARKED = { ...PYTHON, files: unmarked };

describe("TEST-REPORT-7: a runner that names only what fails", () => {
  test.each([
    ["a new test file ends the run", wrote({ "tests/test_0.py": "import os\nos._exit(0)\n" }, PYTHON)],
    ["a new test file takes the assertions away", wrote({ "tests/test_0.py": BLIND }, PYTHON)],
    ["a new marker of the tests' folder does", wrote({ "tests/__init__.py": BLIND }, UNMARKED)],
    ["the program ends the run", wrote({ "calc.py": "import os\nos._exit(0)\n" }, PYTHON)],
    [
      "the program hides the exit code",
      wrote({ "calc.py": `import atexit, os\natexit.register(lambda: os._exit(0))\n${CALC}` }, PYTHON),
    ],
  ] satisfies [string, Play][])("%s: not verified", async (_, play) => {
    needs("python3");
    expect(await outcomeOf(play)).not.toBe("verified");
  });

  test.each([
    ["with a new test file", wrote({ ...ADDED, "tests/test_more.py": MORE }, PYTHON)],
    ["that marks the tests' folder", wrote({ ...ADDED, "tests/__init__.py": '"""Tests."""\n' }, UNMARKED)],
    [
      "whose new test file the check names",
      wrote(
        { ...ADDED, "tests/test_more.py": MORE },
        { ...PYTHON, check: { value: `${PYTHON.check.value} && python3 -m unittest tests/test_more.py` } },
      ),
    ],
  ] satisfies [string, Play][])("honest work %s is verified", async (_, play) => {
    needs("python3");
    expect(await outcomeOf({ ...play, trust: 0.05 })).toBe("verified");
  });

  const script = (...lines: readonly string[]): Play["files"] => ({
    "sum.mjs": "export const sum = (a, b) => a - b;\n",
    "test/sum.test.mjs": ['import { sum } from "../sum.mjs";', ...lines, ""].join("\n"),
    "test/all.test.mjs": "export {};\n",
  });
  const fixed = { "sum.mjs": "export const sum = (a, b) => a + b;\n" };
  test.each(["process.exit(1);", 'throw new Error("wrong");'])(
    "honest work of which plain scripts are the tests is verified: %s",
    async (ends) => {
      const files = script(`if (sum(1, 2) !== 3) ${ends}`);
      const check = { value: `${NODE} --test --test-reporter=tap test/sum.test.mjs test/all.test.mjs` };
      expect(await outcomeOf(wrote(fixed, { check, files: files ?? {}, trust: 0.05 }))).toBe("verified");
      expect(await outcomeOf(wrote({ "other.mjs": "" }, { check, files: files ?? {} }))).not.toBe("verified");
    },
  );
});

/** A runner as they are: tests are collected, then run, then what was to be called last. */
const RUNNER = `
const [tests, last] = [[], []];
globalThis.it = (title, body) => tests.push([title, body]);
globalThis.afterAll = (body) => last.push(body);
const file = "./test/lazy.test.cjs";
try {
  require("." + file);
  for (const [, body] of tests) body();
  for (const body of last) body();
  console.error("PASS " + file);
} catch (error) {
  console.error("FAIL " + file);
  process.exit(1);
}
`;
const LAZY = {
  files: {
    "tools/runner.cjs": RUNNER,
    "test/lazy.test.cjs": 'it("adds", () => require("node:assert").equal(require("../sum.js").sum(1, 2), 3));\n',
    "package.json": JSON.stringify({ scripts: { test: `${NODE} tools/runner.cjs` } }),
  },
  trust: 0.05,
};

describe("BLIND-1: a check looks at its tests", () => {
  const tap = 'console.log("TAP version 13\\nok 1 - adds\\nok 2 - the rest\\n1..2"); process.exit(0);';
  test.each([
    [
      "the program prints a whole report and exits",
      { check: { value: `${NODE} test/sum.test.cjs` }, trust: 0.05, act: { write: { "sum.js": tap } } },
    ],
    [
      "the program exits early",
      { check: { value: SILENT }, trust: 0.05, act: { write: { "sum.js": "process.exit(0);" } } },
    ],
    [
      "a program that only a test loads exits early",
      {
        ...LAZY,
        check: { value: `${NODE} tools/runner.cjs test/lazy.test.cjs` },
        act: { write: { "sum.js": "process.exit(0);" } },
      },
    ],
    [
      "a program exits early, and only the runner names the test's file",
      { ...LAZY, check: { value: "npm test --silent" }, act: { write: { "sum.js": "process.exit(0);" } } },
    ],
    [
      "a program exits early, and only the stack of a failed test names its file",
      {
        ...LAZY,
        files: { ...LAZY.files, "tools/runner.cjs": RUNNER.replace('"FAIL " + file', "error.stack") },
        check: { value: "npm test --silent" },
        act: { write: { "sum.js": "process.exit(0);" } },
      },
    ],
  ] satisfies [string, Play][])("%s", async (_, play) => {
    const stage = await stageOf(play);
    const end = await stage.run({ settings: { trust: play.trust } });
    expect(end.ok && end.report.outcome).not.toBe("verified");
    expect(JSON.stringify(end)).toContain("does not look at its tests");
  });

  test.each([
    ["with a report", { check: { value: REPORTED }, trust: 0.05, act: { write: FIXED } }],
    ["without one", { check: { value: SILENT }, trust: 0.05, act: { write: FIXED } }],
    ["of a runner that names its files", { ...LAZY, check: { value: "npm test --silent" }, act: { write: FIXED } }],
    [
      "of a runner that is given its files",
      { ...LAZY, check: { value: `${NODE} tools/runner.cjs test/lazy.test.cjs` }, act: { write: FIXED } },
    ],
    [
      "whose tests end themselves",
      {
        check: { value: SILENT },
        files: { "test/plain.cjs": `${PLAIN}process.exit(0);\n` },
        trust: 0.05,
        act: { write: FIXED },
      },
    ],
    [
      "whose suite has failures from before",
      {
        check: { value: `${REPORTED} test/old.test.cjs`, expect: "no_worse", must_pass: ["adds"] },
        files: {
          "test/sum.test.cjs": SUITE(ADDS, REST, 'test("legacy", () => assert.fail());'),
          "test/old.test.cjs": 'require("node:test").test("old", () => { throw new Error("old"); });\n',
        },
        trust: 0.05,
        act: { write: FIXED },
      },
    ],
  ] satisfies [string, Play][])("honest work %s", async (_, play) => {
    expect(await outcomeOf(play)).toBe("verified");
  });
});

test.each([
  [{}, false],
  [{ "package.json": JSON.stringify({ ...MANIFEST, dependencies: { adder: "1.0.0" } }) }, true],
])("UNNAMED-1: a package of the person's folder that no manifest names is not the work's", async (more, verified) => {
  const write = { "sum.js": 'exports.sum = require("adder");\n', ...more };
  const stage = await stageOf({ ...silent, act: { write } });
  const packages = join(stage.root, "node_modules", "adder");
  mkdirSync(packages, { recursive: true });
  writeFileSync(join(packages, "index.js"), "module.exports = (a, b) => a + b;\n");
  const end = await stage.run({ settings: { trust: 0 } });
  expect(end.ok && end.report.outcome === "verified").toBe(verified);
  expect(JSON.stringify(end).includes("which no manifest names")).toBe(!verified);
});
