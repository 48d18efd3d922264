import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createChecker } from "../../../src/adapters/checks/checker.ts";
import { redFirst } from "../../../src/adapters/checks/red-first.ts";
import { createTestMemory } from "../../../src/adapters/checks/test-memory.ts";
import { keepTestRecord, readTestRecord, testRecord } from "../../../src/adapters/checks/test-record.ts";
import type { Objective } from "../../../src/core/state.ts";
import type { CommandCheck } from "../../../src/core/test-report.ts";
import type { LeafResult } from "../../../src/core/verdict.ts";
import { tempFolder } from "../../fixtures/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const signal = new AbortController().signal;
const CHECK: CommandCheck = { type: "command", value: `"${process.execPath}" run.mjs` };

/** A project whose suite runs the tests of `tests.json` and reports them as TAP. */
function project(tests: Readonly<Record<string, string>>): string {
  const dir = tempFolder();
  writeFileSync(
    join(dir, "run.mjs"),
    `import { readFileSync } from "node:fs";
     const tests = Object.entries(JSON.parse(readFileSync("tests.json", "utf8")));
     console.log("TAP version 13");
     tests.forEach(([name, outcome], i) => console.log((outcome === "fail" ? "not ok " : "ok ") + (i + 1) + " - " + name + (outcome === "skip" ? " # SKIP" : "")));
     console.log("1.." + tests.length);
     process.exit(tests.some(([, outcome]) => outcome === "fail") ? 1 : 0);\n`,
  );
  write(dir, tests);
  return dir;
}

function write(dir: string, tests: Readonly<Record<string, string>>): void {
  writeFileSync(join(dir, "tests.json"), JSON.stringify(tests));
}

async function aligned(
  dir: string,
  check: CommandCheck,
): Promise<{ readonly own: string; readonly objective: Objective }> {
  const { tests } = await redFirst(check, dir, { trust: 0, signal });
  const own = tempFolder();
  const record = testRecord(tests);
  expect(keepTestRecord(own, record)).toEqual([]);
  const objective = {
    base_case: check,
    aligned_commit: "c0",
    ...(record === null ? {} : { aligned_tests: record.digest }),
  };
  return { own, objective: objective as Objective };
}

async function run(check: CommandCheck, dir: string, own: string, objective: Objective): Promise<LeafResult> {
  const memory = createTestMemory(own);
  const checker = createChecker({ testsBefore: (one) => memory.before(objective, one) });
  return await checker.run({ path: [0], item: "tests", check }, dir, signal);
}

const WAS = { a: "ok", b: "fail", c: "fail", d: "skip" };

test("SPEC 6: no_worse with must_pass: the work passes, doing nothing, deleting, skipping and breaking do not", async () => {
  const check: CommandCheck = { ...CHECK, expect: "no_worse", must_pass: ["b"] };
  const dir = project(WAS);
  const { own, objective } = await aligned(dir, check);
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ["the work", { ...WAS, b: "ok" }, true],
    ["the work, and a test of its own", { ...WAS, b: "ok", e: "ok" }, true],
    ["nothing", WAS, false],
    ["deleted", { a: "ok", c: "fail", d: "skip" }, false],
    ["skipped", { ...WAS, b: "skip" }, false],
    ["another one skipped", { ...WAS, b: "ok", a: "skip" }, false],
    ["one that failed before deleted", { a: "ok", b: "ok", d: "skip" }, false],
    ["broken", { ...WAS, b: "ok", a: "fail" }, false],
  ];
  for (const [what, tests, wanted] of cases) {
    write(dir, tests);
    expect([what, (await run(check, dir, own, objective)).passed]).toEqual([what, wanted]);
  }
});

