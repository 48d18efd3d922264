/**
 * What the loop's agents may not do, whoever allowed it (SPEC section 10): PreToolUse.
 *
 * HOOK-GUARD-1 the loop's files are written by `aot` alone;
 * HOOK-GUARD-2 a sub-agent uses `aot` as its role may: nobody but a person raises a limit, enters, redirects or confirms;
 * HOOK-GUARD-3 the coordinator runs `aot` and starts the plugin's agents, and nothing else;
 * HOOK-GUARD-4 in doubt the answer is no: what cannot be read before it runs is refused where it names what is guarded.
 *
 * It guards against a model that wants to be helpful or was talked into something. It is no sandbox: a program can write
 * any file that its user can.
 */
import { asText, roleOf, type HookInput, type LoopRole } from "./hook-input.ts";
import { realPath } from "../../host/real-path.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { readRecord } from "../../project/session-record.ts";
import { placeOf, type GuardScope } from "./places.ts";
import { parseShell, type CommandLine, type SimpleCommand } from "./shell-words.ts";

/** Tools whose call the loop itself takes a part in: what starts an agent, and what ends one's run. */
const OF_THE_LOOP = new Set(["Agent", "Task", "SubagentHandback"]);

/**
 * Whether a tool call of the session that works the loop passes without a look at its state: only if nothing speaks
 * against it whatever the state is.
 */
export function passesUnseen(input: HookInput, stateFile: string): boolean {
  if (input.event !== "PreToolUse" || OF_THE_LOOP.has(input.tool)) return false;
  // Agents are refused everything during a redirect, and former coordinators ever after.
  if (input.agent !== null && (isFormer(input, stateFile) || isRedirected(stateFile))) return false;
  return guard(input, scopeOf(stateFile)) === null;
}

/** A coordinator that a later `aot session enter` has replaced. */
export function isFormer({ agent, session }: HookInput, stateFile: string): boolean {
  return agent !== null && readRecord(stateFile, session)?.former.includes(agent.id) === true;
}

