import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingSetUp } from "../../../src/adapters/checks/missing-set-up.ts";
import { redFirst } from "../../../src/adapters/checks/red-first.ts";
import { tempFolder } from "../../fixtures/programs.ts";

const signal = new AbortController().signal;

function said(dir: string, output: string, command = "npm test"): string | null {
  const facts = { exit_code: 1, timed_out: false, duration_ms: 1, dropped_bytes: 0 };
  return missingSetUp({ kind: "command", command, output, ...facts }, dir);
}

function withPackage(...locks: readonly string[]): string {
  const dir = tempFolder();
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ name: "own", type: "module", devDependencies: { vitest: "4", "@scope/kit": "1" } }),
  );
  for (const lock of locks) writeFileSync(join(dir, lock), "");
  return dir;
}

test("SPEC 6: a declared package that is not installed is no work; what sets the folder up is named", () => {
  const npm = withPackage("package-lock.json");
  expect(said(npm, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from /x/a.js")).toContain(
    "npm ci",
  );
  expect(said(npm, "Error: Cannot find module '@scope/kit/sub'\nRequire stack:")).toContain("@scope/kit");
  expect(said(withPackage("pnpm-lock.yaml"), "Cannot find package 'vitest'")).toContain("pnpm install");
  expect(said(withPackage(), "sh: 1: vitest: not found")).toContain("npm install");
  expect(said(npm, "sh: line 1: vitest: command not found")).toContain("npm ci");
  const python = tempFolder();
  writeFileSync(join(python, "requirements.txt"), "");
  expect(said(python, "ModuleNotFoundError: No module named 'requests'", "pytest")).toContain("requirements.txt");
});

test("what may be the work itself stays red", () => {
  const dir = withPackage("package-lock.json");
  for (const output of [
    "Error: Cannot find module './parser.js'",
    "Cannot find module '/x/src/parser.js' imported from /x/a.js",
    "Cannot find package 'left-pad' imported from /x/a.js",
    "AssertionError: 2 == 3",
  ])
    expect([output, said(dir, output)]).toEqual([output, null]);
  mkdirSync(join(dir, "node_modules", "vitest"), { recursive: true });
  expect(said(dir, "Cannot find package 'vitest'")).toBe(null);
  expect(said(dir, "sh: 1: vitset: not found", "vitset run")).toBe(null);
  writeFileSync(join(dir, "parser.py"), "");
  expect(said(dir, "ModuleNotFoundError: No module named 'parser'", "pytest")).toBe(null);
});

test("SPEC 6: red first: such a check is broken, and not red as it should be", async () => {
  const dir = withPackage("package-lock.json");
  writeFileSync(join(dir, "a.js"), 'import "vitest";\n');
  const { leaves } = await redFirst({ type: "command", value: `"${process.execPath}" a.js` }, dir, {
    trust: 0,
    signal,
  });
  expect(leaves[0]).toMatchObject({ standing: "broken", why: expect.stringContaining("npm ci") });
});
