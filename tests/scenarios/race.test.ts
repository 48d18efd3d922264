/** Speculative groups: choices race in worktrees of their own (SPEC section 7). */
import { expect, test } from "vitest";
import { isAlive } from "../../src/host/process.ts";
import { filesExist, setStage } from "./stage.ts";
import { storyOf } from "./story.ts";

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
  expect(storyOf(stage.journal().filter((line) => !/^(E|iteration)/.test(line.atom ?? line.event))))
    .toMatchInlineSnapshot(`
    "
    run started, pending
      R1.1 starts (1)
      R2.1 starts (1)
      R2.1 succeeded
      R2.1 integrated: r2
      R1.1 discarded: R2 was adopted
      g: R2 selected
      R2 resolved, M=1
      nothing to revert
      base case: true
    halted, verified: the base case is verified
    "
  `);
});

test("SPEC 7: if all of a race fail each is recorded, and the group is exhausted", async () => {
  const fails = (name: string, ...before: object[]) => [
    ...before,
    { answer: { success: false, summary: `${name} is no good` } },
  ];
  const stage = setStage({
    atoms: [{ id: "R1" }, { id: "R2" }],
    groups: [{ name: "g", choices: ["R1", "R2"], speculative: true }],
    objective: { base_case: filesExist("r") },
    script: { R1: fails("R1", { flag: "one" }), R2: fails("R2", { await: "failed" }) },
  });
  const end = await stage.run({
    during: (line) => {
      if (line.event === "attempt_failed") stage.raise("failed");
    },
  });
  expect(end).toMatchObject({ exit_code: 14 });
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      R1.1 starts (1)
      R2.1 starts (1)
      R1.1 failed, failed: R1 is no good
      g: R1 given up, M=1
      g: R2 selected
      nothing to revert
      R2.1 failed, failed: R2 is no good
      g: R2 given up, M=0
      g exhausted
      nothing to revert
      [1] judged: first, M=0
      base case: false
    halted, or_group_exhausted: OR group exhausted: g
    "
  `);
});

test("SPEC 7: of two successes one is adopted", async () => {
  const stage = setStage({
    atoms: [{ id: "R1" }, { id: "R2" }],
    groups: [{ name: "g", choices: ["R1", "R2"], speculative: true }],
    script: {
      R1: [{ flag: "one" }, { await: "two" }, { write: { r: "1" } }],
      R2: [{ flag: "two" }, { await: "one" }, { write: { r: "2" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const adopted = stage.journal().flatMap((line) => (line.event === "attempt_integrated" ? [line.attempt] : []));
  expect(adopted).toHaveLength(1);
  expect(stage.integrated("r")).toBe(adopted[0]?.slice(1, 2));
});
