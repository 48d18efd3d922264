/** The report for machines (SPEC section 9): well-formed whatever programs print, complete however the run ended. */
import { EXTENSIONS } from "../../src/extensions.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { whyNoReport, writeReport } from "../../src/run/report-file.ts";
import { junitOf } from "../../src/run/report-junit.ts";
import type { RunControl, RunEnd } from "../../src/run/options.ts";
import type { Evidence, NodeVerdict, Passed } from "../../src/core/verdict.ts";
import { aot, projectWith } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { readJunit } from "../support/junit.ts";
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
const atom = (id: string, change: Partial<Report["atoms"][number]>): Report["atoms"][number] => ({
  id,
  description: `do ${id}`,
  status: "pending",
  counted: true,
  ...change,
});
const leaf = (item: string, passed: Passed, evidence: Evidence): NodeVerdict => ({
  item,
  passed,
  check: { type: "command", value: item },
  evidence,
});
const verdictOf = (passed: Passed, ...checklist: readonly NodeVerdict[]): NonNullable<Report["verdict"]> => ({
  passed,
  checklist,
  skipped: [],
  requires_user_confirmation: false,
});

// ── laws ────────────────────────────────────────────────────────────────────

test("law: JUnit is well-formed whatever is in goals, reasons and output, and says it again", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(text, text, text, (goal, reason, output) => {
      const evidence = {
        kind: "command",
        command: goal,
        exit_code: 1,
        timed_out: false,
        duration_ms: 3,
        output,
        dropped_bytes: 0,
      } as const;
      const end = ended({
        outcome: "stalled",
        goal,
        message: reason,
        atoms: [atom("A1", { description: goal, failed: { times: 2, reason } })],
        verdict: verdictOf(false, leaf(goal, false, evidence)),
      });
      const { top } = readJunit(junitOf(end));
      // eslint-disable-next-line no-control-regex
      if (!/[^\u0020-\ud7ff]/.test(goal)) expect(top.attributes["name"]).toBe(goal);
    }),
    { numRuns: 500 },
  );
});

test("SPEC 9: each atom and each leaf of the base case is a test case; what is not verified is red", () => {
  const exit = (code: number): Evidence => ({
    kind: "command",
    command: "c",
    exit_code: code,
    timed_out: false,
    duration_ms: 1_500,
    output: "2 tests failed",
    dropped_bytes: 0,
  });
  const end = ended({
    outcome: "max_iterations",
    atoms: [
      atom("A1", { status: "resolved", binding: { summary: "made it", artifacts: ["a.ts"] } }),
      atom("A2", { failed: { times: 3, reason: "red" } }),
      atom("A3", {}),
      atom("A4", { counted: false }),
    ],
    verdict: verdictOf(
      false,
      leaf("unit", false, exit(1)),
      { item: "either", passed: true, any_of: [leaf("left", false, exit(2)), leaf("right", true, exit(0))] },
      { item: "both", passed: null, group: [leaf("nice", null, { kind: "undecided", reason: "no judge" })] },
    ),
  });
  const { cases, top } = readJunit(junitOf(end));
  expect(cases).toEqual([
    "run/verified (max_iterations): failure",
    "atoms/A1: do A1: passed",
    "atoms/A2: do A2: failure",
    "atoms/A3: do A3: skipped",
    "atoms/A4: do A4: skipped",
    "base case/unit: failure",
    "base case/left: skipped",
    "base case/right: passed",
    "base case/nice: skipped",
  ]);
  const unit = top.children[2]?.children[0];
  expect(unit?.attributes["time"]).toBe("1.5");
  expect(unit?.children.map((child) => child.text)).toEqual([
    "failed: command: unit",
    "command: unit\nexit code 1 after 1.5s\n2 tests failed",
  ]);
});

test("SPEC 9: verified is green throughout, a run that broke is an error", () => {
  const good = readJunit(junitOf(ended({ atoms: [atom("A1", { status: "resolved" })] })));
  expect(good.cases).toEqual(["run/verified: passed", "atoms/A1: do A1: passed", "base case/base case: passed"]);
  const broken: RunEnd = {
    ok: false,
    exit_code: 1,
    problems: [{ code: "refused", message: "the disk is full", hint: "free some" }],
  };
  expect(readJunit(junitOf(broken)).cases).toEqual(["run/verified: error"]);
});

test("a report is called .json, .xml or .html, its folder is made, and what cannot be written is said", async () => {
  expect([whyNoReport("a.json"), whyNoReport("b/c.XML"), whyNoReport("d.html")]).toEqual([null, null, null]);
  expect(whyNoReport("report.txt")).toMatch(/NAME\.json.*NAME\.xml.*report\.txt/);
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
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("NAME.xml (JUnit)")]);
});
