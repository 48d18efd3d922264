/**
 * What the bound on luck costs: `node benches/verdict/price.mjs [--from DIR] [--cache DIR] [--times N]`. The real fix of one task
 * of each kind of runner is aligned and verified, with `trust` 0 and with the default: processor time of all processes.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cloneInto, dependenciesOf, makeTemplate } from "./prepare.mjs";
import { mustRun } from "./shell.mjs";
import { clonePath, SOURCES } from "./sources.mjs";
import { WORKERS } from "./workers.mjs";

const TASKS = [
  { source: "own", id: "sum", what: "node:test by npm, three tests that all decide" },
  { source: "humaneval", id: "HumanEval-10", what: "pytest, one test" },
  { source: "hessian.js", id: "Bug-3", what: "mocha, some of many tests" },
  { source: "polyglot-javascript", id: "affine-cipher", what: "jest by npm, no report of its tests" },
];
const { values } = parseArgs({
  options: {
    from: { type: "string" },
    cache: { type: "string", default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop-bench") },
    times: { type: "string", default: "2" },
  },
});
const AGENT = fileURLToPath(new URL("agent.mjs", import.meta.url));
const AOT = process.env.BENCH_AOT ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

/** Seconds of the processor. */
async function costOf(task, trust, { template, modules, plan, dir }) {
  const project = join(await mkdtemp(join(dir, "run-")), "project");
  await cloneInto(template, project, modules);
  const call = [
    "run",
    task.goal,
    "--check",
    task.check,
    "--agent",
    `command:'${process.execPath}' '${AGENT}' '${plan}'`,
  ];
  const rest = ["--set=planner=none", "--max-iterations", "1", "--yes", "--json", "--set", `trust=${trust}`];
  const timed = `TIMEFORMAT='%U %S'; time "$@" > /dev/null 2> "${project}.err"`;
  const env = { AOT_CONFIG: "none" };
  const said = await mustRun(["bash", "-c", timed, "bash", process.execPath, AOT, ...call, ...rest], {
    cwd: project,
    env,
    timeout_ms: 300_000,
  });
  return said
    .trim()
    .split(" ")
    .map(Number)
    .reduce((sum, seconds) => sum + seconds, 0);
}

async function priceOf({ source: name, id, what }, dir) {
  const source = SOURCES.find((one) => one.name === name);
  const clone = source.repository === null ? null : await clonePath(source.repository, values);
  if (source.repository !== null && clone === null) return `${what} (${name} ${id}): its sources are not here`;
  const task = source.tasks(clone, source).find((one) => one.id === id);
  const place = { template: join(dir, "template"), modules: null, plan: join(dir, "plan.json"), dir };
  await makeTemplate(task, place.template);
  await writeFile(place.plan, JSON.stringify(WORKERS.oracle.plan({ task })));
  const installed = await dependenciesOf(task, values.cache);
  if (installed !== null) {
    place.modules = join(dir, "node_modules");
    await mustRun(["cp", "-a", installed, place.modules], { timeout_ms: 300_000 });
  }
  const costs = { 0: [], 0.01: [] };
  for (let time = 0; time < Number(values.times); time++)
    for (const trust of Object.keys(costs)) costs[trust].push(await costOf(task, trust, place));
  const least = (trust) => Math.min(...costs[trust]);
  return `${what} (${name} ${id}): ${least(0).toFixed(1)} s once, ${least(0.01).toFixed(1)} s with the bound, ${(least(0.01) / least(0)).toFixed(1)}x`;
}

for (const task of TASKS) {
  const dir = await mkdtemp(join(tmpdir(), "price-"));
  try {
    console.log(await priceOf(task, dir));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