/** In doubt it is: the file is not parsed. */
function isRedirected(stateFile: string): boolean {
  const text = readOwnFile(stateFile) ?? "";
  const said = text.match(/redirect_requested/g)?.length ?? 0;
  return said !== 1 || !/redirect_requested["']?[ \t]*:[ \t]*false\b/.test(text);
}

export function scopeOf(stateFile: string): GuardScope {
  return { project: realPath(projectOf(stateFile)), stateFile };
}

/** Claude Code's Monitor runs a command line in the background. */
export const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell", "Monitor"]);
const EDITORS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"]);
/** Programs that only read, whatever their words. */
export const READERS: ReadonlySet<string> = new Set(
  "aot cat head tail less more grep egrep fgrep rg wc ls stat file diff cmp cut jq echo printf test [ true pwd".split(
    " ",
  ),
);
/** Commands of git whose words are messages, names and patterns. */
const GIT_WORDS = new Set("commit log add status diff show tag branch grep blame".split(" "));
const LOOKING = /^(state (show|validate|gate)|status|verify|logs|graph|doctor|help|--help|--version|session work)\b/;
/** `aot verify command` runs what it is given, and so does `aot verify` on a loop that somebody wrote. */
const RUNS_ANYTHING = /^verify\b(?! file\b).*(?: command\b|--state-file\b)/;
const ROLE_COMMANDS: Readonly<Record<LoopRole, RegExp>> = {
  coordinator: /^(atom (add|decompose|fail)|or switch)\b/,
  verifier: /^session judge\b/,
  worker: /^$(?!)/,
  probe: /^$(?!)/,
};

/** Why a tool call of this loop's session is refused; null: nothing here speaks against it. */
export function guard(input: HookInput, scope: GuardScope): string | null {
  const cwd = input.cwd ?? scope.project;
  if (EDITORS.has(input.tool)) return guardEdit(input, cwd, scope);
  if (SHELLS.has(input.tool)) return guardShell(asText(input.toolInput["command"]), input);
  const line = offeredCommand(input);
  return line === null || input.agent === null ? null : forbiddenUse(line, roleIn(input));
}

/** The command line that a call of our server's tool stands for; null: it is no such call. */
function offeredCommand({ tool, toolInput }: HookInput): string | null {
  const [, own] = /^mcp__.*__(aot_.+)$/.exec(tool) ?? [];
  const name = own === "aot_more" ? asText(toolInput["tool"]) : own;
  // Without a name it lists them.
  if (name === undefined || name === "") return null;
  const confirmed = toolInput["confirm"] === true ? " --confirm" : "";
  return `${name.replaceAll("_", " ").replace(/ (?=(?:status|gate)\b)(?<=(?:set|skip) )/g, "-")} x${confirmed}`;
}

/**
 * What a tool call would decide that is a person's to decide (SPEC section 10): the goal, its base case and limits, a gate,
 * a guard rule, a loop that somebody else works. Null: nothing of that kind.
 */
export function decisionIn(input: HookInput): string | null {
  const text = SHELLS.has(input.tool) ? asText(input.toolInput["command"]) : (offeredCommand(input) ?? "");
  return aotCommandsIn(text).find((command) => DECIDES.test(command) && !/ (?:--help|-h)\b/.test(command)) ?? null;
}

/** Flags may come before the command. */
const DECIDES =
  /^(?:-\S+ (?:[^-]\S* )?)*(?:align|redirect|confirm|reject|phases (?:approve|reject|skip-gate)|rules (?:add|enable|disable|analyze\b.* --write)|run\b.* --(?:yes|check|invariant|no-worse))\b|^.* --(?:take-over|confirm|accept)\b/;

function guardEdit(input: HookInput, cwd: string, scope: GuardScope): string | null {
  const role = roleIn(input);
  if (role !== null && role !== "worker") return `the ${role} changes no file: an atom's work is a worker's`;
  const paths = ["file_path", "notebook_path", "path"].map((name) => asText(input.toolInput[name]));
  const patched = asText(input.toolInput["command"]).matchAll(
    /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm,
  );
  for (const path of [...paths, ...[...patched].map(([, path]) => path ?? "")])
    if (path !== "" && placeOf(path, cwd, scope) === "loop") return GUARDED;
  return null;
}

const GUARDED =
  "the loop's files are changed by `aot` alone: `aot atom`, `aot binding`, `aot or`, or `aot redirect` by a human";

function guardShell(text: string, input: HookInput): string | null {
  const line = parseShell(text);
  const role = roleIn(input);
  if (role === "coordinator" && !isOnlyAot(line))
    return "the coordinator runs `aot` alone, one call without pipes or redirections: an atom's work is a worker's";
  if (input.agent !== null) {
    const forbidden = forbiddenUse(text, role);
    if (forbidden !== null) return forbidden;
  }
  return namesLoop(text) && !isReading(line) ? GUARDED : null;
}

function roleIn(input: HookInput): LoopRole | null {
  return input.agent === null ? null : roleOf(input.agent.type);
}

function isOnlyAot({ commands, dynamic }: CommandLine): boolean {
  return !dynamic && commands.every(({ words, outputs }) => words[0] === "aot" && outputs.length === 0);
}

/** What `aot` is run with; on the text itself, so that quoting or `sh -c` hides nothing; but for words that nothing can run. */
function aotCommandsIn(text: string): string[] {
  const plain = runnableText(text).replaceAll(/["'\\]/g, "");
  return [...plain.matchAll(/(?:^|[^\w.-])aot(?:\.c(?:md|js))?[ \t]+([^\n;&|)`]*)/gi)].map(([, said = ""]) =>
    said.trim().replaceAll(/\s+/g, " "),
  );
}

/** HOOK-GUARD-2. */
function forbiddenUse(text: string, role: LoopRole | null): string | null {
  for (const command of aotCommandsIn(text)) {
    const word = /(?:^| )--(confirm|clean)\b/.exec(command)?.[1];
    if (word !== undefined) return `only a person may use --${word}`;
    if (RUNS_ANYTHING.test(command)) return "a sub-agent's `aot verify` runs this loop's own checks and nothing else";
    if (LOOKING.test(command)) continue;
    if (role !== null && ROLE_COMMANDS[role].test(command)) continue;
    return `\`aot ${command.split(" ").slice(0, 2).join(" ")}\` is not for ${role === null ? "a sub-agent" : `the ${role}`}: say in your report what you need`;
  }
  return null;
}

/** The text without the commands whose words are data, where none of them can reach a program that runs them. */
function runnableText(text: string): string {
  const line = parseShell(text);
  if (line.dynamic || line.fed || line.commands.some((command) => command.piped && !isInert(command))) return text;
  const others = line.commands.filter((command) => !isInert(command));
  return others.map(({ words, outputs }) => [...words, ...outputs].join(" ")).join("\n");
}

function isInert({ words: [program = "", ...words], outputs }: SimpleCommand): boolean {
  if (program === "aot" || !outputs.every((file) => file === "/dev/null")) return false;
  return READERS.has(program) || isPrinting(program, words) || (program === "git" && GIT_WORDS.has(words[0] ?? ""));
}

/** `sed -n 1,20p FILE`: its script can neither write nor run anything. */
export function isPrinting(program: string, words: readonly string[]): boolean {
  const [first, script = "", ...files] = words;
  return (
    program === "sed" &&
    first === "-n" &&
    /^\d+(?:,(?:\d+|\$))?p$/.test(script) &&
    !files.some((file) => file.startsWith("-"))
  );
}

function namesLoop(text: string): boolean {
  return /\.claude|aot-loop-state|aot-loop[/\\]/i.test(text.replaceAll(/["'\\]/g, ""));
}

/** HOOK-GUARD-4. */
function isReading({ commands, dynamic, fed }: CommandLine): boolean {
  if (dynamic) return false;
  const apart = !fed && commands.every((command) => !command.piped || isReader(command));
  return commands.every((command) => {
    const named = namesLoop([...command.words, ...command.outputs].join(" "));
    return isReader(command) || (apart && !named);
  });
}

function isReader({ words: [program = "", ...words], outputs }: SimpleCommand): boolean {
  const runs = program === "aot" && RUNS_ANYTHING.test(words.join(" "));
  const reads = READERS.has(program) || isPrinting(program, words);
  return reads && !runs && outputs.every((file) => file === "/dev/null");
}
