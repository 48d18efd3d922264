/**
 * What the plugin's hooks cost each tool call, in the real Claude Code against a scripted model on loopback: the gap from
 * one answer of the model to the client's next request, with a tool call in between. Sessions of all cases run in turns.
 *
 * The floor is a plugin whose hooks do nothing (the shell's `:`): what the client itself takes to call any, at the same events.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LLMock } from "@copilotkit/aimock";
import { buildPlugin } from "../scripts/build-plugin.mjs";
import { claudeEnvironment } from "./claude-environment.mjs";
import { stateText } from "./states.mjs";
import { median } from "./statistics.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bash = (command) => ({ tool: "Bash", input: { command, description: "nothing" } });
/** Tool calls. `names`: what the loop's guard has to look at; only where a loop is open. `over`: its goal, on top of the floor. */
const CALLS = {
  Read: { tool: "Read", input: { file_path: "read.txt" } },
  Bash: bash("true"),
  "Bash that names .claude": { ...bash("true .claude"), names: true, over: 40 },
  "Bash that names aot": { ...bash("true aot"), names: true, over: 40 },
};
/** Of a session: they warm it up. */
const DROPPED = 2;

const NO_PLUGIN = "no plugin";
const ONE = "a hook that does nothing before it";
const FLOOR = "hooks that do nothing before and after it";
/**
 * Atoms of the loop in the project: null: none, no plugin either; 0: the plugin, no loop. `owned`: by this session.
 * `most`: the goal, whatever the client's part in it; `over`: what may come on top of the floor.
 */
const CASES = [
  { name: NO_PLUGIN, atoms: null },
  { name: ONE, atoms: 0, floor: ["PreToolUse"] },
  { name: FLOOR, atoms: 0, floor: ["PreToolUse", "PostToolUse"] },
  { name: "no loop", atoms: 0, most: 3, over: 2 },
  { name: "another session's loop, 10 atoms", atoms: 10, owned: false, most: 10, over: 2 },
  { name: "open loop, 10 atoms", atoms: 10, owned: true, most: 10, over: 4 },
  { name: "open loop, 1,000 atoms", atoms: 1_000, owned: true, most: 10, over: 4 },
];

export async function hooksRows({ quick, folder }) {
  const plugin = pluginOf(OURS, folder);
  cpSync(join(root, "plugin"), plugin, { recursive: true });
  await buildPlugin(join(plugin, "lib", "aot.cjs"));
  const front = join(plugin, "bin", "aot-hook");
  const alone = [...frontRows(front, folder, quick ? 20 : 60), ...auditRows(front, folder, quick ? 20 : 60)];
  const client = clientPath();
  if (!existsSync(client)) {
    const row = { what: "hooks in the client: not measured", figure: Number.NaN, unit: "" };
    return [...alone, { ...row, note: `no client at ${client}: node scripts/install-clients.mjs` }];
  }
  for (const one of CASES) if (one.floor !== undefined) floorPlugin(pluginOf(one, folder), one.floor);
  const model = await startModel();
  const gaps = new Map();
  try {
    for (let round = 0; round < (quick ? 3 : 6); round++)
      for (const [name, call] of Object.entries(CALLS))
        for (const one of round % 2 === 0 ? casesOf(call) : casesOf(call).toReversed()) {
          const key = `${name} ${one.name}`;
          const seen = await session({ client, folder, model, call, one, calls: quick ? 12 : 25 });
          gaps.set(key, [...(gaps.get(key) ?? []), ...seen]);
        }
  } finally {
    await model.stop();
  }
  return [...alone, ...Object.entries(CALLS).flatMap(([name, call]) => rowsOf(name, call, gaps))];
}

function casesOf({ names }) {
  return names === true ? CASES.filter(({ name, owned }) => name === FLOOR || owned === true) : CASES;
}

/** The front as a process of its own, against one that does nothing; in turns. */
function frontRows(front, folder, count) {
  if (process.platform === "win32") return [];
  const contestants = CASES.filter(({ atoms, floor }) => atoms !== null && floor === undefined).map((one) => {
    const id = randomUUID();
    const dir = projectOf(one, join(folder, `front-${randomUUID()}`), id);
    const input = JSON.stringify({ session_id: id, cwd: dir, tool_name: "Bash", tool_input: CALLS.Bash.input });
    const env = { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: dir, CLAUDE_CODE_SESSION_ID: id };
    return { name: one.name, run: () => spawnSync(front, ["PreToolUse", "bash"], { input, env }) };
  });
  contestants.push({ name: "node -e 0 in its place", run: () => spawnSync(process.execPath, ["-e", "0"]) });
  const over = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++)
    for (const { name, run } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const floor = wallOf(() => spawnSync("/bin/true", []));
      over.get(name).push(wallOf(run) - floor);
    }
  return [...over].map(([name, times]) => ({
    what: `the front alone, ${name}: over /bin/true`,
    figure: median(times),
    unit: "ms",
    note: `median of ${times.length} paired differences`,
  }));
}

/** Bytes of the session file that a claim is compared with. */
const SESSION = 5_000_000;

