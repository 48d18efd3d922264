/**
 * What guard rules cost a tool call: the plugin's front as a whole process, with rules that are about the call (Node is
 * started) and with none (it is not), beside an empty Node of the same run. All contestants run in turns.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildHook } from "../scripts/build-plugin.mjs";
import { median } from "./statistics.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = "npm run build && git push origin main --no-verify && node scripts/release.js --secret=abc";
const BOMB = `${"a".repeat(60)}!`;
/** What people write, with a number so that no two are alike. */
const PATTERNS = [
  (at) => String.raw`rm\s+-rf\s+/srv${at}`,
  (at) => String.raw`(git|hg)\s+push\s.*--force${at}`,
  (at) => String.raw`\bcurl\b.*\|\s*(ba)?sh${at}`,
  (at) => String.raw`(api|secret)[_-]?key${at}\s*=`,
  (at) => String.raw`^npm (publish|unpublish) pkg${at}`,
];

const NO_CLAIM = "a stop whose words claim nothing";
const CLAIM = "a stop whose words are compared with the tools' answers";

export async function rulesRows({ quick, folder }) {
  if (process.platform === "win32") return [{ what: "rules: not measured on Windows", figure: Number.NaN, unit: "" }];
  const plugin = join(folder, "rules-plugin");
  cpSync(join(root, "plugin"), plugin, { recursive: true });
  await buildHook(join(plugin, "lib"));
  const front = join(plugin, "bin", "aot-hook");
  const place = (name, rules, event, command = COMMAND) => contestant({ front, folder, name, rules, event, command });
  const contestants = [
    { name: "empty Node", program: process.execPath, args: ["-e", "0"], input: "", env: {} },
    place("no rules", 0, "bash"),
    place("1,000 rules about other events", 1000, "prompt"),
    ...[1, 10, 100, 1000].map((count) => place(`${count.toLocaleString("en-US")} rules`, count, "bash")),
    place("a catastrophic pattern", ["^(a+)+$"], "bash", BOMB),
    place("one that only Node's engine could do", ["^(a+)+(?!b)$"], "bash", BOMB),
    stop({ front, folder, name: NO_CLAIM, said: "You may pass." }),
    stop({ front, folder, name: CLAIM, said: "All tests pass." }),
  ];
  const times = inTurns(contestants, quick ? 10 : 40);
  const base = times.get("empty Node");
  const one = times.get("1 rules");
  return contestants.slice(1).flatMap(({ name }) => {
    const own = times.get(name);
    const over = { what: `${name}: over an empty Node`, figure: between(own, base, "wall"), unit: "ms" };
    const cpu = `CPU ${between(own, base, "cpu").toFixed(1)} ms`;
    if (name === "1,000 rules")
      return [
        { ...over, note: cpu },
        {
          what: "1,000 rules: over one",
          figure: between(own, one, "cpu"),
          unit: "ms of CPU",
          most: 10,
          note: `wall ${between(own, one, "wall").toFixed(1)} ms`,
        },
      ];
    if (name === CLAIM) {
      const figure = between(own, times.get(NO_CLAIM), "wall");
      return [
        { what: `${CLAIM}: over one that claims nothing`, figure, unit: "ms", most: 10, note: "a session of 4 MB" },
      ];
    }
    if (!/catastrophic|only Node/.test(name)) return [{ ...over, note: cpu }];
    return [
      {
        what: `${name}: over one rule`,
        figure: between(own, one, "wall"),
        unit: "ms",
        most: 100,
        note: `CPU ${between(own, one, "cpu").toFixed(1)} ms`,
      },
    ];
  });
}

/** A project whose rules were looked at once, a while ago. */
function contestant({ front, folder, name, rules, event, command }) {
  const dir = join(folder, `rules-${name.replaceAll(/\W+/g, "-")}`);
  const claude = join(dir, ".claude");
  mkdirSync(claude, { recursive: true });
  mkdirSync(join(dir, ".git"));
  const patterns = Array.isArray(rules)
    ? rules
    : Array.from({ length: rules }, (_, at) => PATTERNS[at % PATTERNS.length](at));
  for (const [at, pattern] of patterns.entries())
    writeFileSync(
      join(claude, `hookify.rule-${at}.local.md`),
      `---\nname: rule-${at}\nevent: ${event}\npattern: '${pattern}'\naction: block\n---\n\nDo something else.\n`,
    );
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: join(dir, "home"), CLAUDE_PROJECT_DIR: dir };
  const input = JSON.stringify({
    session_id: "S",
    cwd: dir,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });
  const made = { name, program: front, args: ["PreToolUse", "bash"], input, env };
  // The mark is younger than everything once it is written again.
  ask(made);
  const before = Date.now() / 1000 - 60;
  for (const file of readdirSync(claude)) if (file.endsWith(".md")) utimesSync(join(claude, file), before, before);
  utimesSync(claude, before, before);
  ask(made);
  return made;
}

/** An agent stops behind a session of 4 MB, at whose end tests failed. */
function stop({ front, folder, name, said }) {
  const dir = join(folder, `stop-${said.length}`);
  mkdirSync(join(dir, ".git"), { recursive: true });
  const message = (role, block) => `${JSON.stringify({ type: role, message: { role, content: [block] } })}\n`;
  const ran = (id, text, is_error) =>
    message("assistant", { type: "tool_use", id, name: "Bash", input: { command: "npm test" } }) +
    message("user", { type: "tool_result", tool_use_id: id, content: text, is_error });
  const transcript = join(dir, "session.jsonl");
  const steps = Array.from({ length: 1000 }, (_, at) => ran(`t${at}`, "x".repeat(4_000), false));
  writeFileSync(transcript, [...steps, ran("last", "Exit code 1", true)].join(""));
  const event = { hook_event_name: "Stop", session_id: "S", cwd: dir, transcript_path: transcript };
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: join(dir, "home"), CLAUDE_PROJECT_DIR: dir };
  return {
    name,
    program: front,
    args: ["Stop"],
    input: JSON.stringify({ ...event, last_assistant_message: said }),
    env,
  };
}

function ask({ program, args, input, env }) {
  const cpu = childrenMs();
  const start = performance.now();
  const ran = spawnSync(program, args, { input, env, timeout: 120_000 });
  const wall = performance.now() - start;
  if (ran.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${ran.status} ${String(ran.stderr)}`);
  return { wall, cpu: childrenMs() - cpu };
}

function inTurns(contestants, count) {
  const times = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++)
    for (const one of round % 2 === 0 ? contestants : contestants.toReversed()) times.get(one.name).push(ask(one));
  return times;
}

/** Wall: the median of the differences of each round. CPU comes in steps of 10 ms: the difference of the means. */
function between(own, base, kind) {
  if (kind === "wall") return median(own.map(({ wall }, round) => wall - base[round].wall));
  const mean = (times) => times.reduce((sum, { cpu }) => sum + cpu, 0) / times.length;
  return mean(own) - mean(base);
}

/** CPU time of all children that were waited for, in ms; 0 where nobody tells. */
function childrenMs() {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
