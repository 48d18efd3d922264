/** Agents that leave their worktree, and processes that outlive them (SPEC sections 6 and 7). */
import { describe, expect, test } from "vitest";
import { isAlive } from "../../src/host/process.ts";
import { expectUnverified, setScene } from "./scene.ts";

test.concurrent("SPEC 7: what an agent writes into the person's checkout is reported, left, and no reason for a verdict", async () => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: "elsewhere#writesIntoTheCheckout" }), "max_iterations");
  expect(scene.notes()).toMatch(/Changed in your checkout during the run.*made\.txt/);
  expect(scene.stage.read("made.txt")).toBe("honest\n");
});

test.concurrent("SPEC 6: a protected file changed in a neighbour's worktree is not integrated with the neighbour's work", async () => {
  const scene = setScene({ constraints: { max_iterations: 2 } });
  const ended = await scene.run({ deed: "elsewhere#writesIntoAllWorktrees" });
  expectUnverified(scene, ended, "max_iterations");
});

test.concurrent("SPEC 7: no daemon of an attempt outlives it, however it was left", async () => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: "elsewhere#leavesDaemons" }), "max_iterations");
});

test.concurrent("SPEC 8: things put in the way in the loop's own folder end the run with what and where, never as verified", async () => {
  const scene = setScene();
  const ended = await scene.run({ deed: "elsewhere#fillsTheLoopsFolder" });
  expect([1, 12], ended.err).toContain(ended.code);
  expect(scene.stage.state().control.status).not.toBe("completed");
  expect(scene.stage.read("notes.txt")).toBe("mine\n");
});

describe("not guaranteed without a sandbox", () => {
  test.runIf(process.platform === "linux")(
    "a process that left its session and emptied its environment outlives the run and can write where the checks run",
    async () => {
      const scene = setScene();
      const ended = await scene.run({ deed: "elsewhere#leavesAGhost" });
      // Whichever was faster. The commit that is handed over is not touched by it.
      expect([0, 12]).toContain(ended.code);
      expect(scene.stage.integrated("made.txt")).toBe(null);
      const ghost = scene.noted().at(-1) ?? -1;
      expect(isAlive(ghost)).toBe(true);
      process.kill(ghost, "SIGKILL");
    },
  );
});

test("SPEC 6: a module that an agent planted in the person's checkout, above its own folder, is no reason for a verdict", async () => {
  const check = { type: "command", value: "node -e \"require('judge')\"" } as const;
  const scene = setScene({ base_case: { checklist: [{ item: "the judge agrees", check }] } });
  expect(await scene.run({ deed: "elsewhere#plantsAModuleAbove" })).toMatchObject({ code: 16 });
});

test("SPEC 6: settings of git that outlive a run decide nothing before a person accepted them", async () => {
  const scene = setScene({ constraints: { max_iterations: 1 } });
  // Its attempt fails as `protected`, so that nothing is verified in this run; the filter stays.
  await scene.run({ deed: "protected#smudgesAndEdits" });
  await scene.aot("redirect", "limit", "max_iterations", "2");
  const ended = await scene.run({ deed: "lies#claimsSuccess" });
  expect(ended.code).toBe(16);
  expect(JSON.stringify(ended.json)).toContain(".git/config");
  expect(scene.stage.integrated("made.txt")).toBe(null);
});
