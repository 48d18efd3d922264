/** `aot doctor`: what is as it should be is not warned of. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examine } from "../../src/app/doctor.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { temporaryFolder } from "../support/bundle.ts";

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
