/** Speculative groups: choices race in worktrees of their own (SPEC section 7). */
import { expect, test } from "vitest";
import { isAlive } from "../../src/host/process.ts";
import { filesExist, setStage } from "./stage.ts";

test("SPEC 7: the first success of a race is adopted, the others are killed and nothing of them is in the tree", async () => {
  const stage = setStage({
    atoms: [{ id: "R1" }, { id: "R2" }, { id: "E", depends_on: ["R1"] }],
    groups: [{ name: "g", choices: ["R1", "R2"], speculative: true }],
    objective: { base_case: filesExist("r2", "e") },
    script: {
      R1: [{ write: { r1: "slow" } }, { deaf: true, flag: "running" }, { hang: true }],
      R2: [{ await: "running" }, { write: { r2: "fast" } }],
      E: [{ write: { e: "e" } }],
    },
  });
  const end = await stage.run({
    during: (line) => {
      // The dependant needs no more than the winner.
      if (line.event === "attempt_started" && line.atom === "E") expect(stage.isRaised("running")).toBe(true);
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  expect(isAlive(stage.pidOf("R1.1"))).toBe(false);
  expect([stage.integrated("r1"), stage.integrated("r2")]).toEqual([null, "fast"]);
  expect(stage.state().trail).toMatchObject([{ or_group: "g", selected: "R2", reason: "R2 won the race" }]);
});
