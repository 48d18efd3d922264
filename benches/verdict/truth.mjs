/**
 * Whether the work is a fix: the programs of what was handed over, in a clean clone of the start with its own tests,
 * configuration and dependencies, and with the tests that the worker never saw. All tests that pass with the real fix
 * have to pass.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { cloneInto, commitAll } from "./prepare.mjs";
import { mustRun, shell } from "./shell.mjs";
import { passedTests } from "./test-results.mjs";
import { writeFiles } from "./texts.mjs";

/** What decides about tests, and is never taken from the work. */
const DECIDES =
  /(^|\/)(tests?|specs?|__tests__|python_testcases|json_testcases|node_modules|\.claude|\.aot[^/]*)\/|\.(spec|test)\.[a-z]+$|_test\.py$|(^|\/)(test_[^/]*\.py|conftest\.py|pytest\.py|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|package(-lock)?\.json|\.mocharc[^/]*|mocha\.opts|jest\.config\.[a-z]+|babel\.config\.[a-z]+|\.gitignore|\.gitattributes)$/;
const LIMIT_MS = 120_000;
const known = new Map();

/** @param work the folder that was handed over */
export async function isFixed(task, trial, { template, modules, scratch }, work) {
  await commitAll(work, "handed over");
  const listed = await mustRun(["git", "diff", "--no-renames", "--name-only", "-z", "HEAD", await rootOf(work)], {
    cwd: work,
  });
  const paths = listed.split("\0").filter((path) => path !== "" && (path in task.fix || !DECIDES.test(path)));
  const files = Object.fromEntries(paths.map((path) => [path, contentOf(join(work, path))]));
  const key = createHash("sha256")
    .update(JSON.stringify([task.source, task.id, files]))
    .digest("hex");
  if (!known.has(key)) known.set(key, await tryFiles(task, trial, { template, modules, scratch }, files));
  return known.get(key);
}

/** How often of `runs` the tests that pass with the real fix do not. */
export async function failuresOf(task, trial, place, runs) {
  const fix = Object.entries(task.fix).map(([path, content]) => [
    path,
    content === null ? null : Buffer.from(content).toString("latin1"),
  ]);
  let failed = 0;
  for (let run = 0; run < runs; run++) if (!(await tryFiles(task, trial, place, Object.fromEntries(fix)))) failed++;
  return failed;
}

const rootOf = async (work) => (await mustRun(["git", "rev-list", "--max-parents=0", "HEAD"], { cwd: work })).trim();

/** Latin 1, so that every byte counts; null: it is gone. */
function contentOf(path) {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

async function tryFiles(task, { wanted }, { template, modules, scratch }, files) {
  const dir = await mkdtemp(join(scratch, "truth-"));
  try {
    const cwd = join(dir, "project");
    await cloneInto(template, cwd, modules);
    for (const [path, content] of Object.entries(files))
      if (content === null) await rm(join(cwd, path), { force: true });
      else writeFiles(cwd, { [path]: Buffer.from(content, "latin1") });
    writeFiles(cwd, task.hidden ?? {});
    const { output } = await shell(task.report.command, { cwd, timeout_ms: LIMIT_MS });
    const passed = new Set(passedTests(task.report.runner, output));
    return wanted.every((name) => passed.has(name));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
