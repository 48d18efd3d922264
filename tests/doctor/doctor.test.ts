/** `aot doctor`: what is as it should be is not warned of, each value has its origin, and cleaning loses nothing. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdRunLock } from "../../src/adapters/store/run-lock.ts";
import { createGitWorkspace } from "../../src/adapters/workspace/git-workspace.ts";
import { cleanUp } from "../../src/doctor/leftovers.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { examine } from "../../src/doctor/doctor.ts";
import { newHolder } from "../../src/host/lock-file.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { LOOP } from "../support/loop-fixture.ts";
import { attemptOf, writeFiles } from "../adapters/workspace/project.ts";
import { needs } from "../support/needs.ts";

/** No settings but those that a test makes. */
const ENV = { HOME: "/nonexistent", PATH: process.env["PATH"] };

async function found(file: string, name: string, env: Record<string, string> = {}): Promise<Finding | undefined> {
  return (await examine(file, { ...ENV, ...env })).findings.find((finding) => finding.name === name);
}

interface Scene {
  readonly dir: string;
  readonly file: string;
  git(...args: string[]): string;
}

function project(how: { readonly git: boolean }): Scene {
  const dir = realpathSync(temporaryFolder());
  const file = join(dir, ".claude", "aot-loop-state.md");
  mkdirSync(join(dir, ".claude"));
  writeFileSync(file, LOOP);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: dir, encoding: "utf8" });
  if (how.git) {
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "x");
  }
  return { dir, file, git };
}

test("only a slot that stands is left over", async () => {
  const { file } = project({ git: false });
  const { worktrees } = loopPaths(file);
  mkdirSync(join(worktrees, "a-goal-1234"), { recursive: true });
  expect(await found(file, "slots")).toMatchObject({ level: "good" });
  mkdirSync(join(worktrees, "a-goal-1234", "A1.1"));
  expect(await found(file, "slots")).toMatchObject({ level: "warn", detail: "1 left over: a-goal-1234/A1.1" });
});

test("SPEC 7: outside git it says what a run does there, not how to ask for it", async () => {
  const { file } = project({ git: false });
  const repository = await found(file, "repository");
  expect(repository).toMatchObject({ level: "warn", hint: expect.stringContaining("a repository of their own") });
});

test("SPEC 7: what earlier goals keep in the repository is reported, with how to remove it", async () => {
  const { file, git } = project({ git: true });
  expect(await found(file, "earlier goals")).toBe(undefined);
  git("update-ref", "refs/aot/old-1a2b/work/A1.1", "HEAD");
  git("branch", "aot/old-1a2b/integration");
  git("branch", "aot/now-3c4d/integration");
  mkdirSync(loopPaths(file).dir, { recursive: true });
  writeFileSync(loopPaths(file).name, "now-3c4d\n");
  expect(await found(file, "earlier goals")).toMatchObject({
    level: "good",
    detail: "branches and refs of 1: old-1a2b (2; not verified)",
  });
});

test("SPEC 8: a disk without the room that is wanted, and a folder that cannot be written, are reported before a run is", async () => {
  const { file } = project({ git: false });
  expect(await found(file, "disk")).toMatchObject({ level: "good" });
  expect(await found(file, "disk", { AOT_MIN_FREE_MB: "900000000" })).toMatchObject({
    level: "bad",
    detail: expect.stringMatching(/^only \d+ MB are free/),
  });
});

// Nothing keeps root from writing but a file system that nobody can write; /sys and /proc are there wherever Linux is.
test.skipIf(!existsSync("/proc/sys"))("SPEC 8: a folder that cannot be written is bad", async () => {
  const disk = await found("/proc/1/aot/.claude/aot-loop-state.md", "disk");
  expect(disk).toMatchObject({ level: "bad", detail: expect.stringMatching(/^cannot write in \/proc\b.*: \w+/) });
  expect(disk?.hint).not.toBe(undefined);
});

// ── agents ──────────────────────────────────────────────────────────────────

test.skipIf(process.platform === "win32")(
  "one agent is enough; one that the settings name has to be there",
  async () => {
    needs("sh");
    const { dir, file } = project({ git: false });
    const bin = join(dir, "bin");
    mkdirSync(bin);
    const look = (name: string, env: Readonly<Record<string, string>> = {}) => found(file, name, { PATH: bin, ...env });
    expect(await look("agent claude")).toMatchObject({ level: "warn" });
    expect(await look("agent codex")).toMatchObject({ level: "warn" });
    expect(await look("agent codex", { AOT_AGENT: "codex" })).toMatchObject({ level: "bad" });
    writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex 9.9.9\n", { mode: 0o755 });
    expect(await look("agent codex")).toMatchObject({ level: "good", detail: "9.9.9" });
    expect(await look("agent claude")).toMatchObject({ level: "good" });
    expect(await look("agent claude", { AOT_JUDGE: "claude" })).toMatchObject({ level: "bad" });
    expect(await look("agent clod", { AOT_AGENT: "clod" })).toMatchObject({ level: "bad" });
  },
);

// ── settings ────────────────────────────────────────────────────────────────

