/** An agent is any program (SPEC sections 7 and 10): what it says is its claim, and the checks decide. */
import { expect, test } from "vitest";
import { filesExist, setStage, type Stage } from "./stage.ts";

const stageFor = (): Stage =>
  setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 4, max_stall_count: 2 },
    objective: { base_case: filesExist("made.txt") },
  });
const program = (code: string): string => `command:"${process.execPath}" -e "${code}"`;
const started = (stage: Stage): number => stage.journal().filter(({ event }) => event === "attempt_started").length;

test("a program that works, prints Done! and exits 0 reaches the goal in one call", async () => {
  const stage = stageFor();
  const agent = program("require('fs').writeFileSync('made.txt', '1'); console.log('Done!')");
  expect(await stage.run({ agent })).toMatchObject({ exit_code: 0 });
  expect(started(stage)).toBe(1);
  expect(stage.state().atoms.length).toBe(1);
  expect(stage.journal().find(({ event }) => event === "work_succeeded")).toMatchObject({ summary: "Done!" });
});

test("one that only says so reaches nothing: the check fails, and nobody is asked twice for JSON", async () => {
  const stage = stageFor();
  const end = await stage.run({ agent: program("console.log('Done!')") });
  expect(end).toMatchObject({
    ok: true,
    report: { outcome: expect.stringMatching(/stalled|max_iterations/) as string },
  });
  expect(stage.journal().some(({ event }) => event === "attempt_failed")).toBe(false);
  expect(stage.integrated("made.txt")).toBe(null);
});
