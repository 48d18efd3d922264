/**
 * What PreToolUse denies the loop's agents, whatever a person or the client allowed (SPEC section 10).
 *
 * HOOK-GUARD-1 the loop's files are written by `aot` alone;
 * HOOK-GUARD-2 a sub-agent uses `aot` only as its role may: only a person raises a limit, enters, redirects or confirms;
 * HOOK-GUARD-3 the coordinator runs `aot` and starts the plugin's agents, and nothing else;
 * HOOK-GUARD-4 in doubt the answer is no: a command line that is not fully known beforehand may not name the loop's files.
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

/** Tools that start an agent or end its run: what the loop answers depends on its state. */
const AGENT_TOOLS = new Set(["Agent", "Task", "SubagentHandback"]);

/**
 * Whether a tool call of the session that works the loop passes whatever the loop's state is, so that nobody need parse
 * the state file.
 */
export function passesInAnyState(input: HookInput, stateFile: string): boolean {
  if (input.event !== "PreToolUse" || AGENT_TOOLS.has(input.tool)) return false;
  // Agents are refused everything during a redirect, and former coordinators always.
  if (input.agent !== null && (isFormer(input, stateFile) || isRedirected(stateFile))) return false;
  return guard(input, scopeOf(stateFile)) === null;
}

/** A coordinator that a later `aot session enter` has replaced. */
export function isFormer({ agent, session }: HookInput, stateFile: string): boolean {
  return agent !== null && readRecord(stateFile, session)?.former.includes(agent.id) === true;
}

/** Read off the text without parsing it: true unless its only `redirect_requested` is plainly false. */
function isRedirected(stateFile: string): boolean {
  const text = readOwnFile(stateFile) ?? "";
  const said = text.match(/redirect_requested/g)?.length ?? 0;
  return said !== 1 || !/redirect_requested["']?[ \t]*:[ \t]*false\b/.test(text);
}

export function scopeOf(stateFile: string): GuardScope {
  return { project: realPath(projectOf(stateFile)), stateFile };
}

/** Claude Code's Monitor runs a command line in the background. */
export const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "PowerShell", "Monitor"]);
const EDIT_TOOLS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"]);
/** `aot`, and programs that read: they may name the loop's files. */
export const READERS: readonly string[] =
  "aot cat head tail grep egrep fgrep rg wc ls stat file diff cmp cut jq echo printf test [ true pwd".split(" ");
