/** The report of a run (SPEC section 9): complete however the run ended. */
import { EXTENSIONS } from "../../src/extensions.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whyNoReport, writeReport } from "../../src/run/report-file.ts";
import type { RunControl, RunEnd } from "../../src/run/options.ts";
import { aot, projectWith } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { filesExist, setStage } from "../scenarios/stage.ts";

type Report = Extract<RunEnd, { ok: true }>["report"];

const REPORT: Report = {
  run: "r1",
  outcome: "verified",
  message: "the base case is verified",
  goal: "a goal",
  iteration: 1,
  max_iterations: 9,
  measure: 0,
  stall_count: 0,
  attempts: 1,
  failures: 0,
  other_calls: 0,
  cost_usd: 0,
  tokens: 0,
  active_ms: 1_500,
  waited_ms: 0,
  verdict: null,
  commit: null,
  agents: [],
  atoms: [],
  trail: [],
  corrections: [],
  history: [],
  notes: [],
  place: "here",
  merged: true,
};
const ended = (change: Partial<Report>): RunEnd => ({
  ok: true,
  exit_code: change.outcome === undefined || change.outcome === "verified" ? 0 : 12,
  report: { ...REPORT, ...change },
});
test("a report is called .json or .html, its folder is made, and what cannot be written is said", async () => {
  expect([whyNoReport("a.json"), whyNoReport("b/c.JSON"), whyNoReport("d.html")]).toEqual([null, null, null]);
  expect(whyNoReport("report.txt")).toMatch(/NAME\.json.*NAME\.html.*report\.txt/);
  const dir = temporaryFolder();
  const loop = { stateFile: join(dir, "none.md"), engines: EXTENSIONS.engines };
  const file = join(dir, "deep", "er", "out.json");
  expect(await writeReport(file, ended({}), loop)).toBe(null);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ success: true, outcome: "verified", exit_code: 0 });
  expect(await writeReport(join(file, "below.json"), ended({}), loop)).toMatch(/cannot write/);
  expect(await writeReport(join(dir, "page.html"), ended({}), loop)).toMatch(/none\.md/);
});

test("SPEC 9: the report is written however the run ends: verified, out of budget, stopped, killed; and whole or not at all", async () => {
  const folder = temporaryFolder();
  const report = join(folder, "night.json");
  const read = (): { outcome?: string; exit_code?: number } => JSON.parse(readFileSync(report, "utf8")) as object;
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2" }],
    objective: { base_case: filesExist("out") },
    constraints: { max_parallel_agents: 1 },
  });
  const spend = [
    {
      write: { out: "x" },
      answer: { success: true, summary: "s", usage: { cost_usd: 1, input_tokens: 90, output_tokens: 10 } },
    },
  ];
  stage.rewrite({ A1: spend, "A2.1": [{ flag: "begun", hang: true }], A2: spend });
  await stage.run({ reports: [report], settings: { max_tokens: 100 } });
  expect(read()).toMatchObject({ outcome: "budget", exit_code: 13, tokens: 100 });
  const page = join(folder, "night.html");
  await stage.run({ reports: [page, report], settings: { max_tokens: 100 } });
  expect(readFileSync(page, "utf8")).toMatch(/Stopped: the budget is spent[^]*✓ integrated/);
  let control: RunControl | undefined;
  const killed = stage.run({ reports: [report], during: (_, given) => (control = given) });
  await eventually("the agent hangs", () => stage.isRaised("begun"), 30_000);
  control?.kill();
  await killed;
  expect(read()).toMatchObject({ outcome: "stop_requested", exit_code: 10 });
  await stage.run({ reports: [report], agent: "clod" });
  expect(read()).toMatchObject({ success: false, exit_code: 2 });
  await stage.run({ reports: [report] });
  expect(read()).toMatchObject({ outcome: "verified", exit_code: 0 });
  expect(readdirSync(folder), "nothing is left beside them").toEqual(["night.html", "night.json"]);
});

test("SPEC 10: --report with another ending is bad usage, reported before anything is done", async () => {
  const { dir } = projectWith();
  const ran = await aot(["run", "--report", "night.txt", "--agent", "command:true"], { cwd: dir });
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("NAME.html (a page)")]);
});
