/** Agents that edit the state file of the loop that runs them (SPEC sections 2, 8 and 9). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/bundle.ts";
import { expectTrulyVerified, expectUnharmed, expectUnverified, killedWhen, setScene } from "./scene.ts";

const DEEDS = [
  "completes",
  "raisesLimits",
  "resolvesItself",
  "easesTheGoal",
  "garbles",
  "empties",
  "deletes",
  "putsAFolderThere",
  "linksItAway",
  "linksItToAProject",
  "copiesIntoTheWorktree",
];

describe.concurrent("SPEC 9: what an agent writes into the state file is not obeyed", () => {
  test.each(DEEDS)("%s", async (deed) => {
    const scene = setScene();
    expectUnverified(scene, await scene.run({ deed: `state-file#${deed}` }), "max_iterations");
    expect(scene.stage.state().objective.constraints.max_iterations).toBe(1);
  });
});

test("SPEC 8: a person's stop stands although an agent clears it in the file", async () => {
  const scene = setScene({ constraints: { max_iterations: 3 } });
  const run = scene.start({ deed: "state-file#clearsTheStop" });
  await eventually("the adversary is at work", () => scene.has("ready"), 30_000);
  expect(await scene.aot("stop", "enough")).toMatchObject({ code: 0 });
  writeFileSync(join(scene.wings, "stop-asked"), "");
  expectUnverified(scene, await run.ended(), "stop_requested");
});

test("SPEC 9: `completed` that an agent wrote before a crash is no verdict: the next run computes its own", async () => {
  const scene = setScene({ constraints: { max_iterations: 5, max_stall_count: 1 } });
  await killedWhen(scene, "ready", { deed: "state-file#completesAndWaits" });
  const ended = await scene.run({ deed: "lies#claimsSuccess" });
  expect(ended.code).not.toBe(0);
  expect(scene.stage.state().control.status).toBe("stopped");
  expectUnharmed(scene);
  // A person goes on with an honest agent.
  expectTrulyVerified(scene, await scene.run({ deed: "lies#claimsSuccess", strikes: 0 }));
});
