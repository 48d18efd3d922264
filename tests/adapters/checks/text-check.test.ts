import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkWarnings, createChecker } from "../../../src/adapters/checks/checker.ts";
import { redFirst } from "../../../src/adapters/checks/red-first.ts";
import type { Check } from "../../../src/core/state.ts";
import type { LeafResult } from "../../../src/core/verdict.ts";
import { tempFolder } from "../../fixtures/programs.ts";

const posix = process.platform !== "win32";
const never = new AbortController().signal;

function run(
  type: Check["type"] & ("contains" | "not_contains" | "file" | "not_file"),
  value: string,
  dir: string,
): Promise<LeafResult> {
  return createChecker({ max_matches: 3 }).run({ path: [0], item: "it", check: { type, value } }, dir, never);
}

test("SPEC 6, 14, law: contains passes exactly when the file holds the text, wherever it stands; not_contains is its opposite", async () => {
  const dir = tempFolder();
  const text = fc.stringMatching(/^[ab .*]{0,6}[ab]$/);
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.nat(200_000),
      fc.array(fc.constantFrom("a", "b", " ", "\n", "ab\n", ".")),
      async (wanted, gap, parts) => {
        const content = `${"x".repeat(gap)}${parts.join("")}`;
        writeFileSync(join(dir, "file.txt"), content);
        const at = content.indexOf(wanted);
        const plain = await run("contains", `${wanted} in file.txt`, dir);
        expect(plain.passed).toBe(at >= 0);
        expect((await run("not_contains", `${wanted} in file.txt`, dir)).passed).toBe(at < 0);
        const line = content.slice(0, at).split("\n").length;
        expect(plain.evidence).toMatchObject({
          kind: "file",
          total: at < 0 ? 0 : 1,
          matches: at < 0 ? [] : [`file.txt:${line}`],
        });
      },
    ),
    { numRuns: 200 },
  );
});

test("a text across two pieces of a file is found, with its line", async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "big"), `${"\n".repeat(64 * 1024 - 3)}needle${"x".repeat(100_000)}`);
  expect(await run("contains", "needle in big", dir)).toMatchObject({
    passed: true,
    evidence: { matches: [`big:${64 * 1024 - 2}`] },
  });
});

test("a glob looks into every file: all that hold the text are counted, the named ones are bounded; folders are passed over", async () => {
  const dir = tempFolder();
  mkdirSync(join(dir, "src", "TODO"), { recursive: true });
  for (const name of ["a", "b", "c", "d"]) writeFileSync(join(dir, "src", `${name}.ts`), "x\n// TODO\n");
  writeFileSync(join(dir, "src", "clean.ts"), "done\n");
  const { passed, evidence } = await run("not_contains", "TODO in src/*", dir);
  expect(passed).toBe(false);
  expect(evidence).toEqual({
    kind: "file",
    pattern: "TODO in src/*",
    total: 4,
    matches: ["src/a.ts:2", "src/b.ts:2", "src/c.ts:2"],
  });
  expect((await run("contains", "done in src/**", dir)).passed).toBe(true);
});

test("SPEC 14: a file's `exists: PATH` is the path, its `contains: TEXT in PATH` a look into it", async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "a.txt"), "one in two\n");
  expect(await run("file", "exists: a.txt", dir)).toMatchObject({ passed: true, evidence: { matches: ["a.txt"] } });
  expect((await run("not_file", "exists: a.txt", dir)).passed).toBe(false);
  expect((await run("file", "exists: ./b.txt", dir)).passed).toBe(false);
  expect(await run("file", "contains: one in two in a.txt", dir)).toMatchObject({
    passed: true,
    evidence: { matches: ["a.txt:1"] },
  });
  expect((await run("not_file", "contains: three in a.txt", dir)).passed).toBe(true);
  expect((await run("file", "contains: three in a.txt", dir)).passed).toBe(false);
});

test.each([
  ["where no file is, contains fails", "contains", "x in none.txt", { kind: "file", total: 0 }],
  [
    "where no file is, not_contains does not pass",
    "not_contains",
    "x in none.txt",
    { kind: "error", message: expect.stringContaining("no file none.txt") },
  ],
  ["a folder is no file", "not_contains", "x in folder", { kind: "error" }],
  [
    "a value without a path cannot be looked into",
    "contains",
    "x",
    { kind: "error", message: expect.stringContaining("TEXT in PATH") },
  ],
  ["nor one without a text", "not_contains", " in a.txt", { kind: "error" }],
  ["a broken glob is a problem", "not_contains", "x in a[", { kind: "error" }],
] as const)("SPEC 6: %s", async (_, type, value, evidence) => {
  const dir = tempFolder();
  mkdirSync(join(dir, "folder"));
  expect(await run(type, value, dir)).toMatchObject({ passed: false, evidence });
});

test.runIf(posix)("a pipe is no file, and is not waited for", async () => {
  const dir = tempFolder();
  execFileSync("mkfifo", [join(dir, "pipe")]);
  expect((await run("contains", "x in pipe", dir)).passed).toBe(false);
});

test("SPEC 6, red first: a text that is there already is vacuous, one without a file to look into is broken", async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "a.txt"), "one\n");
  const checklist = [
    { type: "contains", value: "one in a.txt" },
    { type: "contains", value: "two in a.txt" },
    { type: "not_contains", value: "one in b.txt" },
  ] as const;
  const { leaves } = await redFirst({ checklist: checklist.map((check) => ({ item: check.value, check })) }, dir, {
    trust: 0,
    signal: never,
  });
  expect(leaves.map(({ standing }) => standing)).toEqual(["vacuous", "red", "broken"]);
  expect(leaves[0]?.why).toContain("Name a text that only the work writes");
});

test("what looks wrong is said before it is run", () => {
  const of = (value: string): string => checkWarnings({ type: "file", value: `contains: ${value}` }, "/p").join(" | ");
  expect(of("x")).toContain("does not say where to look");
  expect(of('"x" in a.txt')).toContain("the quotes around");
  expect(of("x in ../a.txt")).toContain("outside the project");
  expect(of("x in a.txt")).toBe("");
});
