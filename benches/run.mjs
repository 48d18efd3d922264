// Measures what benches/README.md describes and prints each figure beside its target.
//   node benches/run.mjs [--quick] [--json] [--only cli,live,core,runner,makespan,prompt,stall,luck,reach,memory,worktrees,rules,hooks]
// Exits non-zero only when something does not run; a missed target is printed.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cliRows } from "./cli.mjs";
import { coreRows } from "./core.mjs";
import { hooksRows } from "./hooks.mjs";
import { liveRows } from "./live.mjs";
import { luckRows } from "./luck.mjs";
import { makespanRows } from "./makespan.mjs";
import { promptRows } from "./prompt.mjs";
import { reachRows } from "./reach.mjs";
import { reachTable } from "./reach/table.mjs";
import { rulesRows } from "./rules.mjs";
import { tableOf, verdictOf } from "./report.mjs";
import { memoryRows, runnerRows } from "./runner.mjs";
import { stallRows } from "./stall.mjs";
import { stallTable } from "./stall/table.mjs";
import { worktreesRows } from "./worktrees.mjs";

const SECTIONS = {
  cli: ["Commands as whole processes", cliRows],
  live: ["The same in a live process", liveRows],
  core: ["The core alone", coreRows],
  runner: ["The runner: real coordinator, journal and state file, an agent that does nothing", runnerRows],
  makespan: ["Use of the slots", makespanRows],
  prompt: ["Length of prompts: what an atom builds on, beside the whole plan", promptRows],
  stall: ["The stall detector: decisions on labelled runs", stallRows, stallTable],
  luck: ["Verdicts by luck: workers that do nothing, checks that pass at random; and what honest work pays", luckRows],
  reach: [
    "Goals that are reached by who is told the right thing: the loop, the plain loop, an oracle",
    reachRows,
    reachTable,
  ],
  memory: ["Memory", memoryRows],
  worktrees: ["What an attempt costs beside its agent, by the size of the repository", worktreesRows],
  rules: ["Guard rules: a tool call through the plugin's front", rulesRows],
  hooks: ["The plugin's hooks in the real Claude Code", hooksRows],
};

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" }, only: { type: "string" } },
});
const chosen = values.only === undefined ? Object.keys(SECTIONS) : values.only.split(",");
const say = (text) => (values.json === true ? process.stderr : process.stdout).write(`${text}\n`);

const machine = {
  node: process.version,
  platform: process.platform,
  cpu: cpus()[0]?.model ?? "",
  cores: cpus().length,
  load: loadavg()[0],
};
say(
  `Node ${machine.node}, ${machine.cores} x ${machine.cpu}, load ${machine.load.toFixed(1)}${values.quick === true ? ", quick" : ""}`,
);
const python = pythonOriginal();
const folder = mkdtempSync(join(tmpdir(), "aot-bench-"));
const results = {};
try {
  for (const name of chosen) {
    const section = SECTIONS[name];
    if (section === undefined) throw new Error(`no section ${name}: ${Object.keys(SECTIONS).join(", ")}`);
    const [title, measure, print = tableOf] = section;
    const rows = await measure({ quick: values.quick === true, folder, python });
    results[name] = rows.map((row) => ({ ...row, verdict: verdictOf(row) }));
    say(print(title, results[name]));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const misses = Object.values(results)
  .flat()
  .filter((row) => row.verdict === "MISS");
say(
  `\n${misses.length === 0 ? "every target met" : `${misses.length} targets missed:\n${misses.map((row) => `  ${row.what}`).join("\n")}`}`,
);
if (values.json === true)
  process.stdout.write(`${JSON.stringify({ machine: { ...machine, load_after: loadavg()[0] }, results }, null, 1)}\n`);

/** A checkout of the Python original to measure beside; null: none was named. */
function pythonOriginal() {
  const path = process.env.AOT_BENCH_PYTHON ?? "";
  if (path === "" || !existsSync(join(path, "skills", "state-contract", "scripts", "read_state.py"))) {
    say("The Python original is not measured beside: name a checkout of it in AOT_BENCH_PYTHON.");
    return null;
  }
  return path;
}