/** Where a word is computed with (in zsh any operand of a comparison is): it may set variables and run programs. */
const COMPUTED = /^-[vR]$|[[`$]|[^!=]=[^]|\+\+|--/;
/** Words with which a program does more than read what it is given; git and others take shortened flags. */
const RISKY_WORDS = new Map<string, RegExp>([
  ["[", COMPUTED],
  ["test", COMPUTED],
  ["printf", /^-v|(?<!%)(?:%%)*%(?![-+ #0\d.]*[sbcq%])/],
  ["git", /^-[^-SGe]*O|^--(?:ou|op|ext|textc)/],
  // The rest: links followed and lists of files read, wherever they lead.
  ["file", /^-\w*[Cf]|^--[cf]/],
  ["find", /^-[A-Z]*L|^-(?:exec|ok|delete|fprint|fls|follow|files0)/],
  ["grep", /^-\w*[RS]|^--der/],
  ["jq", /\b(?:import|include|modulemeta)\b|^-\w*[fL]|^--from/],
  ["ls", /^-\w*L|^--der/],
  ["rg", /^-\w*L|^--(?:fol|pre|hostname)/],
  ["wc", /^--f/],
]);
/** Commands of git whose words are messages, names and patterns, not programs. */
const INERT_GIT = new Set("commit log add status diff show tag branch grep blame".split(" "));
const READ_ONLY = /^(state (show|validate|gate)|status|verify|logs|graph|doctor|help|--help|--version|session work)\b/;
/** `aot verify command` runs any command, and so does `aot verify` on a state file that an agent may have written. */
const OPEN_VERIFY = /^verify\b(?! file\b).*(?: command\b|--state-file\b)/;
const ROLE_COMMANDS: Readonly<Record<LoopRole, RegExp>> = {
  coordinator: /^(atom (add|decompose|fail)|or switch)\b/,
  verifier: /^session judge\b/,
  worker: /^$(?!)/,
  probe: /^$(?!)/,
};

/** Why a tool call of this loop's session is refused; null: nothing here speaks against it. */
export function guard(input: HookInput, scope: GuardScope): string | null {
  const cwd = input.cwd ?? scope.project;
  if (EDIT_TOOLS.has(input.tool)) return guardEdit(input, cwd, scope);
  if (SHELL_TOOLS.has(input.tool)) return guardShell(asText(input.toolInput["command"]), input);
  const line = offeredCommand(input);
  return line === null || input.agent === null ? null : forbiddenUse(line, roleIn(input));
}

/** The command line (`x` for its arguments) that a call of our MCP tools stands for; null: it is no such call. */
function offeredCommand({ tool, toolInput }: HookInput): string | null {
  const [, own] = /^mcp__.*__(aot_.+)$/.exec(tool) ?? [];
  const name = own === "aot_more" ? asText(toolInput["tool"]) : own;
  // Without a name `aot_more` lists the tools.
  if (name === undefined || name === "") return null;
  const confirmed = toolInput["confirm"] === true ? " --confirm" : "";
  return `${name.replaceAll("_", " ").replace(/ (?=(?:status|gate)\b)(?<=(?:set|skip) )/g, "-")} x${confirmed}`;
}

/**
 * The `aot` command in a tool call that decides what is a person's to decide (SPEC section 10): the goal, its base case
 * and limits, a gate, a guard rule, taking a loop over. Null: there is none.
 */
export function decisionIn(input: HookInput): string | null {
  const text = SHELL_TOOLS.has(input.tool) ? asText(input.toolInput["command"]) : (offeredCommand(input) ?? "");
  return aotCommandsIn(text).find((command) => DECISIONS.test(command) && !/ (?:--help|-h)\b/.test(command)) ?? null;
}

/** Commands of `aot` that decide what is a person's to decide, or may: the shell expands their name. Flags may come before. */
const DECISIONS =
  /^(?:-\S+ (?:[^-]\S* )?)*(?:align|redirect|confirm|reject|phases (?:approve|reject|skip-gate)|rules (?:add|enable|disable)|run\b.* --(?:yes|check|invariant|no-worse))\b|^.* --(?:take-over|confirm|accept)\b|^(?:--state-file[ =]\S+ |(?!--state-file)-\S+ )*(?:(?:phases|rules) )?[\w-]*[$`]|^.* --[\w-]*[$`]/;

function guardEdit(input: HookInput, cwd: string, scope: GuardScope): string | null {
  const role = roleIn(input);
  if (role !== null && role !== "worker") return `the ${role} changes no file: an atom's work is a worker's`;
  const paths = ["file_path", "notebook_path", "path"].map((name) => asText(input.toolInput[name]));
  const patched = asText(input.toolInput["command"]).matchAll(
    /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm,
  );
  for (const path of [...paths, ...[...patched].map(([, path]) => path ?? "")])
    if (path !== "" && placeOf(path, cwd, scope) === "loop") return LOOP_FILES_REFUSAL;
  return null;
}

const LOOP_FILES_REFUSAL =
  "the loop's files are changed by `aot` alone: `aot atom`, `aot binding`, `aot or`, or `aot redirect` by a human";

function guardShell(text: string, input: HookInput): string | null {
  const line = parseShell(text);
  const role = roleIn(input);
  if (role === "coordinator" && !isOnlyAot(line))
    return "the coordinator runs `aot` alone, one call without pipes, redirections or expansions (put text with a `$` into single quotes): an atom's work is a worker's";
  if (input.agent !== null) {
    const forbidden = forbiddenUse(text, role);
    if (forbidden !== null) return forbidden;
  }
  return namesLoop(text) && !isReading(line) ? LOOP_FILES_REFUSAL : null;
}

function roleIn(input: HookInput): LoopRole | null {
  return input.agent === null ? null : roleOf(input.agent.type);
}

function isOnlyAot({ commands, dynamic }: CommandLine): boolean {
  return !dynamic && commands.every(({ words, outputs }) => words[0] === "aot" && outputs.length === 0);
}

/** The arguments of each `aot` that may run; sought in the text: no quotes, `sh -c` or empty expansion hide one. */
function aotCommandsIn(text: string): string[] {
  const plain = runnableText(text).replaceAll(/\$(?=["'])|["'\\]/g, "");
  const expanded = plain.replaceAll(/\$\{?IFS\}?/g, " ").replaceAll(EMPTY, "");
  const calls = /(?:^|[^\w.-]|\s-\w+)aot(?:\.c(?:md|js))?[ \t]+([^\n;&|)`]*(?:`\w)?)/gi;
  return [plain, ...(expanded === plain ? [] : [expanded])].flatMap((one) =>
    [...one.matchAll(calls)].map(([, said = ""]) => said.trim().replaceAll(/\s+/g, " ")),
  );
}

/** What a shell takes out of a word: quotes, and arguments that nobody gave. */
const EMPTY = /\$(?:[1-9@*]|\{[1-9@*]\})|\$(?=["'])|["'\\]/g;

/** HOOK-GUARD-2. */
function forbiddenUse(text: string, role: LoopRole | null): string | null {
  for (const command of aotCommandsIn(text)) {
    const word = /(?:^| )--(confirm|clean)\b/.exec(command)?.[1];
    if (word !== undefined) return `only a person may use --${word}`;
    if (OPEN_VERIFY.test(command)) return "a sub-agent's `aot verify` runs this loop's own checks and nothing else";
    if (READ_ONLY.test(command)) continue;
    if (role !== null && ROLE_COMMANDS[role].test(command)) continue;
    return `\`aot ${command.split(" ").slice(0, 2).join(" ")}\` is not for ${role === null ? "a sub-agent" : `the ${role}`}: say in your report what you need`;
  }
  return null;
}

