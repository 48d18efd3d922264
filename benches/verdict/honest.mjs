/**
 * Honest changes are never refused: bug fixes of repositories that nobody here wrote (benches/README.md).
 * `node benches/verdict/honest.mjs [--from DIR] [--cache DIR] [--only NAME,NAME] [--commit ID] [--fixes N] [--tries N] [--minutes M]
 * [--jobs N] [--allowed] [--json FILE] [--keep DIR]`. What `--json` holds already is not done again; `--keep` takes what refusals said.
 */
import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { lastLine } from "../real/source.mjs";
import { changed, fileAt, git, has } from "./git-source.mjs";
import { REPOSITORIES } from "./honest-repositories.mjs";
import { dependenciesOf, placeCommand, placeModules } from "./prepare.mjs";
import { mustRun, shell } from "./shell.mjs";
import { clonePath } from "./sources.mjs";
import { passedTests } from "./test-results.mjs";

process.env.PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1";
process.env.PYTHONDONTWRITEBYTECODE = "1";
const AOT = process.env.BENCH_AOT ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const CHECK_MS = 60_000;
const RUN_MS = 600_000;
const MOST_FILES = 8;
const WORDS = "fix|bug|regress|correct|wrong|crash";

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    cache: { type: "string", default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop-bench") },
    only: { type: "string" },
    commit: { type: "string" },
    fixes: { type: "string", default: "3" },
    tries: { type: "string", default: "12" },
    minutes: { type: "string", default: "40" },
    jobs: { type: "string", default: "2" },
    json: { type: "string" },
    keep: { type: "string" },
    allowed: { type: "boolean", default: false },
  },
});
const until = performance.now() + Number(values.minutes) * 60_000;

/** Commits that mend something, newest first. */
function* fixesOf(clone, { tests, source, check }) {
  const found = git(
    clone,
    "log",
    "--no-merges",
    "--min-parents=1",
    "--format=%H %P",
    "-i",
    "-E",
    `--grep=${WORDS}`,
    "HEAD",
  );
  for (const [commit, parent] of found
    .trim()
    .split("\n")
    .map((line) => line.split(" "))) {
    if (values.commit !== undefined && !commit.startsWith(values.commit)) continue;
    const files = changed(clone, parent, commit);
    const tested = files.filter((path) => tests.test(path));
    const mends = files.some((path) => source.test(path) && !tests.test(path));
    if (files.length > MOST_FILES || tested.length === 0 || !mends) continue;
    const kept = tested.filter((path) => has(clone, commit, path));
    const brought = tested.every((path) => !has(clone, parent, path)) && check(kept).includes(kept[0]);
    yield { commit, parent, kept, gone: tested.filter((path) => !kept.includes(path)), brought };
  }
}

async function packagesOf(clone, commit, { packages }) {
  if (packages === undefined) return null;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(fileAt(clone, commit, "package.json").toString());
  const needed = Object.entries(devDependencies).filter(([name]) => packages.includes(name));
  return dependenciesOf({ dependencies: { ...dependencies, ...Object.fromEntries(needed) } }, values.cache);
}

/** The project at the parent, with the tests of the fix unless the work brings them; the rest of the fix is a patch beside it. */
async function placeFix(dir, { clone, commit, parent, kept, gone, brought, modules }) {
  const project = join(dir, "project");
  await mustRun(["git", "clone", "--quiet", "--no-checkout", clone, project]);
  const run = (...args) => mustRun(["git", ...args], { cwd: project });
  await run("config", "user.name", "bench");
  await run("config", "user.email", "bench@example.invalid");
  await run("checkout", "--quiet", "-B", "work", parent);
  if (!brought) {
    if (kept.length > 0) await run("checkout", "--quiet", commit, "--", ...kept);
    if (gone.length > 0) await run("rm", "--quiet", "--", ...gone);
    await run("commit", "--quiet", "--no-verify", "-m", "tests of the fix");
  }
  const patch = join(dir, "fix.patch");
  await run("diff", "--binary", `--output=${patch}`, "HEAD", commit);
  await appendFile(join(project, ".git", "info", "exclude"), "node_modules\n");
  await placeModules(project, modules);
  return { project, patch };
}

/** Red without the work and green with it, in fresh clones, twice; a text: why it is no task. */
async function bareRuns(fix, check, dir) {
  const taken = [];
  for (const time of ["first", "second"]) {
    const { project: cwd, patch } = await placeFix(await mkdtemp(join(dir, time)), fix);
    const before = await shell(check, { cwd, timeout_ms: CHECK_MS });
    if ([0, 126, 127, null].includes(before.code)) return `without the work it ends with ${before.code}`;
    await mustRun(["git", "apply", patch], { cwd });
    const after = await shell(check, { cwd, timeout_ms: CHECK_MS });
    if (after.code !== 0) return `with the work it ends with ${after.code}: ${lastLine(after.output)}`;
    taken.push(after.ms);
  }
  return seconds(Math.min(...taken));
}

