/**
 * A run that is killed at any moment is gone on with, and comes to the same end (SPEC sections 4 and 8).
 * CRASHES=<n> tries more moments, SEED=<n> other ones.
 */
import { appendFileSync, rmSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { bundleFixture, chance, eventually } from "../support/bundle.ts";
import { startRunner } from "./runner.ts";
import { filesExist, setStage, type Play, type Stage } from "./stage.ts";

let runner = "";
beforeAll(async () => {
  runner = await bundleFixture("programs/runner.ts");
});

const CRASHES = Number(process.env["CRASHES"] ?? 10);
const SEED = Number(process.env["SEED"] ?? 20_261_121);

/** A bit of everything: side by side, a chain, a choice given up with integrated work below it, a split. */
const PLAY: Play = {
  atoms: [
    { id: "A" },
    { id: "B" },
    { id: "P" },
    { id: "Q" },
    { id: "P1" },
    { id: "P2", depends_on: ["P1"] },
    { id: "Z", depends_on: ["P", "A", "B"] },
  ],
  groups: [{ name: "g", choices: ["P", "Q"] }],
  splits: [["P", ["P1", "P2"]]],
  constraints: { max_parallel_agents: 2, max_iterations: 60, max_stall_count: 60, max_attempts_per_atom: 10 },
  objective: { base_case: filesExist("a", "b1", "b2", "q", "z") },
  script: {
    A: [{ write: { a: "a" } }],
    B: [
      {
        answer: {
          split: [
            { id: "B1", description: "one" },
            { id: "B2", description: "two", depends_on: ["B1"] },
          ],
          reason: "large",
        },
      },
    ],
    B1: [{ write: { b1: "1" } }],
    B2: [{ sh: "test -f b1" }, { write: { b2: "2" } }],
    P1: [{ write: { p1: "p" } }],
    P2: [{ answer: { success: false, summary: "no way" } }],
    Q: [{ sh: "test ! -e p1" }, { write: { q: "q" } }],
    Z: [{ sh: "test -f a && test -f b2 && test -f q" }, { write: { z: "z" } }],
  },
};

/** Lets runs die one after the other, then one come to its end. @returns how many did die running */
async function survive(stage: Stage, deaths: readonly (() => Promise<boolean>)[]): Promise<number> {
  let died = 0;
  let over = false;
  for (const die of deaths) {
    if (over) break;
    over = !(await die());
    if (!over) died++;
  }
  if (!over) expect(await stage.run()).toMatchObject({ exit_code: 0 });
  stage.expectClean();
  expectSameEnd(stage);
  return died;
}

function expectSameEnd(stage: Stage): void {
  expect(stage.git("ls-tree", "-r", "--name-only", stage.branch()).split("\n")).toEqual([
    "README.md",
    "a",
    "b1",
    "b2",
    "q",
    "z",
  ]);
  expect(stage.state().control).toMatchObject({ status: "completed", outcome: "verified" });
  expect(stage.read("z"), "handed over").toBe("z");
  const { max_iterations, max_parallel_agents } = stage.state().objective.constraints;
  const started = stage.journal().flatMap((line) => (line.event === "attempt_started" ? [line.attempt] : []));
  expect(started.length).toBeLessThanOrEqual(max_iterations * max_parallel_agents);
  expect(new Set(started).size, "no attempt is started twice").toBe(started.length);
  // Nothing that was integrated and not given up is lost: what the journal says is in the branch.
  const log = stage.git("log", "--format=%H", stage.branch());
  for (const line of stage.journal())
    if (line.event === "attempt_integrated" && line.commit !== null && line.atom !== "P1")
      expect(log).toContain(line.commit);
  const perIteration = new Map<number, number>();
  for (const line of stage.journal())
    if (line.event === "attempt_started") perIteration.set(line.iteration, (perIteration.get(line.iteration) ?? 0) + 1);
  expect(Math.max(...perIteration.values()), "a batch is at most the slots").toBeLessThanOrEqual(max_parallel_agents);
}

test(
  `SPEC 8: killed at ${CRASHES} random moments (seed ${SEED}), a run comes to the same end`,
  async () => {
    const next = chance(SEED);
    let died = 0;
    for (let left = CRASHES; left > 0; left -= 5) {
      const stage = setStage(PLAY);
      const deaths = Array.from({ length: Math.min(5, left) }, () => async () => {
        const run = startRunner(runner, stage);
        const lines = Math.floor(next() * 14);
        const isOver = (): boolean => run.said.some((line) => line.startsWith("ended"));
        await eventually("the run is under way", () => run.said.length > lines || isOver(), 30_000);
        const then = performance.now() + next() * 60;
        await eventually("a moment later", () => performance.now() > then);
        run.signal("SIGKILL");
        return (await run.ended()) === null;
      });
      died += await survive(stage, deaths);
    }
    expect(died, "most runs were at work when they were killed").toBeGreaterThan(CRASHES / 2);
  },
  60_000 + CRASHES * 3_000,
);

test.each([
  ["before", "a line was to be journaled"],
  ["half", "half of it stood there"],
  ["after", "it was journaled, and nothing of it done"],
  ["unsaved", "the state file was to be replaced"],
  ["saved", "it was replaced, and that was not journaled"],
])("SPEC 8: killed when %s: %s, a run comes to the same end", async (moment) => {
  const stage = setStage(PLAY);
  // At its first moment, then later and later ones: each run goes on where the last one died.
  const deaths = [1, 2, 1, 3, 2, 5, 8].map((nth) => async () => {
    const run = startRunner(runner, stage, {}, `${moment}:${nth}`);
    return (await run.ended()) === null;
  });
  expect(await survive(stage, deaths)).toBeGreaterThan(3);
});

test("SPEC 8: a run that dies when it has verified the goal leaves the next one to hand the work over", async () => {
  const stage = setStage({ atoms: [{ id: "A" }], script: { A: [{ write: { a: "a" } }] } });
  expect(await startRunner(runner, stage, {}, "halted:1").ended()).toBe(null);
  expect(stage.state().control.status).toBe("completed");
  expect(stage.read("a")).toBe(null);
  const end = await stage.run({ agent: "command:no-such-agent-is-needed" });
  expect(end).toMatchObject({ exit_code: 0, report: { outcome: "verified", merged: true } });
  expect(stage.read("a")).toBe("a");
  // That was all: now it is completed for good.
  expect(await stage.run()).toMatchObject({ exit_code: 3 });
});

/** A run that died when the first atom was resolved. */
async function crashed(): Promise<Stage> {
  const stage = setStage(PLAY);
  const run = startRunner(runner, stage);
  await run.hears("atom_resolved A");
  run.signal("SIGKILL");
  await run.ended();
  return stage;
}

test("SPEC 8: the state file alone is enough to go on", async () => {
  const stage = await crashed();
  rmSync(loopPaths(stage.stateFile).journal);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});

test("SPEC 8: a half-written last line is tolerated, and the next line is on its own", async () => {
  const stage = await crashed();
  appendFileSync(loopPaths(stage.stateFile).journal, '{"time":"2026-01-01T00:00:00.000Z","run":"x","ev');
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expectSameEnd(stage);
});
