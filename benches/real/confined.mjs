// What confinement adds to the wall time of whole loops on tasks that nobody here wrote: the polyglot exercises of the verdict
// benchmark with its checks, each worked by an agent that only writes the reference solution, with the sandbox and without it in turns.
//   npm run real:confined -- [--from DIR] [--most N of each language]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../statistics.mjs";
import { cloneInto, dependenciesOf, makeTemplate, placeCommand, spread } from "../verdict/prepare.mjs";
import { clonePath, SOURCES } from "../verdict/sources.mjs";
import { WORKERS } from "../verdict/workers.mjs";
import { lastLine } from "./source.mjs";

const AOT = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const AGENT = fileURLToPath(new URL("../verdict/agent.mjs", import.meta.url));
const { values } = parseArgs({ options: { from: { type: "string" }, most: { type: "string", default: "100" } } });
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop-bench");
const folder = mkdtempSync(join(tmpdir(), "aot-confined-"));
// As the benchmark does.
const env = { ...process.env, PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1", AOT_CONFIG: "none" };

/** Seconds of a whole `aot run "GOAL"`; throws unless it is verified. */
async function worked(task, sandbox, { template, modules, plan }) {
  const project = join(folder, `${task.id}-${sandbox}`);
  await cloneInto(template, project, modules);
  const agent = `command:'${process.execPath}' '${AGENT}' '${plan}'`;
  const args = ["run", task.goal, "--check", task.check, "--agent", agent, "--yes", "--sandbox", sandbox];
  const began = performance.now();
  // The sandbox shows the project's packages; without it they are put in each folder by hard links, of which the project has none.
  const set_up = sandbox === "off" && modules !== null ? { AOT_SETUP: placeCommand(`${modules}-linked`) } : {};
  const ran = spawnSync(process.execPath, [AOT, ...args], {
    cwd: project,
    env: { ...env, ...set_up },
    encoding: "utf8",
  });
  const seconds = (performance.now() - began) / 1000;
  rmSync(project, { recursive: true, force: true });
  if (ran.status !== 0) throw new Error(`exit ${ran.status}: ${lastLine(ran.stderr) || lastLine(ran.stdout)}`);
  return seconds;
}

/** @param order each kind is first as often as second */
async function inTurns(task, order) {
  const template = join(folder, task.id);
  const plan = join(folder, `${task.id}.json`);
  await makeTemplate(task, template);
  writeFileSync(plan, JSON.stringify(WORKERS.oracle.plan({ task })));
  const modules = await dependenciesOf(task, cache);
  if (modules !== null) spawnSync("cp", ["-a", "--no-clobber", modules, "-T", `${modules}-linked`]);
  const place = { template, plan, modules };
  const took = {};
  for (const sandbox of order) took[sandbox] = await worked(task, sandbox, place);
  return took;
}

function summed(name, turns) {
  const sum = (kind) => turns.reduce((all, turn) => all + turn[kind], 0);
  const ratios = turns.map(({ off, require }) => require / off);
  return `${name}: ${turns.length} tasks, ${sum("off").toFixed(1)} s, confined ${sum("require").toFixed(1)} s, ${(sum("require") / sum("off")).toFixed(3)} times; median of the ratios ${median(ratios).toFixed(3)}\n`;
}

try {
  const all = [];
  for (const source of SOURCES.filter(({ name }) => name.startsWith("polyglot"))) {
    const clone = await clonePath(source.repository, { cache, from: values.from });
    if (clone === null) throw new Error(`${source.repository} is not to be had here`);
    const turns = [];
    for (const [at, task] of spread(source.tasks(clone, source), Number(values.most)).entries()) {
      try {
        const took = await inTurns(task, at % 2 === 0 ? ["off", "require"] : ["require", "off"]);
        turns.push(took);
        process.stdout.write(`${task.id}: ${took.off.toFixed(2)} s, confined ${took.require.toFixed(2)} s\n`);
      } catch (error) {
        process.stdout.write(`${task.id}: left out, ${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
    process.stdout.write(summed(source.name, turns));
    all.push(...turns);
  }
  process.stdout.write(summed("all (aim: 1.10)", all));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