const seconds = (ms) => Math.round(ms / 100) / 10;

/** Of tests that the work brings in files that are there: their names. A text: why it is no task. */
async function namesOf(fix, check, dir) {
  const { project: cwd, patch } = await placeFix(await mkdtemp(join(dir, "names-")), fix);
  const run = () => shell(check, { cwd, timeout_ms: CHECK_MS });
  const before = await run();
  await mustRun(["git", "apply", patch], { cwd });
  const after = await run();
  if (before.code !== 0 || after.code !== 0)
    return `with its old tests it ends with ${before.code}, then with ${after.code}`;
  const old = passedTests("pytest", before.output);
  const names = passedTests("pytest", after.output).filter((name) => !old.includes(name) && !/[[\]*]/.test(name));
  return names.length === 0 ? "no test is named that only the fix brings" : { names, bare: seconds(after.ms) };
}

async function loop(fix, check, dir, names) {
  const { project, patch } = await placeFix(await mkdtemp(join(dir, "loop-")), fix);
  const checks =
    names === null
      ? ["--check", check]
      : [
          "--no-worse",
          check,
          ...names.flatMap((name) => ["--must-pass", name]),
          ...fix.kept.flatMap((path) => ["--allow-changed", path]),
        ];
  const goal = [`Fix of ${fix.commit.slice(0, 8)}`, ...checks, "--agent", `command:git apply ${patch}`];
  const how = ["--sandbox", "off", "--set=planner=none", "--max-iterations", "1", "--yes", "--json"];
  const env = { AOT_CONFIG: "none", ...(fix.modules === null ? {} : { AOT_SETUP: placeCommand(fix.modules) }) };
  return shell([process.execPath, AOT, "run", ...goal, ...how], { cwd: project, timeout_ms: RUN_MS, env });
}

async function tryFix(repository, fix, scratch) {
  const row = REPOSITORIES[repository];
  const dir = await mkdtemp(join(scratch, "fix-"));
  try {
    const modules = await packagesOf(fix.clone, fix.commit, row);
    const whole = { ...fix, modules, brought: fix.brought || values.allowed };
    const check = `${row.check(fix.kept).trim()}${values.allowed ? " -rA" : ""}`;
    const found = await (values.allowed ? namesOf : bareRuns)(whole, check, dir);
    if (typeof found === "string") return { excluded: found };
    const { names = null, bare = found } = found;
    const { code, output, ms } = await loop(whole, check, dir, names);
    const tests = values.allowed ? "allowed" : fix.brought ? "brought" : "agreed";
    const facts = { repository, commit: fix.commit.slice(0, 12), language: row.language, check, tests, bare_s: bare };
    const verified = code === 0;
    if (!verified && values.keep !== undefined) await writeFile(join(values.keep, `${facts.commit}.txt`), output);
    const why = /"note":"([^"]*)"/.exec(output)?.[1] ?? lastLine(output);
    return { ...facts, loop_s: seconds(ms), verified, ...(verified ? {} : { said: `exit ${code}: ${why}` }) };
  } catch (error) {
    return { excluded: lastLine(error.message) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function tryRepository(repository, scratch) {
  const clone = await clonePath(repository, values);
  if (clone === null) return console.error(`${repository}: skipped, it is not here and could not be cloned`);
  let [used, tried] = [known.filter((one) => one.repository === repository).length, 0];
  for (const fix of fixesOf(clone, REPOSITORIES[repository])) {
    if (known.some(({ commit }) => fix.commit.startsWith(commit))) continue;
    if (used >= Number(values.fixes) || tried >= Number(values.tries) || performance.now() > until) return;
    tried++;
    const result = await tryFix(repository, { clone, ...fix }, scratch);
    if (result.excluded === undefined) {
      used++;
      results.push(result);
      if (values.json !== undefined) await appendFile(values.json, `${JSON.stringify(result)}\n`);
    }
    console.error(
      `${repository} ${fix.commit.slice(0, 12)}: ${result.excluded ?? (result.verified ? "verified" : result.said)}`,
    );
  }
}

const scratch = await mkdtemp(join(tmpdir(), "honest-"));
const kept = values.json !== undefined && existsSync(values.json) ? readFileSync(values.json, "utf8") : "";
const known = kept.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
const results = [...known];
try {
  await mkdir(values.cache, { recursive: true });
  const asked = values.only?.split(",") ?? [""];
  const wanted = Object.keys(REPOSITORIES).filter((name) => asked.some((one) => name.includes(one)));
  const queue = wanted.values();
  const work = async () => {
    for (const repository of queue) await tryRepository(repository, scratch);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const refused = results.filter(({ verified }) => !verified);
  const repositories = new Set(results.map(({ repository }) => repository)).size;
  console.log(`${results.length} fixes of ${repositories} repositories, refused: ${refused.length}`);
  for (const { repository, commit, said } of refused) console.log(`${repository} ${commit}: ${lastLine(said)}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
