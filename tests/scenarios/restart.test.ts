/** `--restart`: the graph that people made, from its beginning (SPEC sections 2 and 6). */
import { expect, test } from "vitest";
import { filesExist, setStage } from "./stage.ts";

test("what a planner advised goes with a restart: another description, a split, an alternative, an order, a choice given up", async () => {
  for (const advice of [
    { advice: "reword", description: "do it otherwise" },
    { advice: "split", atoms: [{ description: "half" }, { description: "the other half" }] },
    { advice: "alternative", atoms: [{ description: "another way" }] },
    { advice: "reorder", depends_on: ["A2"] },
    { advice: "hopeless" },
  ]) {
    const stage = setStage({
      atoms: [{ id: "A1" }, { id: "A2" }],
      constraints: { max_iterations: 3, max_parallel_agents: 1 },
      objective: { base_case: filesExist("b") },
      script: {
        A1: [{ answer: { success: false, summary: "red", artifacts: [] } }],
        A2: [{ answer: { success: false, summary: "also red", artifacts: [] } }],
        planner: [{ answer: { ...advice, reason: "stuck" } }],
      },
    });
    const before = stage.state();
    await stage.run();
    expect(stage.journal().filter((line) => line.event === "advice_taken").length).toBeGreaterThan(0);
    stage.rewrite({ A2: [{ write: { a: "1" } }], A1: [{ write: { b: "1" } }] });
    expect(await stage.run({ restart: true, merge: false })).toMatchObject({ exit_code: 0 });
    const after = stage.state();
    const shape = (state: typeof before): unknown => [
      state.atoms.map(({ id, description, depends_on, or_group }) => [id, description, depends_on, or_group]),
      state.or_groups,
      state.decompositions,
    ];
    expect([advice.advice, shape(after)]).toEqual([advice.advice, shape(before)]);
  }
});