/** The text without commands whose words are only data; all of it where these may reach a program that runs them. */
function runnableText(text: string): string {
  const line = parseShell(text);
  if (line.dynamic || line.fed || line.commands.some((command) => command.piped && !isInert(command))) return text;
  const others = line.commands.filter((command) => !isInert(command));
  return others.map(({ words, outputs }) => [...words, ...outputs].join(" ")).join("\n");
}

function isInert({ words: [program = "", ...words], outputs }: SimpleCommand): boolean {
  if (program === "aot" || isRisky(program, words) || !outputs.every((file) => file === "/dev/null")) return false;
  const isGit = program === "git" && INERT_GIT.has(words[0] ?? "");
  return isGit || READERS.includes(program) || isPrinting(program, words);
}

export function isRisky(program: string, words: readonly string[]): boolean {
  const risky = RISKY_WORDS.get(program.replace(/^[ef]grep$/, "grep"));
  return risky !== undefined && words.some((word) => risky.test(word));
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
  return /\.claude|aot-loop-state|aot-loop[/\\]/i.test(text.replaceAll(EMPTY, ""));
}

/** Whether nothing in it can write the files that it names (HOOK-GUARD-4). */
function isReading({ commands, dynamic, fed }: CommandLine): boolean {
  if (dynamic) return false;
  const apart = !fed && commands.every((command) => !command.piped || isReader(command));
  return commands.every((command) => {
    const named = namesLoop([...command.words, ...command.outputs].join(" "));
    return isReader(command) || (apart && !named);
  });
}

function isReader({ words: [program = "", ...words], outputs }: SimpleCommand): boolean {
  const runs = program === "aot" && OPEN_VERIFY.test(words.join(" "));
  const reads = READERS.includes(program) ? !isRisky(program, words) : isPrinting(program, words);
  return reads && !runs && outputs.every((file) => file === "/dev/null");
}
