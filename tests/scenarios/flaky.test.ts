/** A check that answers both ways on one tree is believed in neither (SPEC sections 6 and 9). */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runPlan } from "../../src/core/luck.ts";
import { setStage, type Play, type Stage } from "./stage.ts";

const SEQUENCE = `
const fs = require("node:fs");
const [file, answers] = process.argv.slice(1);
const run = fs.existsSync(file) ? fs.readFileSync(file, "utf8").length : 0;
fs.appendFileSync(file, ".");
const answer = answers[Math.min(run, answers.length - 1)];
console.log("run " + (run + 1) + ": " + answer);
process.exit(answer === "+" ? 0 : 1);
`;

interface Check {
  readonly command: string;
  runs(): number;
}

/** A check that answers so, one run behind the other, whatever is in the folder: "+" passes, "-" fails. */
function answering(answers: string): Check {
  const dir = mkdtempSync(join(tmpdir(), "aot-sequence-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const script = join(dir, "check.cjs");
  const count = join(dir, "count");
  writeFileSync(script, SEQUENCE.replace("argv.slice(1)", "argv.slice(2)"));
  return {
    command: `"${process.execPath}" "${script}" "${count}" ${answers}`,
    runs: () => (existsSync(count) ? readFileSync(count, "utf8").length : 0),
  };
}

const IDLE = { answer: { success: true, summary: "did nothing", artifacts: [] } };
/** A loop whose base case is that command, and whose first attempt does nothing. */
const stageOf = (value: string, script: Play["script"] = {}, more: Partial<Play> = {}): Stage =>
  setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: { type: "command", value } },
    script: { A1: [IDLE], ...script },
    ...more,
  });
const said = (stage: Stage): readonly (boolean | null)[] =>
  stage.journal().flatMap((line) => (line.event === "base_case_checked" ? [line.verdict.passed] : []));

test("SPEC 6: red and then green on a tree that nobody changed is not verified: exit 19, with both answers", async () => {
  const { command } = answering("-+");
  const stage = stageOf(command, { planner: [{ say: "none" }], A2: [IDLE], A3: [IDLE], A4: [IDLE] });
  const end = await stage.run();
  expect(end).toMatchObject({ ok: true, exit_code: 19, report: { outcome: "flaky_check" } });
  const { control } = stage.state();
  expect(control).toMatchObject({ status: "stopped", outcome: "flaky_check" });
  expect(control.stop_reason).toMatch(/failed \(exit code 1: run 1: -\) and passed \(exit code 0: run 2: \+\)/);
  // It was worked like one that fails until the loop stalled.
  expect(said(stage)).toEqual([false, null, null, null, null]);
});

test("SPEC 6: earlier runs of the loop count: run again, the same tree is not verified either", async () => {
  const { command } = answering("-+");
  const stage = stageOf(command, {}, { constraints: { max_iterations: 1 } });
  expect(await stage.run()).toMatchObject({ exit_code: 12 });
  expect(await stage.run()).toMatchObject({ exit_code: 19 });
  expect(await stage.run()).toMatchObject({ exit_code: 19 });
});

test("a person who mended what lies outside the commit says so: --accept answers", async () => {
  const { command } = answering("-+");
  const stage = stageOf(command, {}, { constraints: { max_iterations: 1 } });
  expect(await stage.run()).toMatchObject({ exit_code: 12 });
  expect(await stage.run({ forget_answers: true })).toMatchObject({ exit_code: 0 });
});

test("SPEC 6: with a trust of 0 a new tree is new evidence, and a check has to pass on it once", async () => {
  const check = answering("-+");
  const stage = stageOf(check.command, { "A1.2": [{ write: { "b.txt": "1" } }] });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(check.runs()).toBe(2);
});

test("SPEC 6: a check that is red where it is first run is so four times, and has to pass four times; more often once it was flaky", async () => {
  const { reds, passes, penalty } = runPlan(0.01);
  const red = "-".repeat(reds);
  for (const [answers, runs] of [
    // Red on the first tree, green on the second.
    [`${red}+`, reds + passes],
    // Flaky on the second one: two passes are wasted.
    [`${red}++-+`, reds + 3 + passes + 2 * penalty],
  ] as const) {
    const check = answering(answers);
    const stage = stageOf(check.command, {
      planner: [{ say: "none" }],
      "A1.2": [{ write: { "b.txt": "1" } }],
      A2: [{ write: { "c.txt": "1" } }],
    });
    const end = await stage.run({ settings: { trust: 0.01 } });
    expect(end).toMatchObject({ exit_code: 0, report: { verdict: { passed: true, luck: runPlan(0.01).p } } });
    expect(check.runs()).toBe(runs);
  }
});

test("SPEC 6: the next run goes on with the reds that the first one saw", async () => {
  const check = answering("-----+");
  const stage = stageOf(
    check.command,
    { "A1.2": [{ write: { "b.txt": "1" } }] },
    { constraints: { max_iterations: 1 } },
  );
  expect(await stage.run({ settings: { trust: 0.01 } })).toMatchObject({ exit_code: 12 });
  expect(check.runs()).toBe(4);
  stage.edit((text) => text.replace("max_iterations: 1", "max_iterations: 2"));
  const end = await stage.run({ accept_goal: true, settings: { trust: 0.01 } });
  expect(end).toMatchObject({ report: { outcome: "verified", verdict: { luck: runPlan(0.01).p } } });
  // It looks at the same tree once more, where one red is enough by now.
  expect(check.runs()).toBe(9);
});

test("SPEC 7: in the folder itself the recorded tree counts", async () => {
  const { command } = answering("-+");
  const stage = stageOf(command, { planner: [{ say: "none" }], A2: [IDLE], A3: [IDLE], A4: [IDLE] }, { git: false });
  expect(await stage.run()).toMatchObject({ exit_code: 19 });
});
