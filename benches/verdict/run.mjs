/**
 * The verdict on real bugs (docs/benchmark.md): `node benches/verdict/run.mjs [--sample] [--source NAME]... [--from DIR]
 * [--cache DIR] [--tasks N] [--cheats N] [--seed N] [--tool NAME=COMMAND]... [--minutes M] [--jobs N] [--json FILE] [--task ID]
 * [--kind KIND] [--protect]`. The seed gives the order of the tasks, so that those of a run that was ended are a sample of all.
 * It asks for git, npm and, for the Python tasks, pytest.
 */
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cloneInto, dependenciesOf, makeTemplate, placeCommand, placeModules, tryTask } from "./prepare.mjs";
import { mustRun, shell } from "./shell.mjs";
import { clonePath, SOURCES } from "./sources.mjs";
import { shuffled } from "./shuffle.mjs";
import { faultsOf, tableOf } from "./table.mjs";
import { PROTECTED, TOOLS } from "./tools.mjs";
import { failuresOf, isFixed } from "./truth.mjs";
import { CHEATS, ownTitle, planOf, WORKERS } from "./workers.mjs";

// What pytest loads of this machine's plugins is no part of a task, and costs more than the tests do.
process.env.PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1";
const AGENT = fileURLToPath(new URL("agent.mjs", import.meta.url));
const RUN_MS = 600_000;
/** Of a real fix that was refused. */
const LUCK_RUNS = 20;
const ANSWERED = { 0: "it claims success" };
/** Of `--sample`: tasks of a source, cheats of a task, minutes. */
const SAMPLE = { tasks: "2", cheats: "2", minutes: "5" };
/** How often each cheat is tried on a source, where it has as many tasks. */
const TRIES = 30;

const { values } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    source: { type: "string", multiple: true },
    task: { type: "string", multiple: true },
    kind: { type: "string", multiple: true },
    from: { type: "string" },
    cache: { type: "string", default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop-bench") },
    tasks: { type: "string" },
    cheats: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string" },
    jobs: { type: "string" },
    protect: { type: "boolean", default: false },
    tool: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
  },
});
const bounds = { tasks: "1000", minutes: "1000", jobs: "2", ...(values.sample ? SAMPLE : {}) };
const bound = (name) => Number(values[name] ?? bounds[name]);
const tools = {
  ...TOOLS,
  ...(values.protect ? PROTECTED : {}),
  ...Object.fromEntries(values.tool.map((text) => text.split(/=(.*)/s)).map(([name, run]) => [name, { run }])),
};
const until = performance.now() + bound("minutes") * 60_000;
const say = (line) => console.error(line);

/** The kinds of one task: of the cheats another few at each, so that all come to their turn. @param tasks of its source */
function kindsOf(index, tasks) {
  if (values.kind !== undefined) return values.kind;
  const wanted = values.cheats ?? bounds.cheats ?? Math.ceil((CHEATS.length * TRIES) / tasks);
  const count = Math.min(Number(wanted), CHEATS.length);
  const cheats = Array.from({ length: count }, (_, turn) => CHEATS[(index * count + turn) % CHEATS.length]);
  return ["oracle", "nop", "half fix", ...cheats];
}

/** A source's tasks, or why there are none. */
async function openSource(source) {
  const clone = source.repository === null ? null : await clonePath(source.repository, values);
  if (source.repository !== null && clone === null) {
    say(`${source.name}: skipped, its sources are not here and could not be cloned`);
    return { source: source.name, skipped: "sources are not here", excluded: [], results: [], waiting: [] };
  }
  const all = source.tasks(clone, source).filter(({ id }) => values.task === undefined || values.task.includes(id));
  const waiting = shuffled(all, `${values.seed} ${source.name}`)
    .slice(0, bound("tasks"))
    .map((task, index) => ({ task, kinds: kindsOf(index, all.length) }));
  return { source: source.name, tuned: source.tuned, tasks: all.length, excluded: [], results: [], waiting };
}

async function workAll(found, scratch) {
  const tasks = found.flatMap((source) => source.waiting.map((waiting) => ({ source, ...waiting })));
  const queue = shuffled(tasks, values.seed).values();
  const work = async () => {
    for (const { source, task, kinds } of queue) {
      if (performance.now() > until) return;
      const done = await workTask(task, kinds, scratch);
      source.results.push(...(done.results ?? []));
      if (done.excluded !== undefined) source.excluded.push({ task: task.id, reason: done.excluded });
      // What is known by now is kept, should the bench be ended.
      if (values.json !== undefined) await writeFile(values.json, jsonOf(found));
    }
  };
  await Promise.all(Array.from({ length: bound("jobs") }, work));
}

const jsonOf = (found) =>
  JSON.stringify(
    found.map(({ waiting: _, ...source }) => source),
    null,
    1,
  );

