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
    `TASK is one of ${Object.keys(TASKS).join(", ")}, then loop or plain, and --repo names ${task?.from}`,
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
  `git clone -q "${values.repo}" project && cd project && git checkout -q -b work ${task.at} && ${task.install}`,
  out,
);
must("git config user.name Dev; git config user.email dev@example.com; echo node_modules/ >>.gitignore");
must("git add -A && git commit -qm 'Set up' || true");
const from = Date.now();
const ended = how === "loop" ? await byLoop() : await byPlainLoop();
const calls = readdirSync(box)
  .filter((file) => file.endsWith(".request.json"))
  .map((file) => JSON.parse(readFileSync(join(box, file), "utf8")).role ?? "plain");
const prompts = readdirSync(box).filter((file) => file.endsWith(".prompt.txt"));
const result = {
  task: name,
  how,
  ended,
  true:
    sh(`git clone -q . "${join(out, "clean")}" && cd "${join(out, "clean")}" && ${task.install} && ${task.truth}`)
      .status === 0,
  calls: calls.length,
  roles: Object.fromEntries([...new Set(calls)].map((role) => [role, calls.filter((one) => one === role).length])),
  characters: prompts.reduce((sum, file) => sum + readFileSync(join(box, file), "utf8").length, 0),
  minutes: Math.round((Date.now() - from) / 6_000) / 10,
};
writeFileSync(join(out, "result.json"), `${JSON.stringify(result, null, 2)}\n`);
console.log(`${JSON.stringify(result)}\nprompts and answers: ${box}`);

async function byLoop() {
  if (task.ways !== undefined) {
    const alignment = {
      goal: task.goal,
      base_case: { checklist: task.checks.map(([, value]) => ({ item: value, check: { type: "command", value } })) },
      atoms: task.ways.map((description, at) => ({ id: `A${at + 1}`, description, or_group: "way" })),
    };
    writeFileSync(join(out, "alignment.yaml"), JSON.stringify(alignment));
    await aot("align", "--from", join(out, "alignment.yaml"), "--yes");
    return await aot("run", ...AGENT);
  }
  return await aot("run", task.goal, ...task.checks.flat(), ...AGENT);
}

function aot(...args) {
  const child = spawn(process.execPath, [here("../../dist/bin.cjs"), ...args], {
    cwd: dir,
    env: { ...process.env, BOX: box },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((done) => child.on("close", (code) => done(`exit ${code}`)));
}

/** It knows what the person said and the end of what the checks printed, and goes on from its own work. */
async function byPlainLoop() {
  const commands = task.checks.map(([, text]) => text.replace(/^command: /, ""));
  let said = "";
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const prompt = `${task.goal}\n\nWork in the current folder. It is done when these pass:\n${commands.map((command) => `- ${command}`).join("\n")}\n${said}`;
    await askBox(box, { role: "plain", prompt, cwd: dir });
    const failing = commands
      .filter((command) => !/^(?:contains|quality):/.test(command))
      .flatMap((command) => {
        const { status, stdout, stderr } = sh(command);
        return status === 0 ? [] : [`\n$ ${command}\nexit code ${status}\n${(stdout + stderr).slice(-4_000)}`];
      });
    if (failing.length === 0 || sh(task.truth).status === 0) {
      must("git add -A && git commit -qm 'Work' || true");
      return `after ${round} rounds`;
    }
    said = `\nNot yet:${failing.join("\n")}`;
  }
  return "given up";
}
