import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createChecker } from "../../../src/adapters/checks/checker.ts";
import { couldNotRun } from "../../../src/adapters/checks/command-check.ts";
import type { Check } from "../../../src/core/state.ts";
import type { LeafResult } from "../../../src/core/verdict.ts";
import { isAlive } from "../../../src/host/process.ts";
import { pidsIn, reapLater, shellLine, tempFolder, TWO_SLEEPERS } from "../../fixtures/programs.ts";
import { needs } from "../../support/needs.ts";

vi.setConfig({ testTimeout: 60_000 });

const posix = process.platform !== "win32";
const never = new AbortController().signal;

function run(check: Check, dir: string, signal = never): Promise<LeafResult> {
  return createChecker({ max_matches: 3, output_bytes: 200 }).run({ path: [0], item: "it", check }, dir, signal);
}
function exits(code: number): string {
  return `"${process.execPath}" -e "process.exit(${code})"`;
}

test("SPEC 6: command passes with exit code 0 and with no other; not_command is its opposite for what ran", async () => {
  const dir = tempFolder();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1, 2, 3, 100, 125, 128, 255), async (code) => {
      const command = await run({ type: "command", value: exits(code) }, dir);
      const inverse = await run({ type: "not_command", value: exits(code) }, dir);
      expect(command.passed).toBe(code === 0);
      expect(inverse.passed).toBe(code !== 0 && code < 128);
      expect(command.evidence).toMatchObject({
        kind: "command",
        command: exits(code),
        exit_code: code,
        timed_out: false,
      });
    }),
    { numRuns: 8 },
  );
}, 30_000);

test("SPEC 6: the evidence is the command, its exit code, duration and the bounded tail of its output", async () => {
  const { passed, evidence } = await run({ type: "command", value: shellLine("prints.mjs", "100000") }, tempFolder());
  expect(passed).toBe(true);
  if (evidence.kind !== "command") throw new Error(`expected evidence of a command, got ${evidence.kind}`);
  expect(evidence.output).toHaveLength(200);
  expect(evidence.output.endsWith("end\n")).toBe(true);
  expect(evidence.dropped_bytes).toBe(100_000 + 4 - 200);
  expect(evidence.duration_ms).toBeGreaterThanOrEqual(0);
  expect(evidence).not.toHaveProperty("note");
});

test.runIf(posix).each([
  ["a fatal error of git", "git grep -n TODO -- src", 128, "fatal"],
  ["git's usage error", "git grep --no-such-flag TODO", 129, "129"],
  ["a search in what is not there", "grep -rn TODO no-such-folder", 2, "grep"],
  ["one in a pipe", "echo x | grep -E '('", 2, "grep"],
  ["a program's own fatal code", exits(255), 255, "fatal"],
])("SPEC 6: not_command does not pass on %s", async (_, value, exit_code, note) => {
  // In no repository.
  const { passed, evidence } = await run({ type: "not_command", value }, tempFolder());
  expect(passed).toBe(false);
  expect(evidence).toMatchObject({ exit_code, ...(note !== undefined && { note: expect.stringContaining(note) }) });
});

test.runIf(posix)(
  "SPEC 6: not_command passes on a search that found nothing, and on any other program's no",
  async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, "a.txt"), "fine\n");
    for (const value of [
      "grep -rn TODO .",
      "ls no-such-file",
      exits(2),
      "cat a.txt | grep -q TODO",
      "diff a.txt /dev/null",
    ])
      expect(await run({ type: "not_command", value }, dir), value).toMatchObject({ passed: true });
  },
);

test.runIf(posix).each([
  ["a missing program", "no-such-program-anywhere --flag", 127, "no such program"],
  ["a program that is not executable", "./text", 126, "cannot be executed"],
  ["a program that the shell saw killed", `sh -c 'kill -9 $$'; exit $?`, 137, "SIGKILL"],
])("SPEC 6: not_command does not pass on %s", async (_, value, exit_code, note) => {
  if (value.startsWith("sh ")) needs("sh");
  const dir = tempFolder();
  writeFileSync(join(dir, "text"), "no program\n");
  chmodSync(join(dir, "text"), 0o644);
  for (const type of ["not_command", "command"] as const) {
    const { passed, evidence } = await run({ type, value }, dir);
    expect(passed).toBe(false);
    expect(evidence).toMatchObject({ kind: "command", exit_code, note: expect.stringContaining(note) });
  }
});

