// Works a recorded fix of each repository as a person would, out of the box, and prints what came of it: a clone, its own
// install command where it needs one, and one line of aot. "reading": what a new user reads for that, README's beginning up to
// the one line, what the line says before its question and at its end, at 240 words a minute.
//   npm run real -- [--from DIR] [--only NAME,NAME] [--keep]
// --from DIR: clones that are there already, as DIR/OWNER+NAME (or /repo, /.git in it); else they are fetched from GitHub
// into a cache ($AOT_REAL_CACHE, or ~/.cache/aot-real).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TASKS } from "./repositories.mjs";
import { lastLine, sourceOf } from "./source.mjs";

const AOT = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
/** What a new user reads before the first line, and how fast. */
const [README] = readFileSync(new URL("../../README.md", import.meta.url), "utf8").split("\n## Try it");
const WORDS_A_MINUTE = 240;
const INSTALL_MS = 10 * 60_000;
const RUN_MS = 20 * 60_000;

const { values } = parseArgs({
  options: { from: { type: "string" }, only: { type: "string" }, keep: { type: "boolean" } },
});

const git = (dir, ...args) =>
  execFileSync("git", ["-C", dir, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
  });

/** A fresh clone at the commit before the fix, with the tests of the fix; what remains of it is in a patch. */
function cloneFor(task, folder) {
  const dir = join(folder, "project");
  execFileSync("git", ["clone", "-q", sourceOf(task.repository, values.from), dir], { stdio: "pipe" });
  git(dir, "config", "user.name", "Person");
  git(dir, "config", "user.email", "person@example.org");
  const fix = git(dir, "rev-parse", task.fix).trim();
  const base = git(dir, "rev-parse", `${fix}^1`).trim();
  git(dir, "checkout", "-q", "-B", "work", base);
  if (task.tests.length > 0) {
    git(dir, "checkout", "-q", fix, "--", ...task.tests);
    git(dir, "commit", "-q", "-m", "tests of the fix");
  }
  for (const [path, repository] of Object.entries(task.submodules ?? {})) {
    const from = [`url.${sourceOf(repository, values.from)}.insteadOf=https://github.com/${repository}.git`];
    const settings = [...from, "protocol.file.allow=always"].flatMap((one) => ["-c", one]);
    git(dir, ...settings, "submodule", "-q", "update", "--init", path);
  }
  if (task.sparse !== undefined) git(dir, "sparse-checkout", "set", ...task.sparse);
  const patch = join(folder, "fix.patch");
  const scope = task.sparse === undefined ? [] : ["--", ...task.sparse];
  writeFileSync(
    patch,
    execFileSync("git", ["-C", dir, "diff", "--binary", "HEAD", fix, ...scope], { maxBuffer: 2 ** 28 }),
  );
  return { dir, patch, fix };
}

function installed(task, { dir, venv, env }) {
  for (const command of task.install ?? []) {
    const ran = spawnSync(command.replaceAll("{venv}", venv), {
      cwd: dir,
      shell: true,
      env,
      encoding: "utf8",
      timeout: INSTALL_MS,
    });
    if (ran.status !== 0) throw new Error(`\`${command}\`: ${lastLine(ran.stderr) || lastLine(ran.stdout)}`);
  }
}

function wordsOf(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** What the loop leaves in the project, in MB. */
function diskOf(dir) {
  const said = spawnSync("du", ["-sm", join(dir, ".claude")], { encoding: "utf8" }).stdout ?? "";
  return Number(said.split("\t")[0] ?? 0);
}

function outcomeOf({ error, status, stdout, stderr }) {
  if (error !== undefined) return error.code === "ETIMEDOUT" ? `ended after ${RUN_MS / 60_000} minutes` : error.message;
  return status === 0 ? "verified" : `exit ${status}: ${lastLine(stderr) || lastLine(stdout)}`;
}

function work(task) {
  const folder = mkdtempSync(join(tmpdir(), "aot-real-"));
  const venv = join(folder, "tools");
  const path = (task.path ?? []).map((one) => one.replaceAll("{venv}", venv));
  const env = { ...process.env, PATH: [...path, process.env.PATH].join(delimiter) };
  try {
    const { dir, patch, fix } = cloneFor(task, folder);
    installed(task, { dir, venv, env });
    const check = task.check.replaceAll("{fixed}", git(dir, "rev-parse", `${fix}^{tree}`).trim());
    const goal = [`Fix of ${task.name}`, "--check", check];
    const run = ["run", "--agent", `command:git apply ${patch}`, "--yes"];
    const calls =
      task.timeout === undefined
        ? [[...run, ...goal]]
        : [["align", ...goal, "--check-timeout", task.timeout, "--yes"], run];
    const began = performance.now();
    const all = calls.map((args) =>
      spawnSync(process.execPath, [AOT, ...args], { cwd: dir, env, encoding: "utf8", timeout: RUN_MS }),
    );
    const ran = all.find(({ status }) => status !== 0) ?? all.at(-1);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const said = all.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join("\n");
    // What happens meanwhile, a line each with its time, is a picture on a terminal.
    const printed = said.replaceAll(/^\d\d:\d\d:\d\d .*$/gm, "");
    const reading = Math.round(
      (60 * (wordsOf(README.replaceAll(/!\[[^\]]*\]|^```.*$/gm, "")) + wordsOf(printed))) / WORDS_A_MINUTE,
    );
    const commands = 1 + calls.length + (task.install ?? []).length;
    const proposed = /^set-up\s+(.*)$/m.exec(said)?.[1] ?? "nothing";
    const why = outcomeOf(ran);
    if (values.keep === true) writeFileSync(join(folder, "said.txt"), said);
    return { name: task.name, outcome: why, commands, seconds, reading, disk: diskOf(dir), proposed };
  } catch (error) {
    return {
      name: task.name,
      outcome: error instanceof Error ? lastLine(error.message) : String(error),
      commands: null,
      seconds: null,
      reading: null,
      disk: null,
      proposed: "",
    };
  } finally {
    if (values.keep === true) process.stderr.write(`${task.name}: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

const chosen = values.only?.split(",");
const tasks = TASKS.filter(({ name }) => chosen === undefined || chosen.some((one) => name.startsWith(one)));
const version = spawnSync(process.execPath, [AOT, "--version"], { encoding: "utf8" }).stdout.trim();
process.stdout.write(
  `${version}, Node ${process.version}, ${git(".", "version").trim()}, ${process.platform}, ${new Date().toISOString().slice(0, 10)}\n\n| repository | outcome | commands | seconds | reading, s | disk left, MB | set-up proposed |\n| --- | --- | --- | --- | --- | --- | --- |\n`,
);
for (const task of tasks) {
  const { name, outcome, commands, seconds, reading, disk, proposed } = work(task);
  process.stdout.write(
    `| ${name} | ${outcome.replaceAll("|", "/")} | ${commands ?? "-"} | ${seconds ?? "-"} | ${reading ?? "-"} | ${disk ?? "-"} | ${proposed} |\n`,
  );
}
