// Whether the package works on the versions of Node that people have: packs dist/, installs it into a folder of its own, and
// runs small things of it and of the checkout on each version. Nothing may print a warning of Node's.
//   node scripts/nodes.mjs [--report FILE] [VERSION...]   default: the floor, and the newest 22, 24 and 26
// The versions come from npm (packages node-PLATFORM-ARCH) into node_modules/.cache/aot-nodes. `npm run nodes` builds first.
// --report writes the results as vitest's JSON reporter does, for .ci/reports.mjs.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const VERSIONS = ["20.19", "22", "24", "26"];
/** All of it, milliseconds; a quiet machine takes some 15 seconds for each version. */
const LIMIT_MS = 360_000;

const windows = process.platform === "win32";
const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/aot-nodes");
const { values, positionals } = parseArgs({ options: { report: { type: "string" } }, allowPositionals: true });
const versions = positionals.length > 0 ? positionals : VERSIONS;
const scratch = mkdtempSync(join(tmpdir(), "aot-nodes-"));
const end = Date.now() + LIMIT_MS;

/** @returns what it printed; throws if it did not end with `expect` or printed a warning of Node's */
function call(command, args, { cwd = scratch, env = process.env, input = "", expect = 0, shell = false } = {}) {
  const timeout = Math.max(1, end - Date.now());
  const ran = spawnSync(command, args, { cwd, env, input, shell, encoding: "utf8", timeout });
  const reported = `${[command, ...args].join(" ")}\n${ran.error ?? ""}${ran.stdout}${ran.stderr}`;
  if (ran.status !== expect) throw new Error(`ended with ${ran.status ?? ran.signal}, not ${expect}: ${reported}`);
  if (/\(node:\d+\)/.test(ran.stderr)) throw new Error(`a warning of Node's: ${reported}`);
  return ran.stdout;
}

const npm = (cwd, ...args) => call("npm", [...args, "--no-audit", "--no-fund"], { cwd, shell: windows });

function readVersion(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
}

function contains(text, part) {
  if (!text.includes(part)) throw new Error(`"${part}" is not in: ${text}`);
}

/** @returns the program of that version */
function nodeOf(version) {
  return join(cache, "node_modules", `node-${version}`, "bin", windows ? "node.exe" : "node");
}

/** @returns the folder of the installed package */
function install() {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const platform = `${windows ? "win" : process.platform}-${process.arch}`;
  const nodes = versions.map((version) => `node-${version}@npm:node-${platform}@${version}`);
  npm(cache, "install", "--ignore-scripts", ...nodes);
  const [packed] = JSON.parse(npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", scratch));
  writeFileSync(join(scratch, "package.json"), '{ "private": true }\n');
  npm(scratch, "install", join(scratch, packed.filename));
  return join(scratch, "node_modules/aot-loop");
}

const EVENT = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "nodes", version: "0" } },
};
const RULE = "---\nname: no-ls\nenabled: true\nevent: bash\npattern: ^ls\naction: block\n---\n\nUse find.\n";
const AGENT = `const { writeFileSync } = require("node:fs");
writeFileSync("made.txt", "made");
console.log(JSON.stringify({ success: true, summary: "made it", artifacts: ["made.txt"] }));
`;

/** What is run on one version: names, and what each does. */
function checksOn(version, installed) {
  const node = nodeOf(version);
  const home = join(scratch, `home-${version}`);
  const project = join(scratch, `project-${version}`);
  for (const folder of [home, project]) mkdirSync(folder);
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    HOME: home,
    USERPROFILE: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  writeFileSync(env.GIT_CONFIG_GLOBAL, "[user]\n\tname = n\n\temail = n@localhost\n");
  const bin = join(installed, "dist/bin.cjs");
  const run = (args, more = {}) => call(node, args, { cwd: project, env, ...more });
  const aot = (...args) => run([bin, ...args]);
  const agent = join(scratch, "agent.cjs");
  return {
    "aot --help": () => contains(aot("--help"), "aot run"),
    "aot --version": () => contains(aot("--version"), readVersion(installed)),
    "a loop": () => {
      call("git", ["init", "--quiet"], { cwd: project, env });
      call("git", ["commit", "--quiet", "--allow-empty", "-m", "nothing yet"], { cwd: project, env });
      writeFileSync(agent, AGENT);
      aot("align", "A file", "--check", "file: made.txt", "--atom", "A1: make it", "--yes");
      contains(aot("run", "--agent", `command:"${node}" "${agent}"`), "Verified");
      contains(aot("status", "--json"), '"completed"');
      aot("verify");
    },
    "aot atom update": () => {
      const state = ["--state-file", join(project, "by-hand.md")];
      aot("align", "Another file", "--check", "file: other.txt", "--atom", "A2: make it", "--yes", ...state);
      for (const status of ["in_progress", "resolved"])
        contains(aot("atom", "update", "A2", status, "--json", ...state), '"success":true');
    },
    "aot doctor": () => contains(aot("doctor"), run(["-p", "process.versions.node"]).trim()),
    "aot mcp": () => contains(run([bin, "mcp"], { input: `${JSON.stringify(HELLO)}\n` }), '"serverInfo"'),
    "aot hook": () => {
      mkdirSync(join(project, ".claude"), { recursive: true });
      writeFileSync(join(project, ".claude/hookify.no-ls.local.md"), RULE);
      const input = JSON.stringify({ ...EVENT, cwd: project });
      contains(run([bin, "hook"], { input }), "Use find.");
      contains(run([join(root, "plugin/lib/hook.cjs"), "PreToolUse"], { input }), "Use find.");
    },
    "the plugin's aot": () => contains(run([join(root, "plugin/lib/aot.cjs"), "--help"]), "aot run"),
    'import("aot-loop")': () => {
      const script = 'import("aot-loop").then(({ runLoop }) => console.log(typeof runLoop))';
      contains(run(["--input-type=module", "-e", script], { cwd: scratch }), "function");
    },
    "examples/library.mjs": () => {
      const own = join(project, "library");
      mkdirSync(own);
      run([join(root, "examples/library.mjs")], { cwd: own });
    },
    "examples/phases": () =>
      contains(run([join(root, "examples/phases/run.mjs")], { env: { ...env, AOT_BIN: bin } }), "complete"),
    "npm run demo -- --fast": () => contains(run([join(root, "examples/demo/demo.mjs"), "--fast"]), "Verified"),
  };
}

/** @returns its failure as text; null: it passed */
function tried(check) {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function testOn(version, installed) {
  console.log(`Node ${call(nodeOf(version), ["--version"]).trim()}`);
  const results = Object.entries(checksOn(version, installed)).map(([name, check]) => {
    const from = Date.now();
    const failure = tried(check);
    console.log(`  ${failure === null ? "✓" : "✗"} ${name}, ${((Date.now() - from) / 1000).toFixed(1)} s`);
    if (failure !== null) console.log(failure.replaceAll(/^/gm, "    "));
    return { fullName: `Node ${version}: ${name}`, status: failure === null ? "passed" : "failed" };
  });
  const failed = results.some(({ status }) => status === "failed");
  return { name: `Node ${version}`, status: failed ? "failed" : "passed", assertionResults: results };
}

try {
  const installed = install();
  const testResults = versions.map((version) => testOn(version, installed));
  if (values.report !== undefined) writeFileSync(resolve(values.report), JSON.stringify({ testResults }));
  process.exitCode = testResults.every(({ status }) => status === "passed") ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
