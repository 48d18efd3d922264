/** A goal that somebody edited in the state file is not believed in silence (SPEC sections 6 and 8). */
import { expect, test } from "vitest";
import { redirectLoop } from "../../src/index.ts";
import { filesExist, setStage, type Stage } from "./stage.ts";

async function halted(): Promise<Stage> {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 1 },
    objective: { base_case: filesExist("b"), protected: ["README.md"] },
    script: { A1: [{ write: { a: "1" } }] },
  });
  expect(await stage.run()).toMatchObject({ ok: true, exit_code: 12 });
  return stage;
}

test("what was edited is named, and the run begins only when a person says so", async () => {
  const stage = await halted();
  stage.edit((text) => text.replace('value: "b"', 'value: "a"'));
  const refused = await stage.run();
  expect(refused).toMatchObject({ ok: false, exit_code: 3 });
  expect(JSON.stringify(refused)).toMatch(/base_case is .*a.* and was .*b.*--accept goal/);
  expect(await stage.run({ restart: true })).toMatchObject({ ok: false, exit_code: 3 });
  expect(await stage.run({ accept_goal: true, settings: {} })).toMatchObject({ ok: true });
  // From then on that is the goal.
  expect(JSON.stringify(await stage.run({ restart: true }))).not.toContain("accept goal");
});

test("a redirect is a person's decision already, and so is the goal as it was put back", async () => {
  const stage = await halted();
  const change = { kind: "limit", constraint: "max_iterations", value: 2, reason: "more" } as const;
  expect(await redirectLoop(stage.stateFile, change)).toMatchObject({ ok: true });
  stage.edit((text) => text.replace('value: "b"', 'value: "a"'));
  expect(await stage.run()).toMatchObject({ ok: false });
  stage.edit((text) => text.replace('value: "a"', 'value: "b"'));
  expect(await stage.run()).toMatchObject({ ok: true, exit_code: 12 });
});

test("the aligned commit is not forgotten with its line in the file", async () => {
  const stage = await halted();
  const aligned = stage.state().objective.aligned_commit;
  expect(aligned).toMatch(/^[0-9a-f]{40}$/);
  stage.edit((text) => text.replace(/\n *aligned_commit:.*/, ""));
  expect(stage.state().objective.aligned_commit).toBeUndefined();
  expect(await stage.run()).toMatchObject({ ok: true });
  expect(stage.state().objective.aligned_commit).toBe(aligned);
});
