/** What of a work counts as it was agreed, and which check does not look at its tests (SPEC section 6). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AlignedFiles } from "../../src/verdict/agreed-files.ts";
import { asAgreed, changedTests, type AgreedWorld } from "../../src/verdict/as-agreed.ts";
import { whyBlind } from "../../src/verdict/blind.ts";
import { withCause } from "../../src/verdict/cause.ts";
import { whyUnnamed } from "../../src/verdict/unnamed.ts";
import type { CommandCheck } from "../../src/core/test-report.ts";
import { checkNodesOf, judge, type LeafResult } from "../../src/core/verdict.ts";

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
    borrowed: (name) => (name === "adder" ? { folder: "/home/me/node_modules", names: ["py-adder"] } : null),
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

  test("what bears the name of the program that a command or a script starts configures it", async () => {
    const then = {
      "src/a.js": "0",
      "biome.json": "{}",
      "knip.json": "{}",
      "locale.json": "{}",
      "data/biome.json": "{}",
    };
    const now = { "src/a.js": "1", "biome.json": "1", "knip.json": "1", "locale.json": "1", "data/biome.json": "1" };
    expect(await kinds(then, now, "node_modules/.bin/biome lint src")).toEqual(["configuration: biome.json"]);
    const scripted = {
      "package.json": '{"scripts":{"lint":"npx --no knip", "locale": "node make.js locale > locale.json"}}',
    };
    const found = await kinds({ ...then, ...scripted }, { ...now, ...scripted }, "npm run lint && npm run locale");
    expect(found).toEqual(["configuration: knip.json"]);
    expect(await kinds({}, { ok: "", "compose.yaml": "" }, "test -f ok && docker compose config")).toEqual([]);
  });

  test("a new file in the place of a module that tests ask for", async () => {
    const then = { "a_test.rb": 'require "minitest/autorun"\nrequire "calc"', "lib/calc.rb": "0" };
    const now = { ...then, "lib/minitest/autorun.rb": "exit 0", "lib/calc.rb": "1", "lib/calc/more.rb": "2" };
    expect(await kinds(then, now)).toEqual(["stands in: lib/minitest/autorun.rb"]);
  });
});

const CHECK: CommandCheck = { type: "command", value: "node checks/sum.mjs" };
const commandEvidence = (duration_ms: number) =>
  ({
    kind: "command",
    command: "",
    exit_code: 0,
    timed_out: false,
    duration_ms,
    output: "",
    dropped_bytes: 0,
  }) as const;

describe("BLIND-1: green with other expectations is blind", () => {
  /** @param said what the check prints of a file */
  async function played(
    green: (files: ReadonlyMap<string, string | null>) => boolean,
    note?: string,
    said = (text: string) => text,
  ): Promise<LeafResult> {
    const files = world(THEN, { ...THEN, "src/sum.js": "export const sum = (a, b) => a + b;" });
    const evidence = commandEvidence(1);
    const verdict = judge({ checklist: [{ item: "a", check: CHECK }] }, () => ({ passed: true, evidence }));
    const given: AgreedWorld = {
      files,
      answers: [],
      failed: () => null,
      known: () => ({ could_run: true, said: "checks/sum.mjs:2" }),
      learn: () => Promise.resolve(),
      run: () => {
        const passed = green(files.replaced);
        const output = said(files.replaced.get("checks/sum.mjs") ?? SUM);
        return Promise.resolve({ passed, evidence: { ...evidence, output, ...(!passed && note && { note }) } });
      },
    };
    return checkNodesOf((await asAgreed(verdict, whyBlind, [], given)).checklist)[0] ?? { passed: null, evidence };
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
    expect((await played(green)).passed).toBe(passes);
  });

  test("what could not be loaded says nothing", async () => {
    expect((await played(() => false, "its tests could not be loaded")).passed).toBe(true);
  });

  test("BLIND-2: nor what said the same of them before the work: it reads them, and runs none", async () => {
    const parsed = (files: ReadonlyMap<string, unknown>): boolean => ![...files.values()].join("").includes(")]}");
    const { passed, evidence } = await played(parsed, undefined, () => "checks/sum.mjs(2,3): error (took 12 ms)");
    expect([passed, "unnoticed" in evidence]).toEqual([true, false]);
    const silent = await played(parsed, undefined, () => "");
    expect(silent.passed).toBe(false);
  });
});

