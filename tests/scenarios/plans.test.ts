/** What a planner may propose: it is taken up by the rules that a person's atoms are (SPEC sections 6 and 7). */
import { expect, test } from "vitest";
import { filesExist, setStage, type Stage } from "./stage.ts";

/** Two atoms that are worked in vain, then what the planner says, then one that helps. */
function planned(first: object, again?: object): Stage {
  return setStage({
    atoms: [{ id: "A0" }, { id: "A1" }],
    constraints: { max_iterations: 6, max_stall_count: 3 },
    objective: { base_case: filesExist("b"), protected: ["tests/**"] },
    files: { "tests/t.txt": "as it is" },
    script: {
      A0: [{ write: { c: "1" } }],
      A1: [{ write: { a: "1" } }],
      planner: [{ answer: first }],
      ...(again === undefined ? {} : { "planner.again": [{ answer: again }] }),
      A2: [{ write: { b: "1" } }],
    },
  });
}
const good = { atoms: [{ description: "write b", touches: ["b"] }], reason: "b is missing" };
/** What was wrong with the first plan, as the planner got it. */
const repairOf = (stage: Stage): string => {
  const run = stage.journal()[0]?.run ?? "";
  const asked: object = stage.asked(`planner.${run}.1.again`.replaceAll(/[^\w.-]/g, "_"));
  return JSON.stringify("repair" in asked ? asked.repair : null);
};
const reasonOf = (stage: Stage): string | undefined => {
  const added = stage.journal().find((line) => line.event === "atoms_added");
  return added?.event === "atoms_added" ? added.reason : undefined;
};

test.each<[string, object, string]>([
  [
    "is for protected files",
    { atoms: [{ description: "weaken the test", touches: ["tests/t.txt"] }], reason: "r" },
    "protected",
  ],
  [
    "is far too large",
    { atoms: Array.from({ length: 41 }, (_, i) => ({ description: `step ${i}` })), reason: "r" },
    "at most 40",
  ],
  ["has a novel for a description", { atoms: [{ description: "x".repeat(5_000) }], reason: "r" }, "5000 characters"],
  ["has ids that are none", { atoms: [{ id: "a\nb", description: "x" }], reason: "r" }, "one word"],
])("SPEC 7: a plan that %s is asked for once more, with the reason", async (_, bad, reason) => {
  const stage = planned(bad, good);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(reasonOf(stage)).toBe("b is missing");
  expect(repairOf(stage)).toContain(reason);
  expect(stage.state().atoms).toMatchObject([{ id: "A0" }, { id: "A1" }, { id: "A2", touches: ["b"] }]);
});

test("SPEC 6, 9: what only a person can do ends the loop with the planner's sentence: exit 16", async () => {
  const end = await planned({ needs_person: "the test that decides is protected" }).run();
  expect(end).toMatchObject({ exit_code: 16, report: { outcome: "needs_confirmation" } });
  expect(JSON.stringify(end)).toContain("the planner needs a person: the test that decides is protected");
});

test("SPEC 6: twice a plan that cannot be taken up gives one atom per failing leaf", async () => {
  const bad = { atoms: [{ description: "x", depends_on: ["A9"] }], reason: "r" };
  const stage = planned(bad, bad);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(reasonOf(stage)).toMatch(/^one atom for each check that fails: the planner gave no plan: .*A9/);
});

test("SPEC 7: a worker's split is held to the same rules: asked for once more, then a failure of the attempt", async () => {
  const bad = { split: [{ description: "weaken", touches: ["tests/t.txt"] }], reason: "large" };
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "B1" }],
    constraints: { max_iterations: 6, max_stall_count: 5, max_parallel_agents: 1 },
    objective: { base_case: filesExist("a", "b"), protected: ["tests/**"] },
    script: {
      "A1.1": [{ answer: bad }],
      "A1.2": [{ write: { a: "1" } }],
      "B1.1": [{ answer: bad }],
      "B1.1.again": [{ answer: { split: [{ description: "write b", touches: ["b"] }], reason: "large" } }],
      A2: [{ write: { b: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const reason = expect.stringContaining("tests/t.txt, which is protected") as string;
  expect(stage.asked("B1.1.again")).toMatchObject({ repair: { problem: reason } });
  expect(stage.asked("A1.2").nogoods).toMatchObject([{ reason }]);
  expect(stage.state().decompositions).toEqual([{ parent: "B1", children: ["A2"], reason: "large" }]);
});
