/** A loop that is stuck changes its strategy before it ends (SPEC section 4). */
import { expect, test } from "vitest";
import { filesExist, setStage, type Act } from "./stage.ts";

const RED = { answer: { success: false, summary: "the parser rejects it", artifacts: [] } };

test("SPEC 4: an atom that fails twice for the same reason gets an alternative from the planner, who sees its failures; the goal is met by it", async () => {
  const stage = setStage({
    atoms: [{ id: "A1", description: "write b with the parser" }],
    constraints: { max_iterations: 6 },
    objective: { base_case: filesExist("b") },
    script: {
      A1: [RED],
      planner: [
        {
          answer: {
            advice: "alternative",
            atoms: [{ description: "write b by hand", touches: ["b"] }],
            reason: "the parser cannot do it",
          },
        },
      ],
      A2: [{ write: { b: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("advice.A1").prompt).toMatch(/failed twice[^]*2 attempts at A1 \(.*\): the parser rejects it/);
  expect(stage.state().or_groups).toMatchObject([{ choices: ["A1", "A2"], selected: "A2", failed: ["A1"] }]);
  expect(stage.journal().flatMap((line) => (line.event === "attempt_started" ? [line.attempt] : []))).toEqual([
    "A1.1",
    "A1.2",
    "A2.1",
  ]);
});

test("SPEC 4: escalate: after its first failure an atom is worked by the next agent, the last one from there on", async () => {
  const red = (summary: string): Act => ({ answer: { success: false, summary, artifacts: [] } });
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 6, max_stall_count: 5 },
    objective: { base_case: filesExist("b") },
    script: { A1: [red("it does not compile")] },
  });
  const strong = setStage({ atoms: [{ id: "A1" }], script: { A1: [red("a test fails")] } });
  const script = { "A1.3": [red("no network")], "A1.4": [{ write: { b: "1" } }] };
  const stronger = setStage({ atoms: [{ id: "A1" }], script });
  const escalate = `command:${strong.agent},command:${stronger.agent}`;
  expect(await stage.run({ escalate, planner: "none" })).toMatchObject({ exit_code: 0, report: { attempts: 4 } });
  expect(stage.asked("A1.1").nogoods).toEqual([]);
  expect(strong.asked("A1.2").nogoods).toHaveLength(1);
  expect([stronger.asked("A1.3").nogoods.length, stronger.asked("A1.4").nogoods.length]).toEqual([2, 3]);
});
