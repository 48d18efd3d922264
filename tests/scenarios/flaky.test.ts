/** A check that answers both ways on one tree is believed in neither (SPEC sections 6 and 9). */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { luckOf, redsWanted, TRUST } from "../../src/core/luck.ts";
import { redirectLoop, verifyLoop } from "../../src/index.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { aot } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";
import { checkNodesOf } from "../../src/core/verdict.ts";
import { setStage, type Play, type Stage } from "./stage.ts";

const SEQUENCE = `
const fs = require("node:fs");
const [file, answers] = process.argv.slice(1);
const run = fs.existsSync(file) ? fs.readFileSync(file, "utf8").length : 0;
fs.appendFileSync(file, ".");
const answer = answers === "?" ? (fs.existsSync("made.txt") ? "+" : "-") : answers[Math.min(run, answers.length - 1)];
console.log("run " + (run + 1) + ": " + answer);
process.exit(answer === "+" ? 0 : 1);
`;

interface Check {
  readonly command: string;
  runs(): number;
}

/** A check that answers so, one run behind the other, whatever is in the folder: "+" passes, "-" fails. "?": `made.txt` is there. */
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
const chance = (reds: number, trust = TRUST, chances = 1): number =>
  luckOf(trust, { green: false, reds, most_reds: reds, chances, wasted: 0 });
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

test("SPEC 6: a check that is red has to pass twice; four times more for each pass that was worth nothing", async () => {
  for (const [answers, runs, chances] of [
    // Red on the first tree, green on the second.
    ["-++", 3, 1],
    // Flaky on the second one, red on the third: one pass is wasted.
    ["-+-----++++++", 13, 3],
  ] as const) {
    const check = answering(answers);
    const stage = stageOf(check.command, {
      planner: [{ say: "none" }],
      // One file alone: of several the cause is looked for.
      A1: [{ write: { "a.txt": "1" } }],
      "A1.2": [{ write: { "a.txt": "2" } }],
      A2: [{ write: { "a.txt": "3" } }],
      A3: [{ write: { "a.txt": "4" } }],
    });
    const end = await stage.run({ settings: { trust: TRUST } });
    const luck = chance(1, TRUST, chances);
    expect(end).toMatchObject({ exit_code: 0, report: { verdict: { passed: true, luck } } });
    expect(check.runs()).toBe(runs);
  }
});

const MADE = { "made.txt": "x" };

test("SPEC 6: the next run goes on with the reds that the first one saw", async () => {
  const { command } = answering("?");
  const stage = stageOf(command, { "A1.2": [{ write: MADE }] }, { constraints: { max_iterations: 1 } });
  expect(await stage.run({ settings: { trust: 0.01 } })).toMatchObject({ exit_code: 12 });
  stage.edit((text) => text.replace("max_iterations: 1", "max_iterations: 2"));
  const end = await stage.run({ accept_goal: true, settings: { trust: 0.01 } });
  const [leaf] = checkNodesOf((end.ok && end.report.verdict?.checklist) || []);
  // Four in the first run, one when the second began.
  expect(leaf?.reds).toBeGreaterThanOrEqual(5);
  expect(leaf).toMatchObject({ passed: true });
});

test.each([
  ["are red more often, and nobody waits for that", `${"-".repeat(9)}+`, 9, { runs: 2, reds: 8 }],
  ["that pass there are flaky, and no verdict can rest on them", "---+", 4, { passed: null }],
])("SPEC 6: while attempts work, checks that alignment saw red %s", async (_, answers, runs, leaf) => {
  const check = answering(answers);
  const stage = stageOf(check.command, { A1: [{ await: "often" }, { write: MADE }] });
  // Red in the fresh place, and in the checkout.
  const goal = ["align", "G", "--check", check.command, "--max-iterations", "1", "--trust", "0", "--yes", "--force"];
  expect(await aot(goal, { cwd: stage.root })).toMatchObject({ code: 0 });
  const notes: string[] = [];
  const during = (line: JournalLine): void => void (line.event === "note" && notes.push(line.message));
  const ran = stage.run({ settings: { trust: TRUST }, during });
  const isSaid = (): boolean => notes.some((note) => /passes there now/.test(note));
  await eventually("it was run so often", () => check.runs() === runs && (runs === 9 || isSaid()), 30_000);
  stage.raise("often");
  const end = await ran;
  const luck = runs === 9 ? { luck: chance(8) } : {};
  expect(end).toMatchObject({ exit_code: runs === 9 ? 0 : 19, report: { verdict: { ...luck, checklist: [leaf] } } });
  const before = stage.journal().flatMap((line) => (line.event === "base_case_checked" ? [line.before] : []));
  expect(before).toMatchObject([{ answers: [runs === 9 ? { fails: 8 } : { passed: expect.anything() }] }]);
});

test.each([
  [TRUST, 1, 2],
  [0.05, redsWanted(0.05), 3],
])(
  "SPEC 6: a check that nobody saw red is red at the commit before the work: trust %f",
  async (trust, reds, passes) => {
    const { command, runs } = answering("?");
    const end = await stageOf(command, { A1: [{ write: MADE }] }).run({ settings: { trust } });
    expect(end).toMatchObject({ report: { outcome: "verified", verdict: { luck: chance(reds, trust) } } });
    expect(runs()).toBe(reds + passes);
  },
);

test("SPEC 6: one that passes there, too, is run once more and has no bound", async () => {
  const { command, runs } = answering("?");
  const stage = stageOf(command, { A1: [{ write: { "other.txt": "x" } }] }, { files: MADE });
  const end = await stage.run({ settings: { trust: TRUST } });
  expect(end.ok && [end.report.outcome, end.report.verdict?.luck]).toEqual(["verified", undefined]);
  expect(runs()).toBe(2);
});

test("SPEC 6: what a redirect brings was never seen red, and is", async () => {
  const stage = stageOf(answering("-").command, { A1: [{ write: MADE }] });
  const value = { type: "command", value: answering("?").command } as const;
  const done = await redirectLoop(stage.stateFile, { kind: "set", field: "base_case", value, reason: "that one" });
  expect(done).toMatchObject({ ok: true });
  expect(await stage.run({ settings: { trust: TRUST } })).toMatchObject({ report: { verdict: { luck: chance(1) } } });
});

test("the person's own verification has the bound of the loop where it is known, and says where not", async () => {
  const { command, runs } = answering("?");
  const stage = stageOf(command, {}, { files: MADE });
  const once = await verifyLoop(stage.stateFile);
  expect(once.ok && [once.value.passed, once.value.luck]).toEqual([true, undefined]);
  expect(runs()).toBe(1);
});

test("SPEC 7: in the folder itself the recorded tree counts", async () => {
  const { command } = answering("-+");
  const stage = stageOf(command, { planner: [{ say: "none" }], A2: [IDLE], A3: [IDLE], A4: [IDLE] }, { git: false });
  expect(await stage.run()).toMatchObject({ exit_code: 19 });
});
