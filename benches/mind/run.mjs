// One task, worked by a mind that knows nothing but the prompts: by the loop, or by a plain loop that asks one agent again until
// the checks pass. By hand, not in CI: somebody has to answer what lands in the box (bridge.mjs).
//   node benches/mind/run.mjs TASK loop|plain --repo URL_OR_PATH [--out FOLDER]
// FOLDER (default: a temporary one) gets the checkout, box/ with every prompt and answer, and result.json.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { askBox } from "./bridge.mjs";
import { TASKS } from "./tasks.mjs";

const { values, positionals } = parseArgs({
  options: { repo: { type: "string" }, out: { type: "string" } },
  allowPositionals: true,
});
const [name = "", how = ""] = positionals;
const task = TASKS[name];
if (task === undefined || !["loop", "plain"].includes(how) || values.repo === undefined)
  throw new Error(
    `TASK is one of ${Object.keys(TASKS).join(", ")}, then loop or plain, and --repo names ${task?.from ?? "its repository"}`,
  );
const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), "aot-mind-")));
const box = join(out, "box");
const dir = join(out, "project");
/** Asked so often at most, as the loop iterates. */
const MOST_ROUNDS = 20;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const AGENT = ["--agent", `command:node ${here("bridge.mjs")}`, "--sandbox", "off", "--yes"];

function sh(command, cwd = dir) {
  return spawnSync("bash", ["-c", command], { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
}

function must(command, cwd) {
  const { status, stdout, stderr } = sh(command, cwd);
  if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  return stdout;
}

mkdirSync(box, { recursive: true });
must(
  `git clone -q "${resolve(values.repo)}" project 2>/dev/null || git clone -q "${values.repo}" project; cd project && git checkout -q -b work ${task.at} && ${task.install}`,
  out,
);
must("git config user.name Dev; git config user.email dev@example.com; echo node_modules/ >>.git/info/exclude");
must("git add -A && { git diff --cached --quiet || git commit -q --amend --no-edit; }");
const from = Date.now();
const ended = how === "loop" ? await byLoop() : await byPlainLoop();
const calls = readdirSync(box)
  .filter((file) => file.endsWith(".request.json"))
  .map((file) => JSON.parse(readFileSync(join(box, file), "utf8")).role);
const length = (end) =>
  readdirSync(box)
    .filter((file) => file.endsWith(end))
    .reduce((sum, file) => sum + readFileSync(join(box, file), "utf8").length, 0);
const clean = `git clone -q . "${join(out, "clean")}" && cd "${join(out, "clean")}" && ${task.install}`;
const result = {
  task: name,
  how,
  ended,
  true: sh(`${clean} && ${task.truth}`).status === 0,
  calls: calls.length,
  roles: Object.fromEntries([...new Set(calls)].map((role) => [role, calls.filter((one) => one === role).length])),
  prompts: length(".prompt.txt"),
  answers: length(".answer.json"),
  minutes: Math.round((Date.now() - from) / 6_000) / 10,
};
writeFileSync(join(out, "result.json"), `${JSON.stringify(result, null, 2)}\n`);
console.log(`${JSON.stringify(result)}\nprompts and answers: ${box}`);

/** @returns `verified`, or how it ended */
async function byLoop() {
  const { goal, checks, ways = [] } = task;
  const atoms = ways.map((description, at) => ({ id: `A${at + 1}`, description, or_group: "way" }));
  const alignment = { goal, base_case: checks, ...(atoms.length === 0 ? {} : { atoms }) };
  writeFileSync(join(out, "alignment.json"), JSON.stringify(alignment, null, 2));
  const aligned = await aot("align", "--from", join(out, "alignment.json"), "--yes");
  if (aligned !== 0) return `align: exit ${aligned}`;
  const code = await aot("run", ...AGENT);
  return code === 0 ? "verified" : `exit ${code}`;
}

function aot(...args) {
  const first = task.first === undefined ? {} : { BOX_FIRST: JSON.stringify(task.first) };
  const child = spawn(process.execPath, [here("../../dist/bin.cjs"), ...args], {
    cwd: dir,
    env: { ...process.env, BOX: box, ...first },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((done) => child.on("close", done));
}

/** It knows what the person said and the end of what the checks printed, and goes on from its own work. */
async function byPlainLoop() {
  const told = task.checks
    .map((check) => `- ${check.value === undefined ? JSON.stringify(check) : `${check.type}: ${check.value}`}`)
    .join("\n");
  const failing = () =>
    task.checks.flatMap(({ type, value }) => {
      if (!type.endsWith("command")) return [];
      const { status, stdout, stderr } = sh(value);
      return (status === 0) === (type === "command")
        ? []
        : [`\n$ ${value}\nexit code ${status}\n${(stdout + stderr).slice(-4_000)}`];
    });
  let said = "";
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const prompt = `${task.goal}\n\nWork in the current folder. It is done when these pass:\n${told}\n${said}`;
    await askBox(box, { role: "plain", prompt, cwd: dir }, task.first);
    const left = failing();
    // A suite with old failures never passes: the truth, which it is not told, ends it there.
    if (left.length === 0 || sh(task.truth).status === 0) {
      must("git add -A && git commit -qm 'Work' || true");
      return "its checks pass";
    }
    said = `\nNot yet:${left.join("\n")}`;
  }
  return "given up";
}
