/** A check that nobody saw red is run at the commit before the work (SPEC section 6). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runPlan } from "../../src/core/luck.ts";
import { redirectLoop, verifyLoop } from "../../src/index.ts";
import { setStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000 });

const TRUST = 0.05;
const PLAN = runPlan(TRUST);
interface Play {
  readonly stage: Stage;
  runs(): number;
}

/** A check that notes each run and passes where `made.txt` is. */
function play(work: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): Play {
  const dir = mkdtempSync(join(tmpdir(), "aot-reds-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [count, script] = [join(dir, "count"), join(dir, "look.cjs")];
  writeFileSync(
    script,
    `const fs = require("fs"); fs.appendFileSync(${JSON.stringify(count)}, "."); process.exit(fs.existsSync("made.txt") ? 0 : 1);`,
  );
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 3 },
    objective: { base_case: { type: "command", value: `"${process.execPath}" "${script}"` } },
    files: { ".gitignore": ".claude\n", ...files },
    script: { A1: [{ write: work }] },
  });
  return { stage, runs: () => readFileSync(count, "utf8").length };
}

test("a loop that was not aligned has the bound all the same", async () => {
  const { stage, runs } = play({ "made.txt": "x" });
  const end = await stage.run({ settings: { trust: TRUST } });
  expect(end).toMatchObject({ report: { outcome: "verified", verdict: { luck: PLAN.p } } });
  expect(runs()).toBe(PLAN.reds + PLAN.passes);
});

test("a check that passes before the work, too, is run once more and has no bound", async () => {
  const { stage, runs } = play({ "other.txt": "x" }, { "made.txt": "x" });
  const end = await stage.run({ settings: { trust: TRUST } });
  expect(end.ok && [end.report.outcome, end.report.verdict?.luck]).toEqual(["verified", undefined]);
  expect(runs()).toBe(2);
});

test("what a redirect brings was never seen red, and is", async () => {
  const { stage } = play({ "made.txt": "x", "more.txt": "x" });
  const check = `"${process.execPath}" -e "process.exit(require('fs').existsSync('more.txt') ? 0 : 1)"`;
  const done = await redirectLoop(stage.stateFile, {
    kind: "set",
    field: "base_case",
    value: { type: "command", value: check },
    reason: "that one",
  });
  expect(done).toMatchObject({ ok: true });
  const end = await stage.run({ settings: { trust: TRUST } });
  expect(end).toMatchObject({ report: { outcome: "verified", verdict: { luck: PLAN.p } } });
});

test("the person's own verification has the bound of the loop where it is known, and says where not", async () => {
  const { stage, runs } = play({ "made.txt": "x" });
  writeFileSync(join(stage.root, "made.txt"), "x");
  const once = await verifyLoop(stage.stateFile);
  expect(once).toMatchObject({ ok: true, value: { passed: true } });
  expect(once.ok && once.value.luck).toBe(undefined);
  expect(runs()).toBe(1);
});