test("each setting is shown with its origin, as text and as JSON; a configuration that is not valid is bad", async () => {
  const { dir } = project({ git: true });
  const config = join(dir, "aot.config.yaml");
  writeFileSync(config, "# ours\nagent: 'command:true'\nmax_iterations: 4\nsetup: [npm ci]\n");
  const env = { HOME: "/nonexistent", AOT_MAX_ITERATIONS: "3" };
  const { json } = await aotJson(["doctor"], { cwd: dir, env });
  const settings = json["settings"] as readonly { readonly name: string }[];
  const of = (name: string): unknown => settings.find((setting) => setting.name === name);
  expect(of("agent")).toMatchObject({ value: "command:true", origin: { layer: "project", file: config, line: 2 } });
  expect(of("max_iterations")).toMatchObject({
    value: 3,
    origin: { layer: "environment", variable: "AOT_MAX_ITERATIONS" },
  });
  expect(of("merge")).toMatchObject({ value: null, fallback: "true", origin: { layer: "default" } });
  const { out } = await aot(["doctor"], { cwd: dir, env });
  expect(out).toMatch(/^ {2}agent +command:true +\S*aot\.config\.yaml:2$/m);
  expect(out).toMatch(/^ {2}max_iterations +3 +AOT_MAX_ITERATIONS$/m);
  expect(out).toMatch(/^ {2}setup +npm ci +\S*aot\.config\.yaml:4$/m);
  expect(out).toMatch(/^ {2}\d+ have their default; `aot doctor --json` lists them$/m);
  expect(out.indexOf("✓"), "what is wrong comes first").toBeGreaterThan(out.lastIndexOf("\n! "));
  writeFileSync(config, "agent: 'command:true'\nparalel: 4\n");
  const broken = await aotJson(["doctor"], { cwd: dir, env });
  expect(broken.code).toBe(1);
  const finding = (broken.json["findings"] as readonly Finding[]).find(({ name }) => name === "configuration");
  expect(finding).toMatchObject({ level: "bad", detail: expect.stringContaining("aot.config.yaml:2: paralel") });
  expect(finding?.hint).toContain("did you mean parallel?");
});

test("SPEC 8: a lock is said to be held, left by the dead, or beyond knowing, and then how to decide", async () => {
  const { file } = project({ git: false });
  const lock = holdRunLock(file);
  if (!lock.ok) throw new Error(lock.message);
  expect(await found(file, "run lock")).toMatchObject({
    level: "good",
    detail: expect.stringMatching(/^held by "aot run"/),
  });
  lock.release();
  const { runLock } = loopPaths(file);
  const put = (change: object): void => writeFileSync(runLock, JSON.stringify({ ...newHolder("aot run"), ...change }));
  put({ host: "elsewhere", start: "1.00000000.1.another" });
  expect(await found(file, "run lock")).toMatchObject({
    level: "warn",
    hint: expect.stringMatching(/cannot be seen from here.*surely gone, delete .*run\.lock/),
  });
  put({ pid: 2 ** 30, start: "" });
  expect(await found(file, "run lock")).toMatchObject({
    level: "good",
    detail: expect.stringMatching(/^left by "aot run", pid \d+ on host .*takes it over/),
  });
});

// ── cleaning ────────────────────────────────────────────────────────────────

test("SPEC 8: `aot clean` removes what holds no work and says so; not while a run is active, and not for its agents", async () => {
  const { dir, file, git } = project({ git: true });
  mkdirSync(loopPaths(file).dir, { recursive: true });
  writeFileSync(loopPaths(file).name, "dead-1a2b\n");
  const made = await createGitWorkspace({
    root: dir,
    stateFile: file,
    dir: loopPaths(file).dir,
    loop: "dead-1a2b",
    run: "r1",
    protected: [],
  });
  if (!made.ok) throw new Error(made.problem.message);
  await made.value.open();
  const idle = await made.value.start(attemptOf("Idle"));
  const busy = await made.value.start(attemptOf("Busy"));
  await writeFiles(busy.dir, { "work.txt": "x" });
  expect(await found(file, "slots")).toMatchObject({
    level: "warn",
    detail: expect.stringMatching(/^2 left over: .*Busy-1-r1 \(1 changed file\).*Idle-1-r1 \(no work\)/),
  });

  const lock = holdRunLock(file);
  if (!lock.ok) throw new Error(lock.message);
  expect(await cleanUp(file, false, () => Promise.resolve(true))).toMatchObject({ ok: false });
  lock.release();
  const agent = await aot(["clean", "--yes"], { cwd: dir, env: { AOT_LOOPS: JSON.stringify([file]) } });
  expect(agent.code).toBe(1);
  expect(existsSync(idle.dir)).toBe(true);

  const { out } = await aot(["clean", "--yes"], { cwd: dir, env: { HOME: "/nonexistent" } });
  expect(out).toMatch(/^removed slot dead-1a2b\/Idle-1-r1$/m);
  expect([existsSync(idle.dir), existsSync(busy.dir)]).toEqual([false, true]);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect((await aotJson(["clean", "--yes"], { cwd: dir, env: { HOME: "/nonexistent" } })).json["removed"]).toEqual([]);
  await made.value.close();
});
