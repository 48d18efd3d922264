/** What of a work counts as it was agreed, and which check does not look at its tests (SPEC section 6). */
import { describe, expect, test } from "vitest";
import type { AlignedFiles } from "../../src/verdict/agreed-files.ts";
import { asAgreed, changedTests, type AgreedWorld } from "../../src/verdict/as-agreed.ts";
import type { CommandCheck } from "../../src/core/test-report.ts";
import { judge } from "../../src/core/verdict.ts";

type Texts = Readonly<Record<string, string>>;

function world(then: Texts, now: Texts): AlignedFiles & { readonly replaced: Map<string, string | null> } {
  const all = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  const replaced = new Map<string, string | null>();
  return {
    replaced,
    changed: all.filter((path) => then[path] !== now[path]),
    all: Object.keys(now),
    had: (path) => Promise.resolve(then[path] !== undefined),
    before: (path) => Promise.resolve(then[path] ?? null),
    now: (path) => now[path] ?? null,
    holding: (pattern, among = Object.keys(then)) => {
      const wanted = new RegExp(pattern.replaceAll("[:alnum:]", "A-Za-z0-9").replaceAll("[:space:]", "\\s"), "m");
      return Promise.resolve(among.filter((path) => then[path] !== undefined && wanted.test(then[path])));
    },
    replace: (files) => {
      replaced.clear();
      for (const [path, text] of files) replaced.set(path, text);
      return Promise.resolve();
    },
  };
}

const SUM = 'import assert from "node:assert"; import { sum } from "../src/sum.js";\nassert.equal(sum(1, 2), 3);\n';
const THEN: Texts = {
  "src/sum.js": "export const sum = () => 0;",
  "src/cli.js": 'import assert from "assert"; import { sum } from "./sum.js"; assert(sum);',
  "package.json": '{"bin":"src/cli.js"}',
  "checks/sum.mjs": SUM,
};

async function kinds(then: Texts, now: Texts, command = "node checks/sum.mjs"): Promise<readonly string[]> {
  const found = await changedTests(world(then, now), [command]);
  return found.map(({ path, kind }) => `${kind}: ${path}`);
}

describe("AS-AGREED-1: by what a file is, whatever its folder is called", () => {
  test.each([
    ["code that names a test library", { "checks/sum.mjs": "" }, ["test: checks/sum.mjs"]],
    ["not what a manifest starts, though it asserts", { "src/cli.js": "" }, []],
    ["a program", { "src/sum.js": "" }, []],
    ["a dotfile", { ".env": "A=1" }, ["configuration: .env"]],
    ["documents", { "README.md": "3", "docs/more.rst": "3" }, []],
  ])("%s", async (_, change, found) => {
    expect(await kinds(THEN, { ...THEN, ...change })).toEqual(found);
  });

  test("a helper of the tests in any folder; not one that a program imports, too", async () => {
    const then = {
      "kit/index.js": 'import assert from "node:assert"; export const same = assert.equal;',
      "checks/a.mjs": 'import { same } from "../kit/index.js"; import "node:test";',
    };
    expect(await kinds(then, { ...then, "kit/index.js": "" })).toEqual(["test: kit/index.js"]);
    const used = { ...then, "src/a.js": 'import { same } from "../kit/index.js";' };
    expect(await kinds(used, { ...used, "kit/index.js": "" })).toEqual([]);
  });

  test("data that a test or the command names, and no program; not what a search alone looks into", async () => {
    const then = {
      ...THEN,
      "golden/sum.txt": "3",
      "data/cases.json": "[]",
      "checks/b.mjs": 'import "node:test"; "cases.json"',
    };
    const now = { ...then, "golden/sum.txt": "0", "data/cases.json": "[1]" };
    expect(await kinds(then, now, "node src/cli.js | diff - golden/sum.txt")).toEqual([
      "data: golden/sum.txt",
      "data: data/cases.json",
    ]);
    expect(await kinds(then, now, "grep 0 golden/sum.txt")).toEqual(["data: data/cases.json"]);
    const read = { ...then, "src/more.js": 'read("cases.json")' };
    expect(await kinds(read, { ...read, "data/cases.json": "[1]" })).toEqual([]);
  });

  test("a new file in the place of a module that tests ask for", async () => {
    const then = { "a_test.rb": 'require "minitest/autorun"\nrequire "calc"', "lib/calc.rb": "0" };
    const now = { ...then, "lib/minitest/autorun.rb": "exit 0", "lib/calc.rb": "1", "lib/calc/more.rb": "2" };
    expect(await kinds(then, now)).toEqual(["stands in: lib/minitest/autorun.rb"]);
  });
});

describe("AS-AGREED-3: green with other expectations is blind", () => {
  async function played(
    green: (files: ReadonlyMap<string, string | null>) => boolean,
    note?: string,
  ): Promise<boolean | null> {
    const files = world(THEN, { ...THEN, "src/sum.js": "export const sum = (a, b) => a + b;" });
    const check: CommandCheck = { type: "command", value: "node checks/sum.mjs" };
    const evidence = {
      kind: "command",
      command: "",
      exit_code: 0,
      timed_out: false,
      duration_ms: 1,
      output: "",
      dropped_bytes: 0,
    } as const;
    const verdict = judge({ checklist: [{ item: "a", check }] }, () => ({ passed: true, evidence }));
    const given: AgreedWorld = {
      files,
      answers: [],
      failed: () => null,
      redRun: () => Promise.resolve({ could_run: true, said: "checks/sum.mjs:2" }),
      run: () => {
        const passed = green(files.replaced);
        return Promise.resolve({ passed, evidence: passed || note === undefined ? evidence : { ...evidence, note } });
      },
    };
    return (await asAgreed(verdict, "canary", [], given)).passed;
  }

  test.each([
    ["a check that looks", true, () => false],
    ["one that does not", false, () => true],
    [
      "one that sees the opposite alone",
      true,
      (files: ReadonlyMap<string, unknown>) => !String(files.get("checks/sum.mjs")).includes("notEqual"),
    ],
  ])("%s", async (_, passes, green) => {
    expect(await played(green)).toBe(passes);
  });

  test("what could not be loaded says nothing", async () => {
    expect(await played(() => false, "its tests could not be loaded")).toBe(true);
  });
});
