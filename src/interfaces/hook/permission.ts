/**
 * What the loop's agents need not ask a person for (SPEC section 10): PermissionRequest, which fires only where a person
 * would be asked. The client asks for all that is not known here.
 *
 * PERMISSION-1 nothing is allowed that leads out of the project, by a link too, or to what steers git or a client;
 * PERMISSION-2 a program is known with its words: what it runs, and where it writes, stands in them. A command line that
 *    a shell may read otherwise than `parseShell` is not known;
 * PERMISSION-3 probes and verifiers change nothing.
 */
import { basename, join, resolve } from "node:path";
import { realPath } from "../../host/real-path.ts";
import { asText, roleOf, type HookInput } from "./hook-input.ts";
import { isPrinting, READERS, SHELLS } from "./guard.ts";
import { placeOf, type GuardScope } from "./places.ts";
import { parseShell, type SimpleCommand } from "./shell-words.ts";

const LOOKING_TOOLS = new Set(["Read", "Glob", "Grep"]);
const CHANGING_TOOLS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** Words with which a program does more than read. */
const MORE_THAN_READING = new Map([
  ["file", /^-\w*C|^--c/],
  ["find", /^-(?:exec|ok|delete|fprint|fls)/],
  ["git", /^-O|^--(?:ou|op|ext|textc)/],
  ["less", /^/],
  ["more", /^/],
  ["rg", /^--(?:pre|hostname)/],
]);
const LOOKING_GIT = new Set("status diff log show blame grep ls-files rev-parse".split(" "));
/** As much as the file tools may; each with the only flags that it may have. */
const MAKERS = new Map([
  ["mkdir", /^-p$/],
  ["touch", /^$/],
  ["cp", /^$/],
  ["mv", /^$/],
]);

/** Where an agent stands, and what it may do there. */
interface Leave {
  readonly cwd: string;
  readonly scope: GuardScope;
  /** Command lines of the base case; null: it changes nothing. */
  readonly agreed: readonly string[] | null;
}

/**
 * Asked after `guard`, which refuses what the agent's role may not do with `aot`.
 * @param agreed command lines of the base case: a person has agreed that they are run
 * @returns null: nothing is decided, so that the client asks
 */
export function permissionFor(
  input: HookInput,
  scope: GuardScope,
  agreed: readonly string[],
): { readonly allow: true } | null {
  const reads = isReadingRole(input);
  return isHarmless(input, { cwd: input.cwd ?? scope.project, scope, agreed: reads ? null : agreed })
    ? { allow: true }
    : null;
}

function isReadingRole({ agent }: HookInput): boolean {
  const role = roleOf(agent?.type ?? "");
  return role === "probe" || role === "verifier";
}

/** PERMISSION-3: a person is asked whatever the client would allow. */
export function isToBeAsked(input: HookInput, scope: GuardScope): boolean {
  const leave = { cwd: input.cwd ?? scope.project, scope, agreed: null };
  return isReadingRole(input) && SHELLS.has(input.tool) && !isHarmless(input, leave);
}

function isHarmless({ tool, toolInput }: HookInput, leave: Leave): boolean {
  if (LOOKING_TOOLS.has(tool) || (leave.agreed !== null && CHANGING_TOOLS.has(tool))) {
    const names = ["file_path", "notebook_path", "path", ...(tool === "Glob" ? ["pattern"] : [])];
    return names.every((name) => stays(asText(toolInput[name]) || ".", leave));
  }
  return tool === "Bash" && stays(".", leave) && isHarmlessLine(asText(toolInput["command"]).trim(), leave);
}

function isHarmlessLine(text: string, leave: Leave): boolean {
  if (leave.agreed?.some((line) => line.trim() === text) === true) return true;
  const { commands, dynamic } = parseShell(text);
  if (dynamic || commands.length === 0) return false;
  if (commands.every(({ words, outputs }) => words[0] === "aot" && outputs.length === 0)) return true;
  return isPlain(text, commands) && commands.every((command) => isKnown(command, leave));
}

/** PERMISSION-2: without lines that are joined, escapes in `$'...'`, and input from files. */
function isPlain(text: string, commands: readonly SimpleCommand[]): boolean {
  const known = commands.flatMap(({ words, outputs }) => [...words, ...outputs]).join("");
  return !/\\\n|\r|\$'/.test(text) && text.split("<").length === known.split("<").length;
}

function isKnown({ words, outputs }: SimpleCommand, leave: Leave): boolean {
  const [program = "", ...rest] = words;
  const { agreed, cwd } = leave;
  const written = outputs.filter((file) => file !== "/dev/null");
  if (written.length > 0 && (agreed === null || !written.every((file) => !isGlob(file) && stays(file, leave))))
    return false;
  if (agreed?.some((line) => isSame(soleCommand(line), words)) === true) return true;
  if (!rest.every((word) => stays(valueIn(word), leave))) return false;
  if (program === "cd") return rest.length === 1 && realPath(resolve(cwd, rest[0] ?? "")) === realPath(cwd);
  const more = MORE_THAN_READING.get(program);
  if (more !== undefined && rest.some((word) => more.test(word))) return false;
  if (program === "git") return LOOKING_GIT.has(rest[0] ?? "");
  if (READERS.has(program) || program === "find" || isPrinting(program, rest)) return true;
  return agreed !== null && isMaking(program, rest, leave);
}

function isMaking(program: string, rest: readonly string[], leave: Leave): boolean {
  const flags = MAKERS.get(program);
  if (flags === undefined || rest.some((word) => isGlob(word) || (word.startsWith("-") && !flags.test(word))))
    return false;
  // A copy is written through a link that bears its name in the folder.
  return rest.every((word) => stays(join(rest.at(-1) ?? "", basename(word)), leave));
}

/** The words of a line that is one command; null: it is more. */
function soleCommand(line: string): readonly string[] | null {
  const { commands, dynamic, fed } = parseShell(line);
  const [command] = commands;
  const isSole = commands.length === 1 && !dynamic && !fed && command?.outputs.length === 0;
  return isSole && isPlain(line, commands) ? command.words : null;
}

function isSame(one: readonly string[] | null, other: readonly string[]): boolean {
  return one !== null && one.length === other.length && one.every((word, at) => word === other[at]);
}

/** What of a word may be a path: a flag's value. One without `=` begins nobody knows where. */
function valueIn(word: string): string {
  if (!word.startsWith("-")) return word;
  const value = /^-[^=]*=(.*)$/s.exec(word)?.[1];
  return value ?? (/[/~]/.test(word) ? "~" : "");
}

function isGlob(word: string): boolean {
  return /[*?[]/.test(word);
}

/** PERMISSION-1. Behind a folder that a glob names there may be a link. */
function stays(path: string, { cwd, scope }: Leave): boolean {
  const parts = path.split("/");
  const first = parts.findIndex(isGlob);
  if (first !== -1 && first !== parts.length - 1) return false;
  const fixed = first === -1 ? path : parts.slice(0, first).join("/") || (path.startsWith("/") ? "/" : ".");
  return !path.startsWith("~") && placeOf(fixed, cwd, scope) === "project";
}