describe("UNNAMED-1: a package that lies in a folder of the person alone", () => {
  const evidence = commandEvidence(1);
  const whyFor = async (change: Texts): Promise<string | null> => {
    const given = { files: world(THEN, { ...THEN, ...change }) } as unknown as AgreedWorld;
    const found = await whyUnnamed({ item: "a", check: CHECK, passed: true, evidence }, [], given);
    return found?.evidence.kind === "command" ? `${found.passed} ${found.evidence.other_files?.join()}` : null;
  };
  test.each([
    ["import add from 'adder';", "src/sum.js"],
    ['const { add } = require("adder/lib");', "src/sum.js"],
    ["from adder.lib import add", "src/sum.py"],
  ])("%s", async (text, path) => {
    expect(await whyFor({ [path]: text })).toBe(`false ${path}`);
  });

  test("not what a manifest names, by whatever name, nor what is spoken of", async () => {
    const taken = { "src/sum.js": "import add from 'adder';" };
    expect(await whyFor({ ...taken, "package.json": '{"dependencies":{"adder":"1"}}' })).toBe(null);
    expect(await whyFor({ ...taken, "requirements.txt": "Py_Adder>=1" })).toBe(null);
    expect(await whyFor({ ...taken, "package.json": '{"dependencies":{"ladder":"1","adder-x":"1"}}' })).not.toBe(null);
    expect(await whyFor({ "src/sum.js": "// an adder\nexport const adder = 1;", "NOTES.md": "from 'adder'" })).toBe(
      null,
    );
  });
});

describe("BLIND-3: a check that complained of a program sees a fault there", () => {
  test.each([
    ["sees it", (text: string) => text.includes(")]}"), undefined],
    ["passes over that file", () => false, ["src/sum.js"]],
  ])("it %s", async (_, sees, unnoticed) => {
    const files = world(THEN, { ...THEN, "src/sum.js": "export const sum = (a, b) => a + b;" });
    const evidence = commandEvidence(1);
    const given: AgreedWorld = {
      files,
      answers: [],
      failed: () => null,
      known: () => ({ could_run: true, said: "/w/src/sum.js\n  1:2  error  no sum\nREADME.md:1" }),
      learn: () => Promise.resolve(),
      run: () => Promise.resolve({ passed: !sees(files.replaced.get("src/sum.js") ?? ""), evidence }),
    };
    const node = { item: "a", check: { ...CHECK, value: "lint src" }, passed: true, evidence };
    const found = await whyBlind(node, [], given);
    expect(found).toEqual(unnoticed === undefined ? null : { ...node, evidence: { ...evidence, unnoticed } });
  });
});

test("law: a cause is the changed files without which it is not green, of few in a short check; at most 8 runs, 2 seconds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), { minLength: 1 }),
      fc.nat(127),
      fc.constantFrom(50, 700, 5_000),
      async (names, mask, duration_ms) => {
        // A check may look into a document.
        const paths = ["README.md", ...names.map((name) => `src/${name}.js`)];
        const needed = paths.filter((_, at) => ((mask | 1) >> at) & 1);
        const files = world({}, Object.fromEntries(paths.map((path) => [path, "1"])));
        const [evidence, node] = [commandEvidence(duration_ms), { item: "a", check: CHECK, passed: true }];
        let runs = 0;
        const given: AgreedWorld = {
          files,
          answers: [],
          failed: () => null,
          known: () => null,
          learn: () => Promise.resolve(),
          run: () => {
            runs++;
            return Promise.resolve({ passed: needed.every((path) => !files.replaced.has(path)), evidence });
          },
        };
        const found = await withCause({ ...node, evidence }, [], given);
        const because = found?.evidence.kind === "command" ? (found.evidence.because ?? []) : [];
        if (found !== null) expect(because).toEqual(expect.arrayContaining(needed));
        else expect(paths.length > 1 && runs === Math.min(8, Math.floor(2_000 / duration_ms))).toBe(true);
        expect(runs).toBeLessThanOrEqual(Math.min(8, 2_000 / duration_ms));
        if (duration_ms === 50 && needed.length === 1 && paths.length <= 4) expect(because).toEqual(needed);
        expect(found?.passed ?? true).toBe(true);
      },
    ),
  );
});
