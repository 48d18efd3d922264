/** `aot doctor`: what is as it should be is not warned of. */
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