async function workTask(task, kinds, scratch) {
  const dir = await mkdtemp(join(scratch, "task-"));
  try {
    const template = join(dir, "template");
    await makeTemplate(task, template);
    const installed = await dependenciesOf(task, values.cache);
    const modules = installed === null ? null : join(dir, "node_modules");
    if (modules !== null) await mustRun(["cp", "-a", installed, modules], { timeout_ms: 300_000 });
    const place = { template, modules, scratch: dir, cache: values.cache, prepared: new Map() };
    const trial = await tryTask(task, place);
    if (trial.excluded !== undefined) return trial;
    const results = [];
    for (const kind of kinds) {
      const plan = planOf(kind, task, trial, template);
      for (const [tool, { after }] of plan === null ? [] : Object.entries(tools)) {
        const first = results.find((result) => result.kind === kind && result.tool === after);
        if (first?.accepted !== false) results.push(await work({ task, trial, kind, plan, tool }, place));
      }
    }
    // A real fix is refused for a reason where its own tests fail now and then.
    const refused = results.find(({ kind, tool, accepted }) => kind === "oracle" && tool === "aot" && !accepted);
    const failed = refused === undefined ? 0 : await failuresOf(task, trial, place, LUCK_RUNS);
    const counted = failed === 0 ? results : results.filter(({ kind }) => kind !== "oracle");
    say(`${task.source} ${task.id}: ${counted.length} runs, false verdicts of ours: ${falseOf(counted)}`);
    if (failed === 0) return { results };
    const excluded = `the real fix: its own tests fail in ${failed} of ${LUCK_RUNS} runs; aot: ${refused.said}`;
    return { results: counted, excluded };
  } catch (error) {
    return { excluded: `it could not be made ready: ${String(error.message).slice(0, 200)}` };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const falseOf = (results) =>
  faultsOf(results.filter(({ tool }) => tool === "aot"))
    .map((fault) => fault.split(", ").slice(1).join(", "))
    .join("; ") || "none";

function mustPass(task, { failing }, template) {
  const texts = task.tests
    .filter((path) => /\.(js|coffee)$/.test(path))
    .map((path) => readFileSync(join(template, path), "utf8"));
  return [...new Set(failing.map((full) => ownTitle(full, texts)))].join("\n");
}

async function work({ task, trial, kind, plan, tool }, place) {
  const dir = await mkdtemp(join(place.scratch, "run-"));
  try {
    const project = join(dir, "project");
    await writeFile(join(dir, "plan.json"), JSON.stringify(plan));
    const { attempts = 1, honest = false, never = false } = WORKERS[kind];
    const env = {
      BENCH_GOAL: task.goal,
      BENCH_CHECK: task.check,
      BENCH_MUST_PASS: trial.red_before ? mustPass(task, trial, place.template) : "",
      BENCH_TESTS: task.tests.join("\n"),
      BENCH_AGENT: `'${process.execPath}' '${AGENT}' '${join(dir, "plan.json")}'`,
      BENCH_ATTEMPTS: String(attempts),
      BENCH_SETUP: place.modules === null ? "" : placeCommand(place.modules),
    };
    const before = await makeProject(project, tool, env, place);
    const ran = before.code === 0 ? await shell(tools[tool].run, { cwd: project, timeout_ms: RUN_MS, env }) : before;
    const { code, output } = ran;
    const accepted = code === 0;
    const fixed = !never && (accepted || honest) && (await isFixed(task, trial, place, project));
    const said = ANSWERED[code] ?? `exit ${code}: ${output.trim().slice(-200)}`;
    const ms = Math.round(ran.ms + (ran === before ? 0 : before.ms));
    return { source: task.source, task: task.id, kind, tool, accepted, fixed, ms, said };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The project as the tool finds it: a clone, or a copy of the one that it prepared. @returns how its preparation ended */
async function makeProject(project, tool, env, place) {
  const { prepare } = tools[tool];
  if (prepare === undefined) {
    await cloneInto(place.template, project, place.modules);
    return { code: 0, output: "", ms: 0 };
  }
  const dir = join(place.scratch, "prepared", Object.keys(tools).indexOf(tool).toString());
  if (!place.prepared.has(tool)) {
    await cloneInto(place.template, dir, place.modules);
    place.prepared.set(tool, await shell(prepare, { cwd: dir, timeout_ms: RUN_MS, env }));
    await rm(join(dir, "node_modules"), { recursive: true, force: true });
  }
  await cp(dir, project, { recursive: true, verbatimSymlinks: true });
  await placeModules(project, place.modules);
  return place.prepared.get(tool);
}

function print(found) {
  const names = Object.keys(tools);
  const all = found.flatMap(({ results }) => results);
  for (const { source, results, tasks } of found)
    if (results.length > 0)
      console.log(
        `\n${tableOf(`${source} (${new Set(results.map(({ task }) => task)).size} of ${tasks} tasks)`, results, names)}`,
      );
  for (const [heading, tuned] of [
    ["tuned on", true],
    ["held out", false],
  ]) {
    const results = found.filter((one) => one.tuned === tuned).flatMap((one) => one.results);
    if (results.length > 0) console.log(`\n${tableOf(`all ${heading}`, results, names)}`);
  }
  for (const { source, skipped, excluded } of found) {
    if (skipped !== undefined) console.log(`\nskipped: ${source}: ${skipped}`);
    for (const { task, reason } of excluded) console.log(`excluded: ${source} ${task}: ${reason}`);
  }
  for (const fault of faultsOf(all.filter(({ tool }) => tool === "aot"))) console.log(`fault: ${fault}`);
}

const scratch = await mkdtemp(join(tmpdir(), "verdict-"));
const started = performance.now();
const found = [];
try {
  await mkdir(values.cache, { recursive: true });
  const wanted = SOURCES.filter(({ name }) => values.source === undefined || values.source.includes(name));
  for (const source of wanted) found.push(await openSource(source));
  await workAll(found, scratch);
  print(found);
  const here = fileURLToPath(new URL(".", import.meta.url));
  const { code, output } = await shell(["git", "rev-parse", "--short", "HEAD"], { cwd: here });
  const build = code === 0 ? output.trim() : "a copy outside of git";
  console.log(
    `\n${build}, seed ${values.seed}, Node ${process.version}, ${Math.round((performance.now() - started) / 1000)} s`,
  );
  if (values.json !== undefined) await writeFile(values.json, jsonOf(found));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
