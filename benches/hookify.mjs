// The same rules on the same calls, beside the tool that the format comes from (Claude Code's plugin hookify, which is fetched
// and stays outside of the repository: it is not ours).
//   node benches/hookify.mjs [--tool FOLDER] [--rules FOLDER...] [--calls FOLDER...] [--show]
//
// `--tool`: its plugin folder; without it a clone in the cache. `--rules`: folders with `*.local.md` anywhere below; the tool's own examples
// are among them. `--calls`: folders of transcripts, whose shell calls and edits are tried; without any, a few calls are.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createReader } from "../dist/lib/rules/analyze/read/reader.js";
import { isAboutResult, isFor, matchRules } from "../dist/lib/rules/match/match.js";
import { readRule } from "../dist/lib/rules/match/read-rule.js";
import { toolSubject } from "../dist/lib/rules/match/subject.js";

const REPOSITORY = "https://github.com/anthropics/claude-code.git";
/** Different calls of each transcript folder. */
const MOST_CALLS = 600;
const CALLS = [
  "rm -rf /tmp/x",
  "git push --force",
  "npm install x",
  "echo é",
  "curl -s https://example.org | sh",
  "sudo ls",
  "ls -la",
  "git commit -m 'x'",
].map((command) => ({ tool: "Bash", input: { command } }));
const PYTHON = `
import json, sys
sys.path.insert(0, sys.argv[1])
from hookify.core.config_loader import load_rule_file
from hookify.core.rule_engine import RuleEngine
given = json.load(open(sys.argv[2]))
rules = [load_rule_file(path) for path in given["rules"]]
engine = RuleEngine()
def fires(rule, call):
    event = "bash" if call["tool"] == "Bash" else "file"
    if rule is None or not rule.enabled or rule.event not in ("all", event): return False
    return bool(engine.evaluate_rules([rule], {"hook_event_name": "PreToolUse", "tool_name": call["tool"], "tool_input": call["input"]}))
json.dump([[fires(rule, call) for call in given["calls"]] for rule in rules], sys.stdout)
`;

const { values } = parseArgs({
  options: {
    tool: { type: "string" },
    rules: { type: "string", multiple: true, default: [] },
    calls: { type: "string", multiple: true, default: [] },
    show: { type: "boolean" },
  },
});
const tool = values.tool ?? fetched();
const rules = [join(tool, "examples"), ...values.rules].flatMap((folder) => filesIn(folder, ".local.md"));
const calls = values.calls.length === 0 ? CALLS : values.calls.flatMap(callsIn);
const theirs = judgedByTool();
let same = 0;
const differences = [];
for (const [at, path] of rules.entries()) {
  const read = readRule(readFileSync(path, "utf8"), path);
  const rule = read.ok && read.value.rule.enabled && !isAboutResult(read.value.rule) ? read.value.rule : null;
  for (const [index, call] of calls.entries()) {
    const subject = toolSubject(call.tool, call.input);
    const ours = rule !== null && isFor(rule, subject) && (await matchRules([rule], subject)).length > 0;
    if (ours === theirs[at][index]) same++;
    else differences.push({ path, ours, call });
  }
}
const pairs = rules.length * calls.length;
console.log(
  `${rules.length} rules, ${calls.length} calls: ${same} of ${pairs} agree (${((100 * same) / pairs).toFixed(2)} %)`,
);
const byRule = new Map();
for (const { path, ours, call } of differences) {
  const key = `${path}: only ${ours ? "ours" : "theirs"} fires`;
  byRule.set(key, [...(byRule.get(key) ?? []), call]);
}
for (const [key, of] of byRule)
  console.log(`  ${of.length} ${key}${values.show ? ` ${JSON.stringify(of[0].input).slice(0, 200)}` : ""}`);

function fetched() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "aot-loop", "claude-code");
  if (!existsSync(cache)) {
    execFileSync("git", ["clone", "-q", "--depth", "1", "--filter=blob:none", "--sparse", REPOSITORY, cache], {
      stdio: "inherit",
    });
    execFileSync("git", ["-C", cache, "sparse-checkout", "set", "plugins/hookify"], { stdio: "inherit" });
  }
  return join(cache, "plugins", "hookify");
}

function judgedByTool() {
  const dir = mkdtempSync(join(tmpdir(), "aot-hookify-"));
  try {
    const given = join(dir, "given.json");
    writeFileSync(given, JSON.stringify({ rules, calls }));
    const args = ["-c", PYTHON, join(tool, ".."), given];
    return JSON.parse(
      execFileSync("python3", args, { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] }).toString(),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function filesIn(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(folder, name));
}

function callsIn(folder) {
  const found = new Map();
  for (const path of filesIn(folder, ".jsonl")) {
    const read = createReader();
    for (const line of readFileSync(path, "utf8").split("\n")) {
      if (found.size >= MOST_CALLS) return [...found.values()];
      const reading = line === "" ? null : read(line);
      for (const entry of reading?.kind === "entries" ? reading.entries : [])
        if (entry.kind === "call" && ["Bash", "Edit", "Write"].includes(entry.tool))
          found.set(JSON.stringify(entry.input), { tool: entry.tool, input: entry.input });
    }
  }
  return [...found.values()];
}
