/** Agents that edit the journal of the loop that runs them; then the run is killed and gone on with (SPEC section 8). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot } from "../support/aot.ts";
import { expectUnharmed, expectUnverified, killedWhen, setScene, type Scene } from "./scene.ts";

const DEEDS = [
  "works",
  "truncates",
  "deletes",
  "garbles",
  "putsAFolderThere",
  "linksItToAProject",
  "deletesTheLoopsFolder",
  "renamesIt",
  "claimsAVerdict",
  "claimsIntegration",
  "claimsIntegrationOfNothing",
  "refundsFuel",
  "endsTheRun",
  "startsAnew",
  "speaksNonsense",
];

const constraints = { max_iterations: 2, max_parallel_agents: 2 };

async function crashed(deed: string): Promise<Scene> {
  const scene = setScene({ constraints });
  await killedWhen(scene, "ready", { deed: `journal#${deed}` });
  return scene;
}

describe.concurrent("SPEC 4, 8, 9: a journal that an agent forged buys neither a verdict nor an iteration", () => {
  test.each(DEEDS)("%s", async (deed) => {
    const scene = await crashed(deed);
    const ended = await scene.run({ deed: "lies#claimsSuccess" });
    expect(ended.code, ended.err).not.toBe(0);
    const { status, iteration, outcome } = scene.stage.state().control;
    expect([status, iteration, outcome]).toEqual(["stopped", 2, "max_iterations"]);
    expectUnharmed(scene);
  });
});

test("SPEC 8: work that only a forged line calls integrated is done again", async () => {
  const scene = await crashed("claimsIntegration");
  await scene.run({ deed: "lies#claimsSuccess" });
  expect(scene.attempts().filter((id) => id.startsWith("A1."))).toHaveLength(2);
});

test("SPEC 7: a revert that a forged line demands takes nothing of the person's, and the verdict is computed", async () => {
  const scene = await crashed("demandsRevert");
  const ended = await scene.run({ deed: "lies#claimsSuccess" });
  expect(ended).toMatchObject({ code: 12, outcome: "max_iterations" });
  expectUnharmed(scene);
});

test("SPEC 4: what a run has spent it remembers, though the journal is deleted under it, and so does the next run", async () => {
  const scene = setScene({ constraints: { max_iterations: 9, max_stall_count: 9, max_cost_usd: 2 } });
  expectUnverified(scene, await scene.run({ deed: "journal#spendsAndForgets" }), "budget");
  const spent = scene.attempts().length;
  expectUnverified(scene, await scene.run({ deed: "journal#spendsAndForgets" }), "budget");
  expect(scene.attempts().length, "the deleted file was put back").toBe(spent);
});

test("SPEC 7: work of a neighbour that ends after the loop's folder was deleted is integrated, at its first attempt", async () => {
  const scene = setScene();
  writeFileSync(join(scene.wings, "after"), "ready");
  expectUnverified(scene, await scene.run({ deed: "journal#deletesTheLoopsFolderAndLies" }), "max_iterations");
});

describe("not guaranteed: what only the journal holds", () => {
  test("a truncated journal and a crash refund cost and attempts per atom, and at most the last iteration", async () => {
    const scene = setScene({
      constraints: { max_iterations: 4, max_parallel_agents: 1, max_stall_count: 9, max_cost_usd: 1.5 },
    });
    await killedWhen(scene, "ready", { deed: "journal#waitsAndForgets" });
    const ended = await scene.run({ deed: "lies#claimsSuccess" });
    expect(ended).toMatchObject({ code: 12, outcome: "max_iterations", json: { cost_usd: 0 } });
    expectUnharmed(scene, 1);
  });

  test("a forged line that an attempt changed no file resolves its atom; the goal stays unverified", async () => {
    const scene = await crashed("claimsIntegrationOfNothing");
    const ended = await scene.run({ deed: "lies#claimsSuccess" });
    expect(ended.outcome).toBe("max_iterations");
    expect(scene.attempts().filter((id) => id.startsWith("A1.") || id === "A1")).toHaveLength(1);
    expectUnharmed(scene);
  });

  test("without its name a loop starts a new branch; the work of the old one is kept, and nothing is verified", async () => {
    const scene = await crashed("deletesTheLoopsName");
    const ended = await scene.run({ deed: "lies#claimsSuccess" });
    expect(ended.code).toBe(12);
    const cleaned = await aot(["clean", "--yes"], { cwd: scene.stage.root });
    expect(cleaned.code, cleaned.err).toBe(0);
    expect(scene.stage.branch().split("\n")).toHaveLength(2);
  });
});