test.runIf(posix)(
  "SPEC 6: a timed-out check is false of either type, says so, and its whole process group is killed",
  async () => {
    needs("sleep");
    for (const type of ["command", "not_command"] as const) {
      const { passed, evidence } = await run({ type, value: TWO_SLEEPERS, timeout: 1 }, tempFolder());
      if (evidence.kind !== "command") throw new Error(`expected evidence of a command, got ${evidence.kind}`);
      const pids = pidsIn(evidence.output);
      reapLater(pids);
      expect(passed).toBe(false);
      expect(evidence).toMatchObject({ timed_out: true, note: expect.stringContaining("within its time") });
      expect(pids).toHaveLength(2);
      expect(pids.filter(isAlive)).toEqual([]);
    }
  },
  20_000,
);

test("the default time limit applies to checks that name none", async () => {
  const checker = createChecker({ default_timeout_ms: 300 });
  const leaf = { path: [0], item: "it", check: { type: "command", value: shellLine("hangs.mjs") } } as const;
  expect(await checker.run(leaf, tempFolder(), never)).toMatchObject({ passed: false, evidence: { timed_out: true } });
});

test("a stopped check is undecided, neither passed nor failed", async () => {
  const dir = tempFolder();
  const controller = new AbortController();
  const running = run({ type: "not_command", value: shellLine("hangs.mjs") }, dir, controller.signal);
  setTimeout(() => controller.abort(), 50);
  expect(await running).toMatchObject({ passed: null, evidence: { kind: "undecided" } });
  for (const type of ["command", "file", "not_file"] as const)
    expect((await run({ type, value: "x" }, dir, controller.signal)).passed).toBeNull();
});

test("a folder that is not there is an error, and no check passes in it", async () => {
  const dir = join(tempFolder(), "gone");
  for (const type of ["command", "not_command", "file", "not_file"] as const)
    expect(await run({ type, value: "exit 1" }, dir)).toMatchObject({
      passed: false,
      evidence: { kind: "error", message: expect.stringContaining(dir) },
    });
});

test("could not run: the shell's and Windows' ways to say so", () => {
  const run = (exit_code: number, stderr = ""): Parameters<typeof couldNotRun>[0] => ({
    exit_code,
    signal: null,
    timed_out: false,
    stderr,
  });
  for (const code of [0, 1, 2, 9, 125, 128, 160, 255]) expect(couldNotRun(run(code), "linux")).toBeNull();
  for (const code of [126, 127, 129, 130, 134, 137, 139, 143])
    expect(couldNotRun(run(code), "linux")).toContain(String(code));
  for (const said of [
    "npm error enoent Could not read package.json: Error: ENOENT",
    'npm error Missing script: "test"',
  ])
    expect(couldNotRun(run(said.includes("script") ? 1 : 254, said), "linux")).toContain("package.json");
  expect(couldNotRun(run(1), "win32")).toBeNull();
  expect(couldNotRun(run(127), "win32")).toBeNull();
  expect(couldNotRun(run(9009), "win32")).toContain("no such program");
  expect(couldNotRun(run(1, "'x' is not recognized as an internal or external command,\r\n"), "win32")).toContain(
    "no such program",
  );
  expect(couldNotRun(run(0xc0000005), "win32")).toContain("crashed");
});

function project(): string {
  const dir = tempFolder();
  for (const folder of ["src/.hidden", "app/[id]", ".git", "dist", ".claude/aot-loop", ".claude/loops/x", "other"])
    mkdirSync(join(dir, folder), { recursive: true });
  for (const file of (
    "src/a.ts src/b.ts src/.hidden/c.ts .env app/[id]/page.tsx .git/HEAD .claude/aot-loop/x.ts " +
    ".claude/loops/x/01-A.ts other/d.js"
  ).split(" "))
    writeFileSync(join(dir, file), "");
  return dir;
}

