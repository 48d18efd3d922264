/** The runner's own cost per attempt, and what real programs and worktrees add. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SHAPES } from "./graphs.mjs";
import { median } from "./statistics.mjs";

const child = fileURLToPath(new URL("./runner-child.mjs", import.meta.url));
const bin = fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));
const SLOTS = 64;

export function runnerRows({ quick, folder }) {
  const rows = [];
  for (const shape of SHAPES) {
    const engine = new Map();
    for (const count of [100, 1_000]) {
      const runs = Array.from({ length: quick ? 1 : 3 }, () => inChild([shape, count, SLOTS, 0]));
      // The least: whatever else the machine does only adds.
      const least = (of) => Math.min(...runs.map(of));
      engine.set(
        count,
        least(({ steady, disk }) => steady.cpu - disk.cpu),
      );
      rows.push({
        what: `no-op attempt, durable, ${shape}, ${count} atoms`,
        figure: engine.get(count),
        unit: "us CPU",
        most: 100,
        note:
          `with the disk's ${least(({ disk }) => disk.cpu).toFixed(0)}: ${least(({ steady }) => steady.cpu).toFixed(0)}, ` +
          `wall ${least(({ steady }) => steady.wall).toFixed(0)}; ` +
          `the first loop of a process: ${least(({ cold }) => cold.cpu).toFixed(0)}; ${runs[0].syncs.toFixed(2)} syncs each`,
      });
    }
    rows.push({
      what: `${shape}: engine CPU per attempt at 1,000 against 100`,
      figure: engine.get(1_000) / engine.get(100),
      unit: "x",
      most: 2,
    });
  }
  rows.push(...commandRows(quick, folder));
  return rows;
}

export function memoryRows({ folder }) {
  const run = inChild(["layered", 1_000, SLOTS, 20, "cold"]);
  const shown = peakOfShow(1_000, folder);
  return [
    {
      what: "runner with 1,000 atoms, peak RSS",
      figure: run.peak_mb,
      unit: "MB",
      most: 150,
      note: `${run.rss_mb.toFixed(0)} MB at the end`,
    },
    {
      what: "spawn() in that process",
      figure: median(run.spawn_ms),
      unit: "ms",
      note: "keeps the event loop; grows with RSS",
    },
    {
      what: "state show with 1,000 atoms, peak RSS",
      figure: shown.peak,
      unit: "MB",
      note: `an empty Node has ${shown.empty.toFixed(0)} MB`,
    },
  ];
}

function inChild(args) {
  const ran = spawnSync(process.execPath, [child, ...args.map(String)], { encoding: "utf8", timeout: 300_000 });
  if (ran.status !== 0) throw new Error(`${args.join(" ")}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

// ── real programs ───────────────────────────────────────────────────────────

const ANSWER = '{"success": true, "summary": "nothing to do", "artifacts": []}';

function commandRows(quick, folder) {
  const count = quick ? 10 : 40;
  const program = join(folder, "noop.sh");
  writeFileSync(program, `cat > /dev/null\necho '${ANSWER}'\n`);
  if (process.platform === "win32") return [];
  const bare = median(Array.from({ length: 20 }, () => bareCall(program)));
  const rows = [{ what: "the no-op program itself", figure: bare, unit: "ms", note: "sh, started and waited for" }];
  const off = ["--sandbox", "off"];
  const took = (flags) => commandRun(folder, program, count, flags) / count;
  const inTurns = Array.from({ length: quick ? 1 : 3 }, () => ({
    tree: took(off),
    confined: hasSandbox(folder) ? took(["--sandbox", "require"]) : null,
  }));
  const each = (name) => median(inTurns.map((turn) => turn[name]));
  rows.push({
    what: "attempt of a no-op program, in a worktree of its own",
    figure: each("tree") - bare,
    unit: "ms over it",
    note: `${each("tree").toFixed(1)} ms wall each, ${count} independent atoms, one slot, start and verification shared out`,
  });
  if (inTurns[0].confined !== null)
    rows.push({
      what: "what the sandbox adds to it there",
      figure: median(inTurns.map(({ confined, tree }) => confined - tree)),
      unit: "ms",
      most: 60,
      note: `${each("confined").toFixed(1)} ms wall each; ${(each("confined") / each("tree")).toFixed(2)} times as long`,
    });
  return rows;
}

function hasSandbox(folder) {
  const ran = spawnSync(process.execPath, [bin, "doctor", "--json"], { cwd: folder, encoding: "utf8" });
  return /"name":"sandbox","level":"good"/.test(ran.stdout);
}

function bareCall(program) {
  const start = performance.now();
  spawnSync("sh", [program], { input: "{}", stdio: ["pipe", "ignore", "ignore"] });
  return performance.now() - start;
}

function commandRun(folder, program, count, flags) {
  const project = join(folder, "project");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, ".claude"), { recursive: true });
  const git = (...args) => {
    const ran = spawnSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@example.com", ...args], {
      cwd: project,
    });
    if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${String(ran.stderr)}`);
  };
  git("init", "-q");
  writeFileSync(join(project, "readme.txt"), "a benchmark\n");
  writeFileSync(join(project, ".gitignore"), ".claude/\n");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  const atoms = Array.from(
    { length: count },
    (_, index) =>
      `  - id: A${index + 1}\n    description: "Step ${index + 1}"\n    status: pending\n    depends_on: []\n`,
  );
  writeFileSync(join(project, ".claude", "aot-loop-state.md"), commandState(atoms.join(""), count));
  const args = [bin, "run", "--agent", `command:sh ${program}`, ...flags, "--json"];
  const start = performance.now();
  const ran = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8", timeout: 300_000 });
  const took = performance.now() - start;
  if (ran.status !== 0) throw new Error(`aot run: ${ran.status} ${ran.stdout.slice(-2000)} ${ran.stderr.slice(-2000)}`);
  return took;
}

function commandState(atoms, count) {
  return `---
objective:
  goal: "The steps are done"
  base_case:
    type: command
    value: "true"
  background_intent: "A benchmark"
  deliverables: "Steps"
  definition_of_done: "All of them"
  constraints:
    max_iterations: ${count}
    max_parallel_agents: 1
    max_stall_count: 3

control:
  status: pending
  iteration: 0
  stall_count: 0
  prev_pending_count: -1
  stop_requested: false
  stop_reason: null
  redirect_requested: false

atoms:
${atoms}
decompositions: []
or_groups: {}
bindings: {}

trail: []
corrections: []
---

# Original Prompt

Do the steps.
`;
}

// ── memory ──────────────────────────────────────────────────────────────────

function peakOfShow(count, folder) {
  const peak = fileURLToPath(new URL("./floors/peak.cjs", import.meta.url));
  const states = fileURLToPath(new URL("./states.mjs", import.meta.url));
  const state = join(folder, "large.md");
  const write = `import(${JSON.stringify(states)}).then(({ stateText }) => require("node:fs").writeFileSync(${JSON.stringify(state)}, stateText(${count})))`;
  spawnSync(process.execPath, ["-e", write]);
  const measure = (args) => {
    const ran = spawnSync(process.execPath, ["--require", peak, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    return Number(/peak (\d+)/.exec(ran.stderr)?.[1]) / 1024;
  };
  return { empty: measure(["-e", "0"]), peak: measure([bin, "state", "show", "--state-file", state, "--json"]) };
}
