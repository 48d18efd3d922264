/**
 * Makes a task's project, and tries it: the check has to fail before the fix and to pass with it. What does not is
 * excluded, with the reason.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, shell } from "./shell.mjs";
import { passedTests } from "./test-results.mjs";
import { writeFiles } from "./texts.mjs";

const TRIAL_MS = 120_000;
const INSTALL_MS = 600_000;
const IGNORED = ["node_modules", "__pycache__/", ".pytest_cache/"];
const AUTHOR = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false"];

const keyOf = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

/** Evenly over the list, so that a part of it is no beginning. */
export function spread(list, count) {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, index) => list[Math.floor(index * step)]);
}

const installs = new Map();

/** The folder with a task's `node_modules`; null: it needs none. Installed once for all tasks that ask for the same. */
export async function dependenciesOf({ dependencies }, cache) {
  if (Object.keys(dependencies).length === 0) return null;
  const dir = join(cache, "dependencies", keyOf(dependencies));
  if (!installs.has(dir)) installs.set(dir, install(dependencies, dir));
  await installs.get(dir);
  return join(dir, "node_modules");
}

async function install(dependencies, dir) {
  if (existsSync(join(dir, "node_modules"))) return;
  const part = `${dir}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  await writeFile(join(part, "package.json"), JSON.stringify({ name: "dependencies", private: true, dependencies }));
  const flags =
    "--ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-package-lock --prefer-offline --loglevel=error";
  await mustRun(`npm install ${flags}`, { cwd: part, timeout_ms: INSTALL_MS });
  await rename(part, dir);
}

/** Copied by hard links where that can be: whoever writes makes a file of its own. */
export const placeCommand = (from) => {
  const copy = (flags) => `rm -rf node_modules && cp ${flags} '${from}' node_modules`;
  return `(${copy("-al")}) 2>/dev/null || (${copy("-a")})`;
};

/** A repository with one commit, the project at its start. */
export async function makeTemplate(task, dir) {
  await mkdir(dir, { recursive: true });
  await task.seed(dir);
  const ignore = join(dir, ".gitignore");
  const known = existsSync(ignore) ? readFileSync(ignore, "utf8").split("\n") : [];
  await appendFile(ignore, `\n${IGNORED.filter((line) => !known.includes(line)).join("\n")}\n`);
  await mustRun(["git", "init", "--quiet", "--initial-branch=main"], { cwd: dir });
  await commitAll(dir, "the start");
}

export async function commitAll(dir, message) {
  await mustRun(["git", "add", "--all"], { cwd: dir });
  await mustRun(["git", ...AUTHOR, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message], { cwd: dir });
}

/** A clone of it with its dependencies, as a person would have it. */
export async function cloneInto(from, dir, modules) {
  await mustRun(["git", "clone", "--quiet", "--no-hardlinks", from, dir]);
  await mustRun(["git", "config", "user.name", "bench"], { cwd: dir });
  await mustRun(["git", "config", "user.email", "bench@example.invalid"], { cwd: dir });
  await placeModules(dir, modules);
}

export async function placeModules(dir, modules) {
  if (modules !== null) await mustRun(placeCommand(modules), { cwd: dir, timeout_ms: 300_000 });
}

/**
 * @returns `excluded`: why, or what is known of the task: its passing tests before and after, what the check prints
 */
export async function tryTask(task, { template, modules, cache, scratch }) {
  if (task.needs !== undefined && (await shell(`command -v ${task.needs}`)).code !== 0)
    return { excluded: `its tests need ${task.needs}, which is not installed here` };
  const kept = join(cache, "trials", `${task.source}-${task.id}-${keyOf([task.check, task.report, task.hidden])}.json`);
  if (existsSync(kept)) return JSON.parse(await readFile(kept, "utf8"));
  const tried = await tryNow(task, template, modules, scratch);
  await mkdir(join(cache, "trials"), { recursive: true });
  await writeFile(kept, JSON.stringify(tried));
  return tried;
}

async function tryNow(task, template, modules, scratch) {
  if (task.tests.length === 0) return { excluded: "no test file was changed" };
  const dir = await mkdtemp(join(scratch, "trial-"));
  try {
    await cloneInto(template, join(dir, "project"), modules);
    return await compare(task, join(dir, "project"));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function compare(task, cwd) {
  const before = await shell(task.check, { cwd, timeout_ms: TRIAL_MS });
  if (before.code === 0) return { excluded: "the check passes without the fix" };
  const passedBefore = await reported(task, cwd);
  await applyFix(task.fix, cwd);
  const after = await shell(task.check, { cwd, timeout_ms: TRIAL_MS });
  const passedAfter = await reported(task, cwd);
  writeFiles(cwd, task.hidden ?? {});
  const wanted = await reported(task, cwd);
  const failing = passedAfter.filter((name) => !passedBefore.includes(name));
  if (failing.length === 0)
    return {
      excluded:
        after.code === 0
          ? "no test is named that only the fix makes pass"
          : `the check fails with the fix: ${reasonIn(after.output)}`,
    };
  return { failing, passing: passedBefore, wanted, red_before: after.code !== 0, output: after.output };
}

const reported = async ({ report }, cwd) =>
  passedTests(report.runner, (await shell(report.command, { cwd, timeout_ms: TRIAL_MS })).output);

async function applyFix(fix, cwd) {
  for (const [path, content] of Object.entries(fix))
    if (content === null) await rm(join(cwd, path), { force: true });
    else writeFiles(cwd, { [path]: content });
}

/** The line that says most. */
function reasonIn(output) {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("npm warn"));
  const telling =
    lines.find((line) => /^\d+ (failing|failed)|[1-9]\d* failed/.test(line)) ??
    lines.find((line) => /error|cannot|refused/i.test(line));
  return (telling ?? lines.at(-1) ?? "no output").slice(0, 120);
}