/** What comparing a claim costs on top of the same stop without a session file; Node starts in both. In turns. */
function auditRows(front, folder, count) {
  if (process.platform === "win32") return [];
  const dir = projectOf({ atoms: 0 }, join(folder, `audit-${randomUUID()}`), "");
  const transcript = join(dir, "session.jsonl");
  const step = (id, name, input) => [
    { type: "assistant", cwd: dir, message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] } },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok\n".repeat(300) }] },
    },
  ];
  const steps = [
    step("t", "Bash", { command: "npm test" }),
    step("e", "Edit", { file_path: join(dir, "a.ts"), old_string: "1", new_string: "2" }),
  ];
  const lines = steps
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  writeFileSync(transcript, lines.repeat(Math.ceil(SESSION / lines.length)));
  const env = { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: dir, CLAUDE_CODE_SESSION_ID: randomUUID() };
  const said = {
    session_id: env.CLAUDE_CODE_SESSION_ID,
    cwd: dir,
    hook_event_name: "Stop",
    last_assistant_message: "All tests pass.",
  };
  const timeOf = (path) => {
    const input = JSON.stringify({ ...said, transcript_path: path });
    const start = performance.now();
    const { status, stdout } = spawnSync(front, ["Stop"], { input, env, encoding: "utf8" });
    const time = performance.now() - start;
    if (status !== 0 || stdout.includes("Not backed") !== (path === transcript))
      throw new Error(`a stop said ${stdout}`);
    return time;
  };
  const over = Array.from({ length: count }, () => timeOf(transcript) - timeOf(join(dir, "none.jsonl")));
  const what = "a stop that claims, on a session of 5 MB: over one without a session file";
  return [{ what, figure: median(over), unit: "ms", most: 10, note: `median of ${over.length} paired differences` }];
}

function wallOf(run) {
  const start = performance.now();
  const { status } = run();
  if (status !== 0) throw new Error(`a hook ended with ${status}`);
  return performance.now() - start;
}

function rowsOf(tool, call, gaps) {
  const row = (name, label, over, most) => {
    const [own, base] = [gaps.get(`${tool} ${name}`), over === null ? [0] : gaps.get(`${tool} ${over}`)];
    const low = over === null ? "" : `; at the first decile ${(decile(own) - decile(base)).toFixed(1)} ms`;
    const note = `median of ${own.length}${low}`;
    return { what: `${tool}, ${name}: ${label}`, figure: median(own) - median(base), unit: "ms", most, note };
  };
  const overFloor = casesOf(call).filter(({ over }) => over !== undefined);
  const rows = overFloor.map(({ name, over }) => row(name, "over the floor", FLOOR, call.over ?? over));
  if (call.names === true) return rows;
  return [
    row(NO_PLUGIN, "a tool call", null),
    ...CASES.slice(1).map(({ name, most }) => row(name, "on top", NO_PLUGIN, most)),
    ...rows,
  ];
}

const OURS = { floor: undefined };

function pluginOf({ floor }, folder) {
  return join(folder, floor === undefined ? "plugin" : `floor-${floor.length}`);
}

/** A plugin whose hooks do nothing at these events, called in the same form as ours. */
function floorPlugin(dir, events) {
  mkdirSync(join(dir, ".claude-plugin"), { recursive: true });
  mkdirSync(join(dir, "hooks"));
  writeFileSync(join(dir, ".claude-plugin", "plugin.json"), JSON.stringify({ name: "floor", version: "1.0.0" }));
  const hook = (event) => [event, [{ hooks: [{ type: "command", command: ":", timeout: 60 }] }]];
  writeFileSync(join(dir, "hooks", "hooks.json"), JSON.stringify({ hooks: Object.fromEntries(events.map(hook)) }));
}

function decile(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 10)] ?? Number.NaN;
}

function clientPath() {
  const exe = process.platform === "win32" ? ".exe" : "";
  const place = `node_modules/.cache/aot-clients/node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude${exe}`;
  return process.env.AOT_E2E_CLAUDE ?? join(root, place);
}

async function startModel() {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  const now = { call: CALLS.Read, calls: 0, answered: 0, gaps: [] };
  mock.on({ predicate: () => true }, () => {
    const time = performance.now();
    if (now.answered > 0) now.gaps.push(time - now.answered);
    now.answered = time;
    if (now.calls-- <= 0) return { content: "done" };
    return { toolCalls: [{ name: now.call.tool, arguments: JSON.stringify(now.call.input) }] };
  });
  await mock.start();
  return {
    url: mock.url,
    begin: (call, calls) => Object.assign(now, { call, calls, answered: 0, gaps: [] }),
    gaps: () => now.gaps.slice(DROPPED),
    stop: () => mock.stop(),
  };
}

async function session({ client, folder, model, call, one, calls }) {
  const dir = join(folder, `hooks-${randomUUID()}`);
  const home = join(dir, "home");
  const id = randomUUID();
  const project = projectOf(one, join(dir, "project"), id);
  model.begin(call, calls);
  const args = ["-p", "go", "--session-id", id, "--permission-mode", "dontAsk", "--allowedTools", "Read,Bash"];
  await ended(
    client,
    one.atoms === null ? args : [...args, "--plugin-dir", pluginOf(one, folder)],
    project,
    claudeEnvironment(home, model.url),
  );
  const gaps = model.gaps();
  if (gaps.length !== calls - DROPPED)
    throw new Error(`${call.tool}, ${one.name}: ${gaps.length} calls of ${calls} were seen`);
  return gaps;
}

/** @param id of the session that works in it */
function projectOf(one, project, id) {
  mkdirSync(join(project, ".claude", "aot-loop"), { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(join(project, "read.txt"), "to be read\n");
  if (one.atoms !== null && one.atoms > 0) bind(project, one.atoms, one.owned ? id : randomUUID());
  return project;
}

/** A loop that a session owns, as `aot session enter` leaves it. */
function bind(project, atoms, id) {
  const text = stateText(atoms).replace("redirect_requested: false", `redirect_requested: false\n  session_id: ${id}`);
  writeFileSync(join(project, ".claude", "aot-loop-state.md"), text);
  writeFileSync(join(project, ".claude", "aot-loop", "session"), `1 run ${id}\n`);
}

function ended(command, args, cwd, env) {
  const child = spawn(command, args, { cwd, env, stdio: "ignore", timeout: 120_000 });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(null) : reject(new Error(`the client ended with ${code}`))));
  });
}