test("SPEC 6: a plain command whose failing test is deleted or skipped does not pass, and says which", async () => {
  const dir = project({ a: "ok", b: "fail" });
  const { own, objective } = await aligned(dir, CHECK);
  write(dir, { a: "ok" });
  const gone = await run(CHECK, dir, own, objective);
  expect(gone).toMatchObject({
    passed: false,
    evidence: { exit_code: 0, tests: { vanished: { total: 1, names: ["b"] } } },
  });
  write(dir, { a: "ok", b: "skip" });
  expect(await run(CHECK, dir, own, objective)).toMatchObject({
    passed: false,
    evidence: { tests: { newly_skipped: { names: ["b"] } } },
  });
  const allowed: CommandCheck = { ...CHECK, allow_removed: ["b"] };
  expect(await run(allowed, dir, own, objective)).toMatchObject({
    passed: true,
    evidence: { tests: { allowed: { names: ["b"] } } },
  });
  writeFileSync(join(dir, "run.mjs"), "");
  expect(await run(CHECK, dir, own, objective)).toMatchObject({ passed: false });
  write(dir, { a: "ok", b: "ok" });
});

test("TEST-RECORD-1: a record that is gone or changed is lost, and is made anew where the folder is as at the alignment", async () => {
  const check: CommandCheck = { ...CHECK, expect: "no_worse", must_pass: ["b"] };
  const dir = project(WAS);
  const { own, objective } = await aligned(dir, check);
  expect(readTestRecord(own, objective)).toBeInstanceOf(Map);
  const file = join(own, readdirSync(own)[0] ?? "");
  const text = readFileSync(file, "utf8");
  const forged = text.replace('["a",1,0,0]', '["a",0,1,0]');
  expect(forged).not.toBe(text);
  writeFileSync(file, forged);
  write(dir, { ...WAS, a: "fail", b: "ok" });
  expect(await run(check, dir, own, objective)).toMatchObject({
    passed: false,
    evidence: { note: expect.stringContaining("lost") },
  });
  rmSync(file);
  expect(existsSync(file)).toBe(false);
  const memory = createTestMemory(own);
  expect(memory.wanted(objective)).toEqual([check]);
  await memory.learn(objective, [check], { dir: project(WAS), env: undefined, signal });
  expect(memory.wanted(objective)).toEqual([]);
  const checker = createChecker({ testsBefore: (one) => memory.before(objective, one) });
  const leaf = { path: [0], item: "tests", check };
  expect(await checker.run(leaf, dir, signal)).toMatchObject({
    passed: false,
    evidence: { tests: { failing: { names: ["a"] } } },
  });
  write(dir, { ...WAS, b: "ok" });
  expect(await checker.run(leaf, dir, signal)).toMatchObject({ passed: true });
});

test("a report in a file counts only where this run wrote it", async () => {
  const dir = tempFolder();
  const suite = '<testsuite name="s"><testcase name="a"/></testsuite>';
  writeFileSync(
    join(dir, "write.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync("junit.xml", ${JSON.stringify(suite)});`,
  );
  writeFileSync(join(dir, "idle.mjs"), "");
  writeFileSync(join(dir, "junit.xml"), suite);
  const check = (script: string): CommandCheck => ({
    type: "command",
    value: `"${process.execPath}" ${script}`,
    report: "*.xml",
    must_pass: ["a"],
  });
  const ran = async (script: string): Promise<LeafResult> =>
    await createChecker().run({ path: [0], item: "x", check: check(script) }, dir, signal);
  expect(await ran("write.mjs")).toMatchObject({ passed: true, evidence: { tests: { format: "junit", passed: 1 } } });
  expect(await ran("idle.mjs")).toMatchObject({
    passed: false,
    evidence: { note: expect.stringContaining("wrote no test report") },
  });
});

test("SPEC 6: an output beyond the bound is not read, and no check that needs its tests passes", async () => {
  const dir = project({ a: "ok" });
  writeFileSync(
    join(dir, "flood.mjs"),
    'const line = "x".repeat(1023) + "\\n"; for (let i = 0; i < 33 * 1024; i++) process.stdout.write(line); console.log("1..1\\nok 1 - a");',
  );
  const value = `"${process.execPath}" flood.mjs`;
  const checker = createChecker();
  const of = async (check: CommandCheck): Promise<LeafResult> =>
    await checker.run({ path: [0], item: "x", check }, dir, signal);
  expect(await of({ type: "command", value })).toMatchObject({ passed: true });
  expect(await of({ type: "command", value, must_pass: ["a"] })).toMatchObject({
    passed: false,
    evidence: { note: expect.stringContaining("larger than 32 MB") },
  });
});
