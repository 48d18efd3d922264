// What confinement adds to the wall time of whole loops on tasks that nobody here wrote: the Python exercises of the polyglot
// benchmark, each worked by its reference solution, with the sandbox and without it in turns.
//   npm run real:confined -- [--from DIR] [--most N]
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../statistics.mjs";
import { lastLine, sourceOf } from "./source.mjs";

const AOT = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const { values } = parseArgs({ options: { from: { type: "string" }, most: { type: "string", default: "34" } } });
const folder = mkdtempSync(join(tmpdir(), "aot-confined-"));

/** A repository of one exercise, and the shell command that solves it. */
function exercise(dir, name) {
  const root = join(folder, name);
  cpSync(dir, root, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(root, ".meta", "config.json"), "utf8"));
  const answer = join(folder, `${name}.py`);
  cpSync(join(root, files.example[0]), answer);
  rmSync(join(root, ".meta"), { recursive: true });
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "first"],
  ])
    execFileSync("git", ["-C", root, "-c", "user.name=n", "-c", "user.email=e@x", ...args], { stdio: "pipe" });
  return { root, check: `python3 -m unittest ${files.test.join(" ")}`, solve: `cp ${answer} ${files.solution[0]}` };
}

/** Seconds of a whole `aot run "GOAL"`; throws unless it is verified. */
function worked({ root, check, solve }, sandbox) {
  const copy = `${root}-${sandbox}`;
  cpSync(root, copy, { recursive: true });
  const args = ["run", "Solve it", "--check", check, "--agent", `command:${solve}`, "--yes", "--sandbox", sandbox];
  const began = performance.now();
  const ran = spawnSync(process.execPath, [AOT, ...args], { cwd: copy, encoding: "utf8" });
  const seconds = (performance.now() - began) / 1000;
  rmSync(copy, { recursive: true, force: true });
  if (ran.status !== 0) throw new Error(`exit ${ran.status}: ${lastLine(ran.stderr) || lastLine(ran.stdout)}`);
  return seconds;
}

try {
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", sourceOf("Aider-AI/polyglot-benchmark", values.from), clone], { stdio: "pipe" });
  const practice = join(clone, "python", "exercises", "practice");
  const turns = [];
  for (const [at, name] of readdirSync(practice).slice(0, Number(values.most)).entries()) {
    const task = exercise(join(practice, name), name);
    try {
      // Each kind is first as often as second.
      const order = at % 2 === 0 ? ["off", "require"] : ["require", "off"];
      const took = Object.fromEntries(order.map((sandbox) => [sandbox, worked(task, sandbox)]));
      turns.push(took);
      process.stdout.write(`${name}: ${took.off.toFixed(2)} s, confined ${took.require.toFixed(2)} s\n`);
    } catch (error) {
      process.stdout.write(`${name}: left out, ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const ratios = turns.map(({ off, require }) => require / off);
  const sum = (kind) => turns.reduce((all, turn) => all + turn[kind], 0);
  process.stdout.write(
    `${turns.length} tasks: ${sum("off").toFixed(1)} s, confined ${sum("require").toFixed(1)} s, ${(sum("require") / sum("off")).toFixed(3)} times; median of the ratios ${median(ratios).toFixed(3)} (aim: 1.10)\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
