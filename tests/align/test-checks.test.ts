import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { redFirst } from "../../src/adapters/checks/red-first.ts";
import { readAlignment } from "../../src/align/alignment-file.ts";
import { redTests, withNoWorse, withRedInvariants } from "../../src/align/test-checks.ts";
import type { BaseCase } from "../../src/core/state.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { aot, aotJson } from "../support/aot.ts";
import { readFileSync } from "node:fs";

vi.setConfig({ testTimeout: 60_000 });

const signal = new AbortController().signal;

/** A folder whose suite has one test that passes and two that fail. */
function project(): { readonly dir: string; readonly suite: string } {
  const dir = temporaryFolder();
  const lines = ["TAP version 13", "ok 1 - stays", "not ok 2 - wanted", "not ok 3 - legacy", "1..3"];
  writeFileSync(join(dir, "suite.mjs"), `console.log(${JSON.stringify(lines.join("\n"))}); process.exitCode = 1;\n`);
  mkdirSync(join(dir, ".claude"), { recursive: true });
  return { dir, suite: `"${process.execPath}" suite.mjs` };
}

function checkIn(dir: string): unknown {
  const read = parseState(readFileSync(join(dir, ".claude", "aot-loop-state.md"), "utf8"));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { base_case } = read.document.state.objective;
  const [item] = "checklist" in base_case ? base_case.checklist : [];
  return item !== undefined && "check" in item ? item.check : base_case;
}

test("SPEC 6: a test command that is red says how many failures were there, and which tests they are", async () => {
  const { dir, suite } = project();
  const report = await redFirst({ type: "command", value: suite }, dir, { trust: 0, signal });
  expect(report.leaves[0]?.why).toContain("2 failures were there before");
  expect(redTests(report)).toMatchObject([{ failures: ["wanted", "legacy"] }]);
  const [found] = redTests(report);
  if (found === undefined) throw new Error("no tests were found");
  const baseCase: BaseCase = {
    checklist: [
      { item: "one", any_of: [{ item: "tests", check: found.check }] },
      { item: "b", check: { type: "file", value: "b" } },
    ],
  };
  expect(withNoWorse(baseCase, [found.check], ["wanted"])).toEqual({
    checklist: [
      {
        item: "one",
        any_of: [{ item: "tests", check: { ...found.check, expect: "no_worse", must_pass: ["wanted"] } }],
      },
      { item: "b", check: { type: "file", value: "b" } },
    ],
  });
});

test("SPEC 6: of a report that names only the tests that failed (pytest -q) it is said how many there were", async () => {
  const dir = temporaryFolder();
  const lines = [
    "=========================== short test summary info ============================",
    "FAILED tests/test_a.py::test_wanted - AssertionError",
    "FAILED tests/test_b.py::test_legacy - AssertionError",
    "2 failed, 26 passed in 1.75s",
  ];
  writeFileSync(join(dir, "suite.mjs"), `console.log(${JSON.stringify(lines.join("\n"))}); process.exitCode = 1;\n`);
  const report = await redFirst({ type: "command", value: `"${process.execPath}" suite.mjs` }, dir, {
    trust: 0,
    signal,
  });
  expect(report.leaves[0]?.why).toMatch(/2 failures were there before.* Where only some have to: --no-worse /);
  expect(redTests(report)).toEqual([]);
});

test("SPEC 6: no_worse without must_pass is vacuous alone; an invariant whose tests fail becomes no_worse", async () => {
  const { dir, suite } = project();
  const standing = async (check: BaseCase): Promise<string | undefined> =>
    (await redFirst(check, dir, { trust: 0, signal })).leaves[0]?.standing;
  expect(await standing({ type: "command", value: suite, expect: "no_worse" })).toBe("vacuous");
  expect(await standing({ type: "command", value: suite, expect: "no_worse", must_pass: ["wanted"] })).toBe("red");
  const invariant: BaseCase = { type: "command", value: suite, baseline: "pass" };
  const settled = withRedInvariants(invariant, await redFirst(invariant, dir, { trust: 0, signal }));
  expect(settled).toEqual({ ...invariant, expect: "no_worse" });
  expect(await standing(settled)).toBe("invariant");
  const none: BaseCase = { type: "command", value: `"${process.execPath}" -e 0`, expect: "no_worse" };
  expect(await standing(none)).toBe("broken");
});

test("aot align: --no-worse, --must-pass and --allow-removed, read back from the state file", async () => {
  const { dir, suite } = project();
  const flags = ["--must-pass", "wanted", "--allow-removed", "old *", "--yes"];
  const check = { type: "command", value: suite, expect: "no_worse", must_pass: ["wanted"], allow_removed: ["old *"] };
  const ran = await aotJson(["align", "wanted works", "--no-worse", suite, ...flags], { cwd: dir });
  expect(ran).toMatchObject({ code: 0, json: { objective: { aligned_tests: expect.stringMatching(/^sha256:/) } } });
  expect(checkIn(dir)).toEqual(check);
  // One line: --must-pass says the same of --check.
  const other = project();
  const words = { ...check, value: other.suite };
  expect(await aot(["align", "wanted works", "--check", other.suite, ...flags], { cwd: other.dir })).toMatchObject({
    code: 0,
  });
  expect(checkIn(other.dir)).toEqual(words);
  const idle = await aot(["align", "x", "--check", "file: a", "--must-pass", "wanted", "--yes"], {
    cwd: project().dir,
  });
  expect(idle).toMatchObject({ code: 2, err: expect.stringContaining("--must-pass needs a command") });
});

test("a file says the same of a check, and may not say what only an alignment finds", () => {
  const text = (more: string): string =>
    `base_case:\n  type: command\n  value: npm test\n  expect: no_worse\n  must_pass: [a]\n  report: junit.xml\n${more}`;
  expect(readAlignment(text(""))).toMatchObject({
    ok: true,
    value: { base_case: { must_pass: ["a"], report: "junit.xml" } },
  });
  expect(readAlignment(text("aligned_tests: sha256:0\n")).ok).toBe(false);
  expect(readAlignment("base_case: { type: command, value: a, expect: better }").ok).toBe(false);
});
