/** The same deeds in place, where the agent is in the person's own folder (SPEC sections 6, 7 and 9). */
import { expect, test } from "vitest";
import { expectNothingLeft, GOAL_TEST, setScene } from "./scene.ts";

test.concurrent.each([
  ["lies#claimsSuccess", null],
  ["protected#edits", "protected"],
  ["protected#deletesIt", "protected"],
  ["protected#linksIt", "protected"],
  ["protected#assumesUnchanged", "protected"],
  ["protected#skipsTheWorktree", "protected"],
  ["protected#smudges", null],
  ["protected#commitsIt", "protected"],
  ["state-file#completes", null],
  ["state-file#resolvesItself", null],
  ["state-file#deletes", null],
  ["state-file#linksItToAProject", null],
])("SPEC 6, 7, 9: %s, in place", async (deed, kind) => {
  const scene = setScene({ constraints: { max_iterations: 2, max_parallel_agents: 1 } });
  const { stage } = scene;
  const ended = await scene.run({ deed, args: ["--set=in_place=true"] });
  // A commit of the agent's in the person's own repository is not undone: what it changed there stops the loop.
  const outcome = deed === "protected#commitsIt" ? ["max_iterations", "tampered"] : ["max_iterations"];
  expect(outcome, ended.err).toContain(ended.outcome);
  expect(stage.state().control.status).toBe("stopped");
  expect(stage.read("notes.txt")).toBe("mine\n");
  expect(stage.read("b.txt")).toBe("honest\n");
  expect(stage.read("test/goal.cjs"), "protected files are put back").toBe(GOAL_TEST);
  const failed = stage.journal().find((line) => line.event === "attempt_failed");
  expect(failed?.event === "attempt_failed" ? failed.kind : null).toBe(kind);
  expectNothingLeft(scene);
});
