import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { checkWarnings } from "../../../src/adapters/checks/checker.ts";
import { redFirst } from "../../../src/adapters/checks/red-first.ts";
import type { Check, ChecklistItem } from "../../../src/core/state.ts";
import { shellLine, tempFolder } from "../../fixtures/programs.ts";
import { needs } from "../../support/needs.ts";

vi.setConfig({ testTimeout: 60_000 });

const posix = process.platform !== "win32";
const never = new AbortController().signal;
const exit = (code: number): string => `"${process.execPath}" -e "process.exit(${code})"`;
const leaf = (item: string, check: Check): ChecklistItem => ({ item, check });

test("SPEC 6: red first: what fails is red, what passes is vacuous or a declared invariant, what needs a judge waits", async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, "there"), "");
  const report = await redFirst(
    {
      checklist: [
        leaf("fails", { type: "command", value: exit(1) }),
        leaf("passes", { type: "command", value: exit(0) }),
        leaf("stays", { type: "command", value: exit(0), baseline: "pass" }),
        leaf("missing", { type: "file", value: "made.txt" }),
        leaf("there", { type: "file", value: "there" }),
        leaf("broken glob", { type: "not_file", value: "src/[" }),
        leaf("nice", { type: "assertion", value: "it is nice" }),
      ],
    },
    dir,
    { trust: 0, signal: never },
  );
  expect(report.leaves.map((l) => [l.item, l.standing])).toEqual([
    ["fails", "red"],
    ["passes", "vacuous"],
    ["stays", "invariant"],
    ["missing", "red"],
    ["there", "vacuous"],
    ["broken glob", "broken"],
    ["nice", "undecided"],
  ]);
  expect(report.leaves.every((l) => l.why.length > 10)).toBe(true);
  expect(report).toMatchObject({ would_complete_now: false, verdict: { passed: false }, warnings: [] });
});

test.runIf(posix)("SPEC 6: a check that cannot run is an error, of either command type", async () => {
  needs("sh");
  const checks: [Check, string][] = [
    [{ type: "command", value: "no-such-program-anywhere" }, "broken"],
    [{ type: "not_command", value: "no-such-program-anywhere" }, "broken"],
    [{ type: "command", value: shellLine("hangs.mjs"), timeout: 0.5 }, "broken"],
    [{ type: "not_command", value: shellLine("hangs.mjs"), timeout: 0.5 }, "broken"],
    [{ type: "not_command", value: "kill -SEGV $$" }, "broken"],
    // The crash may be what the work is about.
    [{ type: "command", value: "kill -SEGV $$" }, "red"],
    [{ type: "command", value: "sh -c 'kill -SEGV $$'; exit $?" }, "red"],
  ];
  const report = await redFirst({ checklist: checks.map(([check], i) => leaf(`c${i}`, check)) }, tempFolder(), {
    trust: 0,
    signal: never,
  });
  expect(report.leaves.map((l) => l.standing)).toEqual(checks.map(([, standing]) => standing));
  expect(report.leaves[0]?.why).toContain("no such program");
});

test("SPEC 6: the whole is vacuous only if it would complete now", async () => {
  const dir = tempFolder();
  const red = leaf("red", { type: "command", value: exit(1) });
  const green = leaf("green", { type: "command", value: exit(0) });
  const judged = leaf("judged", { type: "assertion", value: "x" });
  const completes = async (checklist: ChecklistItem[]): Promise<boolean> =>
    (await redFirst({ checklist }, dir, { trust: 0, signal: never })).would_complete_now;
  expect(await completes([{ item: "any", any_of: [red, green] }])).toBe(true);
  expect(await completes([{ item: "any", any_of: [red, green] }, red])).toBe(false);
  expect(await completes([{ item: "all", group: [green, green] }])).toBe(true);
  expect(await completes([green, judged])).toBe(false);
});

test("a check that is declared an invariant and fails now is red, with a warning", async () => {
  const report = await redFirst({ type: "command", value: exit(1), baseline: "pass" }, tempFolder(), {
    trust: 0,
    signal: never,
  });
  expect(report.leaves[0]?.standing).toBe("red");
  expect(report.warnings).toMatchObject([{ path: [0], message: expect.stringContaining("baseline: pass") }]);
});

test("a stopped report leaves the rest undecided", async () => {
  const report = await redFirst({ type: "command", value: exit(0) }, tempFolder(), {
    trust: 0,
    signal: AbortSignal.abort(),
  });
  expect(report.leaves[0]?.standing).toBe("undecided");
});

const warned = (check: Check): string =>
  checkWarnings(check, posix ? "/home/me/project" : "C:\\me\\project").join(" | ");

test.each([
  ["npm audit --audit-level=high", true],
  ["git grep -q true -- file", false],
  ["echo x | grep y", false],
])("SPEC 14: not_command: %s is warned about as inverted, unless it searches: %s", (value, isInverted) => {
  expect(warned({ type: "not_command", value }).includes("passes exactly when")).toBe(isInverted);
  expect(warned({ type: "command", value })).toBe("");
});

test.each([
  ["npm test || true", "always succeeds"],
  ["npm test || echo failed", "echo"],
  ["npm start &", "background"],
  ["npm test | tee log.txt", "pipe"],
  ["", "always succeeds"],
  ["  # later", "always succeeds"],
  ["npm test; true", "always succeeds"],
  ["npm test || exit 0;", "always succeeds"],
  ["npm test\ntrue", "always succeeds"],
  ["true", "always succeeds"],
  ["echo done", "always succeeds"],
  ["exit 1", "always fails: this check can never pass"],
])("a command that hides its result is warned about: %j", (value, words) => {
  expect(warned({ type: "command", value })).toContain(words);
  expect(warned({ type: "not_command", value })).not.toBe("");
});

test.each(["node --test tests/", "npm run build && node --no-warnings --test --test-only test/unit/ x"])(
  "a folder after node --test is warned about: %s",
  (value) => {
    expect(warned({ type: "command", value })).toContain("Node 20 and 26 only");
  },
);

test.each([
  "npm test",
  "node --test",
  "node --test --watch",
  "mynode --test tests/",
  "node --test tests/a.test.mjs",
  "node --test 'tests/**/*.test.js' && ls tests/",
  "node --test --test-reporter=tap; ls tests",
  "test -f a || exit 1",
  "node -e 'process.exit(0)'",
])("an ordinary command is not warned about: %s", (value) => {
  expect(warned({ type: "command", value })).toBe("");
});

test("paths outside the project, absolute, empty or with ~ are warned about", () => {
  const dir = tempFolder();
  mkdirSync(join(dir, "project"));
  const of = (value: string): string => checkWarnings({ type: "file", value }, join(dir, "project")).join(" | ");
  expect(of(join(dir, "elsewhere.txt"))).toContain("outside the project");
  expect(of("../elsewhere.txt")).toContain("outside the project");
  expect(of(join(dir, "project", "in.txt"))).toContain("clean checkout");
  expect(of("~/x")).toContain("not expanded");
  expect(of("")).toContain("empty");
  for (const fine of ["src/**/*.ts", "..hidden", "a/../b", ".env"]) expect(of(fine)).toBe("");
});
