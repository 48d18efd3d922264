/** The explorer itself: what it leaves out of a world's key decides nothing, and what it finds can be played again. */
import { expect, test } from "vitest";
import type { FailureKind } from "../../src/core/event.ts";
import { step } from "../../src/core/step.ts";
import { explore } from "../../proofs/explore.ts";
import { FIELDS_OF_RUN, keyOf } from "../../proofs/key.ts";
import { NOW } from "../../proofs/moves.ts";
import { describe, replay } from "../../proofs/replay.ts";
import { nameOf, shapesOf } from "../../proofs/shape.ts";
import { take } from "../../proofs/take.ts";
import { worldOf, type Hazards, type Scene } from "../../proofs/world.ts";

const CALM: Hazards = { crashes: 0, stops: 0, redirects: 0, resumes: 0, growths: 0, losses: 0 };
const SHAPES = [1, 2].flatMap((atoms) => shapesOf({ atoms, groups: true, splits: true, races: true }));
const sceneOf = (shape: Scene["shape"], hazards: Partial<Hazards>, limits = [2, 2, 2]): Scene => {
  const [max_iterations = 1, max_parallel_agents = 1, max_stall_count = 1] = limits;
  const constraints = { max_iterations, max_parallel_agents, max_stall_count };
  return { shape, constraints, verify_each: false, hazards: { ...CALM, ...hazards } };
};

test("EXPLORE-2: with texts, the trail, corrections, lessons and attempt numbers in the key the very same worlds are found", () => {
  for (const hazards of [{}, { crashes: 1 }, { stops: 1, resumes: 1 }])
    for (const shape of SHAPES) {
      const scene = sceneOf(shape, hazards, [2, 1, 2]);
      const found = (whole: boolean): readonly [ReadonlySet<string>, number, string | undefined] => {
        const keys = new Set<string>();
        const { states, counterexample } = explore(scene, {
          most_worlds: 100_000,
          whole,
          onKey: (world) => keys.add(keyOf(world)),
        });
        return [keys, states, counterexample?.breach];
      };
      const [lean, , leanBreach] = found(false);
      const [full, more, fullBreach] = found(true);
      expect([leanBreach, fullBreach]).toEqual([undefined, undefined]);
      expect([...full].toSorted()).toEqual([...lean].toSorted());
      expect(more).toBeGreaterThanOrEqual(lean.size);
    }
});

test("SPEC 7: a failure is a failure, whatever its kind, so that one stands for all; a conflict alone is another", () => {
  for (const shape of SHAPES) {
    const scene = sceneOf(shape, {});
    const start = take(worldOf(scene), { kind: "run" })?.world ?? worldOf(scene);
    const [attempt = ""] = start.agents.map((agent) => agent.id);
    const after = (kind: FailureKind) =>
      step(start.loop, { type: "attempt_failed", at: NOW, attempt, kind, reason: "" });
    for (const kind of ["unreadable", "timeout", "infeasible", "protected"] as const)
      expect(after(kind)).toEqual(after("failed"));
    if (scene.shape.choices !== undefined && attempt === nameOf(scene.shape.choices[0] ?? -1) + ".1")
      expect(after("conflict").loop.state).not.toEqual(after("failed").loop.state);
  }
});

test("EXPLORE-2: whatever a run holds was thought of when the key was made", () => {
  const { loop } = worldOf(sceneOf({ depends: [[]] }, {}));
  expect(Object.keys(FIELDS_OF_RUN).toSorted()).toEqual(Object.keys(loop.run).toSorted());
});

test("EXPLORE-3: a loop with more worlds than are allowed is a failure, never a sample", () => {
  const [shape = { depends: [[]] }] = SHAPES;
  expect(explore(sceneOf(shape, {}), { most_worlds: 3 }).counterexample?.rule).toBe("BOUND");
});

test("a history is played again by its labels, and a move that cannot be made names those that can", () => {
  const scene = sceneOf({ depends: [[]] }, {});
  const history = [
    "aot run",
    "A1.1: work_succeeded",
    "A1.1: attempt_integrated",
    "base case: true, 0 failing",
    "the run ends",
  ];
  expect(replay(scene, history)).toEqual([]);
  expect(() => replay(scene, ["aot run", "A2.1: work_succeeded"])).toThrow(/cannot happen here; what can: A1\.1/);
  const text = describe({ rule: "HALTS", breach: "none", scene, history });
  expect(text).toContain(`"A1.1: attempt_integrated",`);
  expect(text).toContain("expect(replay(scene, history)).toEqual([]);");
});

test("SPEC 7, BACKTRACK-2: a choice that was left in a race, integrated when the run died, does not stay in the branch", () => {
  const scene = sceneOf({ depends: [[], []], choices: [0, 1], speculative: true }, { crashes: 1, redirects: 1 });
  const history = [
    "aot run",
    "A1.1: work_succeeded",
    "A2.1: work_succeeded",
    "redirect: choose A2",
    "A1.1: attempt_integrated",
    "killed",
    "aot run",
    "reverted",
  ];
  expect(replay(scene, history)).toEqual([]);
});

test("SPEC 8, JOURNAL-1: of a redirect that died before the state file was written the journal keeps no revert", () => {
  const scene = {
    shape: { depends: [[], [0]] },
    constraints: { max_iterations: 2, max_parallel_agents: 1, max_stall_count: 2 },
    verify_each: false,
    hazards: { crashes: 1, stops: 0, redirects: 1, resumes: 0, growths: 0, losses: 0 },
  };
  const history = [
    "aot run",
    "A1.1: work_succeeded",
    "A1.1: attempt_integrated",
    "A2.1: work_succeeded",
    "redirect: redo A1",
    "A2.1: conflict, then killed before the state file is written",
    "aot run",
    "the run ends",
  ];
  expect(replay(scene, history)).toEqual([]);
});
