/** `aot doctor`: what is as it should be is not warned of. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examine } from "../../src/app/doctor.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { LOOP } from "../support/loop-fixture.ts";

test("only an agent that there is is looked for, and only a worktree that stands is left over", async () => {
  const file = join(temporaryFolder(), ".claude", "aot-loop-state.md");
  const { worktrees } = loopPaths(file);
  mkdirSync(join(worktrees, "a-goal-1234"), { recursive: true });
  const before = await examine(file);
  expect(before.filter(({ name }) => name.startsWith("agent")).map(({ name }) => name)).toEqual(["agent claude"]);
  expect(before.find(({ name }) => name === "worktrees")).toMatchObject({ level: "good" });
  mkdirSync(join(worktrees, "a-goal-1234", "A1.1"));
  const after = await examine(file);
  expect(after.find(({ name }) => name === "worktrees")).toMatchObject({
    level: "warn",
    detail: "1 left over: a-goal-1234/A1.1",
  });
});

test("SPEC 7: outside git it says what a run does there, not how to ask for it", async () => {
  const dir = temporaryFolder();
  const file = join(dir, ".claude", "aot-loop-state.md");
  mkdirSync(join(dir, ".claude"));
  writeFileSync(file, LOOP);
  const repository = (await examine(file)).find(({ name }) => name === "repository");
  expect(repository).toMatchObject({ level: "warn", hint: expect.stringContaining("one attempt at a time") });
  expect(repository?.hint).not.toContain("--in-place");
});

test("SPEC 7: what earlier goals keep in the repository is told, with how to remove it", async () => {
  const dir = temporaryFolder();
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: dir, encoding: "utf8" });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "x");
  const file = join(dir, ".claude", "aot-loop-state.md");
  const told = async () => (await examine(file)).find(({ name }) => name === "earlier goals");
  expect(await told()).toBe(undefined);
  git("update-ref", "refs/aot/old-1a2b/work/A1.1", "HEAD");
  git("branch", "aot/old-1a2b/integration");
  git("branch", "aot/now-3c4d/integration");
  mkdirSync(loopPaths(file).dir, { recursive: true });
  writeFileSync(loopPaths(file).name, "now-3c4d\n");
  expect(await told()).toMatchObject({ level: "good", detail: "branches and refs of 1: old-1a2b (2)" });
});