test.each([
  ["src/a.ts", ["src/a.ts"], 1],
  ["src", ["src"], 1],
  ["src/", ["src/"], 1],
  ["src/*.ts", ["src/a.ts", "src/b.ts"], 2],
  ["src/**", ["src/.hidden", "src/.hidden/c.ts", "src/a.ts"], 4],
  ["**/*.ts", ["src/.hidden/c.ts", "src/a.ts", "src/b.ts"], 3],
  ["*", [".claude", ".env", "app"], 6],
  ["*/", [".claude", "app", "dist"], 5],
  [".e*", [".env"], 1],
  ["dis?", ["dist"], 1],
  ["{src,other}/*.{ts,js}", ["other/d.js", "src/a.ts", "src/b.ts"], 3],
  ["{src/.hidden,other}/*", ["other/d.js", "src/.hidden/c.ts"], 2],
  ["./src/[ab].ts", ["src/a.ts", "src/b.ts"], 2],
  ["app/[id]/page.tsx", ["app/[id]/page.tsx"], 1],
  [".git/H*", [".git/HEAD"], 1],
  [".claude/aot-loop/*.ts", [".claude/aot-loop/x.ts"], 1],
  ["**/01-A.ts", [], 0],
  ["src/*.js", [], 0],
  ["src/z.ts", [], 0],
  ["dist/*", [], 0],
  ["**/HEAD", [], 0],
  ["nowhere/**", [], 0],
])("SPEC 6: the path or glob %s matches %j", async (value, named, total) => {
  const dir = project();
  const found = await run({ type: "file", value }, dir);
  expect(found).toMatchObject({ passed: total > 0, evidence: { kind: "file", pattern: value, total } });
  if (found.evidence.kind === "file") {
    expect(found.evidence.matches).toHaveLength(Math.min(total, 3));
    if (total <= 3) expect(found.evidence.matches).toEqual(named);
  }
  expect((await run({ type: "not_file", value }, dir)).passed).toBe(total === 0);
});

test("absolute paths and .. are looked at where they say", async () => {
  const dir = project();
  const inside = join(dir, "src");
  expect(await run({ type: "file", value: join(dir, "src/a.ts") }, inside)).toMatchObject({ passed: true });
  expect(await run({ type: "file", value: `${dir.replaceAll("\\", "/")}/other/*.js` }, dir)).toMatchObject({
    passed: true,
    evidence: { matches: ["other/d.js"] },
  });
  expect(await run({ type: "file", value: "../other/*.js" }, inside)).toMatchObject({
    passed: true,
    evidence: { matches: [join(dir, "other", "d.js")] },
  });
  expect((await run({ type: "file", value: "../other/*.ts" }, inside)).passed).toBe(false);
});

test("links are followed; a link upwards ends the walk and not the check; a dangling one is nothing", async () => {
  const dir = project();
  symlinkSync(join(dir, "other"), join(dir, "linked"), "junction");
  symlinkSync(dir, join(dir, "src", "up"), "junction");
  symlinkSync(join(dir, "gone"), join(dir, "dangling"), "junction");
  expect(await run({ type: "file", value: "linked/*.js" }, dir)).toMatchObject({ passed: true });
  expect(await run({ type: "file", value: "lin*" }, dir)).toMatchObject({
    passed: true,
    evidence: { matches: ["linked"] },
  });
  expect(await run({ type: "file", value: "**/d.js" }, dir)).toMatchObject({ passed: true, evidence: { total: 2 } });
  for (const value of ["dangling", "dang*"]) expect((await run({ type: "not_file", value }, dir)).passed).toBe(true);
});

test.each(["", "  ", "src/[", "{a,b", "*.{ts", "@(", "!src/*.ts", "*/../src", "a".repeat(70_000) + "*", "nul\0*"])(
  "SPEC 6: a broken glob is an error and never passes, least of all as not_file",
  async (value) => {
    const dir = project();
    for (const type of ["file", "not_file"] as const) {
      const { passed, evidence } = await run({ type, value }, dir);
      expect(passed).toBe(false);
      expect(evidence.kind).toBe("error");
    }
  },
);

test.runIf(posix)("SPEC 6: a folder that cannot be looked into is an error, not nothing", async () => {
  const dir = project();
  chmodSync(dir, 0o755);
  chmodSync(join(dir, "other"), 0o000);
  // Nothing is closed to root: look as somebody else.
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  const [missing, found] = await Promise.all(
    ["**/d.js", "**/a.ts"].map((value) => run({ type: "not_file", value }, dir)),
  ).finally(() => root && process.seteuid?.(0));
  chmodSync(join(dir, "other"), 0o755);
  expect(missing).toMatchObject({
    passed: false,
    evidence: { kind: "error", message: expect.stringContaining("other") },
  });
  expect(found).toMatchObject({ passed: false, evidence: { kind: "file", total: 1 } });
});

test("SPEC 6: a run again is a run: what a tool remembers of tests that passed is no second answer", async () => {
  const checker = createChecker({ env: { ...process.env, GOFLAGS: "-mod=mod" } });
  const value = 'test "$GOFLAGS $TURBO_FORCE $NX_SKIP_NX_CACHE" = "-mod=mod -count=1 true true"';
  const leaf = { path: [0], item: "c", check: { type: "command", value } } as const;
  const run = async (how?: "again"): Promise<boolean | null> =>
    (await checker.run(leaf, process.cwd(), new AbortController().signal, how)).passed;
  expect([await run(), await run("again")]).toEqual([false, true]);
});
