/** Agents that call `aot` on the loop that runs them, or take its lock (SPEC sections 4, 6 and 8). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runnerOf } from "../../src/adapters/store/run-lock.ts";
import { eventually } from "../support/bundle.ts";
import { expectUnverified, setScene } from "./scene.ts";

test.concurrent("SPEC 4, 6, 8: an agent cannot change the loop that runs it with `aot`; it learns that", async () => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: "commands#changesTheLoop" }), "max_iterations");
  expect(scene.said()).toHaveLength(14);
  for (const { args, code, out } of scene.said()) {
    expect([args.slice(0, 2), code]).toEqual([args.slice(0, 2), 1]);
    expect(out).toContain("this is the agent of A1.1 of the loop");
  }
  expect(scene.stage.state().corrections).toEqual([]);
});

test.concurrent("SPEC 10: an agent may look at the loop that runs it, and change another one", async () => {
  const scene = setScene();
  await scene.run({ deed: "commands#looksAtTheLoop" });
  const other = setScene();
  await other.run({ deed: "commands#worksAnotherLoop" });
  for (const { args, code, out } of [...scene.said(), ...other.said()])
    expect([args[0], code, out]).toEqual([args[0], 0, out]);
});

test.concurrent("SPEC 8: without the mark a command still meets the run: no second run, no edit behind its back", async () => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: "commands#changesTheLoopUnmarked" }), "max_iterations");
  expect(scene.said().map(({ code }) => code)).toEqual([1, 1, 1]);
});

test
  .skipIf(process.platform !== "linux")
  .concurrent(
    "SPEC 8: a redirect of an agent that emptied its environment is not carried out (the sender is seen on Linux alone)",
    async () => {
      const scene = setScene();
      const ended = await scene.run({ deed: "commands#raisesALimitUnmarked" });
      expectUnverified(scene, ended, "max_iterations");
      expect(scene.stage.state().objective.constraints.max_iterations).toBe(1);
      expect(scene.stage.state().corrections).toEqual([]);
    },
  );

test.each(["plantsALock", "garblesTheLock"])("SPEC 8: the run goes on to the truth when an agent %s", async (deed) => {
  const scene = setScene();
  expectUnverified(scene, await scene.run({ deed: `commands#${deed}` }), "max_iterations");
});

test("SPEC 8: a second run is refused although an agent deleted the lock of the first", async () => {
  const scene = setScene();
  const first = scene.start({ deed: "commands#deletesTheLock" });
  await eventually("the lock is gone", () => scene.has("ready"), 30_000);
  await eventually("the lock is back", () => runnerOf(scene.stage.stateFile)?.pid === first.pid);
  const second = await scene.run({ deed: "lies#claimsSuccess" });
  writeFileSync(join(scene.wings, "go"), "");
  expect(second).toMatchObject({
    code: 1,
    json: { errors: [{ message: expect.stringContaining(`pid ${first.pid}`) }] },
  });
  expectUnverified(scene, await first.ended(), "max_iterations");
});
