/** What people and other processes do to an active run (SPEC section 8). */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { redirectLoop, stopLoop } from "../../src/index.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { bundleFixture, eventually } from "../support/bundle.ts";
import { startRunner } from "./runner.ts";
import { filesExist, setStage, type Stage } from "./stage.ts";

let runner = "";
beforeAll(async () => {
  runner = await bundleFixture("programs/runner.ts");
});

const TWO_AT_WORK = {
  atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3", depends_on: ["A1"] }],
  constraints: { max_parallel_agents: 2 },
  objective: { base_case: filesExist("a1", "a2", "a3") },
  script: {
    A1: [{ flag: "one" }, { await: "go" }, { write: { a1: "1" } }],
    A2: [{ flag: "two" }, { await: "go" }, { write: { a2: "2" } }],
    A3: [{ write: { a3: "3" } }],
  },
};

async function atWork(stage: Stage): Promise<void> {
  await eventually("both agents are at work", () => stage.isRaised("one") && stage.isRaised("two"), 30_000);
}

test("SPEC 8: `stop` lets attempts in flight finish and be integrated; the next run goes on", async () => {
  const stage = setStage(TWO_AT_WORK);
  const run = startRunner(runner, stage);
  await atWork(stage);
  expect(await stopLoop(stage.stateFile, "lunch")).toMatchObject({ ok: true, value: { via: "runner" } });
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 10 });
  stage.expectClean();
  expect([stage.integrated("a1"), stage.integrated("a2")]).toEqual(["1", "2"]);
  expect(stage.state().control).toMatchObject({ status: "stopped", outcome: "stop_requested", iteration: 1 });
  expect(stage.journal().find((line) => line.event === "halted")).toMatchObject({
    message: "stopped on request: lunch",
  });

  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.state().control).toMatchObject({ stop_requested: false, stop_reason: null, outcome: "verified" });
  expect(stage.journal().filter((line) => line.event === "attempt_started")).toHaveLength(3);
});

test("SPEC 8: a stop written into the state file by hand is obeyed; other edits are kept aside and reported, comments stay", async () => {
  const stage = setStage(TWO_AT_WORK);
  const run = startRunner(runner, stage);
  await atWork(stage);
  stage.edit((text) =>
    text
      .replace("stop_requested: false", "stop_requested: true # enough")
      .replace("  - id: A3\n", "  # the last one\n  - id: A3\n")
      .replace('description: "do A3"', "description: do A3 twice")
      .replace("description: do A3\n", "description: do A3 twice\n"),
  );
  expect(readFileSync(stage.stateFile, "utf8")).toContain("do A3 twice");
  await run.hears("stop_requested");
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 10 });
  stage.expectClean();
  const text = readFileSync(stage.stateFile, "utf8");
  expect(text).toMatch(/# enough/);
  expect(text).toMatch(/# the last one\n {2}- id: A3\n/);
  expect(text).not.toContain("do A3 twice");
  const { dir } = loopPaths(stage.stateFile);
  const kept = readdirSync(dir).filter((name) => name.startsWith("foreign-"));
  expect(kept).toHaveLength(1);
  expect(readFileSync(join(dir, kept[0] ?? ""), "utf8")).toContain("do A3 twice");
  expect(stage.journal().find((line) => line.event === "note")).toMatchObject({
    message: expect.stringContaining(kept[0] ?? "?"),
  });
});

test("SPEC 4 and 8: what somebody else wrote into the state file of a run is not obeyed by the next one either, if that is killed", async () => {
  const stage = setStage(TWO_AT_WORK);
  const run = startRunner(runner, stage);
  await atWork(stage);
  stage.edit((text) =>
    text
      .replace(/max_iterations: \d+/, "max_iterations: 99")
      .replace(/(id: A3\n.*\n {4}status: )pending/, "$1resolved"),
  );
  expect(readFileSync(stage.stateFile, "utf8")).toMatch(/max_iterations: 99[^]*status: resolved/);
  await run.hears("note");
  await eventually("the run's own values", () => !holds(stage, "99"), 30_000);
  run.signal("SIGKILL");
  expect(await run.ended()).toBeNull();
  stage.raise("go");
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.state().objective.constraints.max_iterations).toBe(20);
  expect(
    stage
      .journal()
      .filter((line) => line.event === "attempt_started")
      .map(({ atom }) => atom),
  ).toContain("A3");
});

test.each([
  ["removes", "rm -f FILE"],
  ["garbles", "echo nonsense > FILE"],
  ["puts a folder in the place of", "rm -f FILE && mkdir FILE"],
])(
  "SPEC 8: the state file that somebody %s while a run is active is put back, so that the loop survives a crash",
  async (_, doing) => {
    const stage = setStage(TWO_AT_WORK);
    const run = startRunner(runner, stage);
    await atWork(stage);
    const before = stage.state();
    expect(spawnSync("/bin/sh", ["-c", doing.replaceAll("FILE", `'${stage.stateFile}'`)]).status).toBe(0);
    await eventually(
      "the state is there again",
      () => statSync(stage.stateFile, { throwIfNoEntry: false })?.isFile() === true && holds(stage, "in_progress"),
      30_000,
    );
    expect(stage.state()).toEqual(before);
    run.signal("SIGKILL");
    expect(await run.ended()).toBeNull();
    stage.raise("go");
    expect(await stage.run()).toMatchObject({ exit_code: 0 });
  },
);

function holds(stage: Stage, text: string): boolean {
  return readFileSync(stage.stateFile, "utf8").includes(text);
}

test("SPEC 4: a redirect that comes when the loop has just halted is answered, and the run ends", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }] });
  let asked: ReturnType<typeof redirectLoop> | undefined;
  const end = await stage.run({
    during: (line) => {
      if (line.event === "halted")
        asked = redirectLoop(stage.stateFile, { kind: "limit", constraint: "max_iterations", value: 9, reason: "" });
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  // Taken by the run that ends, or refused by the loop that is completed.
  expect(await asked).toMatchObject({ ok: false });
  expect(existsSync(loopPaths(stage.stateFile).requests)).toBe(true);
});
