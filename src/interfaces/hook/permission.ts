/**
 * What the loop's agents may do without asking a person (SPEC section 10). PermissionRequest fires only where a person
 * would be asked; what is not known here is left to the person.
 *
 * PERMISSION-1 nothing is allowed that leads out of the project, even by a link, or to what configures git or a client;
 * PERMISSION-2 a program is known only with its words, which say what it runs and where it writes. A command line that
 *    a shell may read otherwise than `parseShell` is not known;
 * PERMISSION-3 probes and verifiers change nothing.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import { realPath } from "../../host/real-path.ts";
import { asText, roleOf, type HookInput } from "./hook-input.ts";
import { isPrinting, isRisky, READERS, SHELL_TOOLS } from "./guard.ts";
import { placeOf, type GuardScope } from "./places.ts";
import { parseShell, type SimpleCommand } from "./shell-words.ts";

const READING_TOOLS = new Set(["Read", "Glob", "Grep"]);
const CHANGING_TOOLS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

const READING_GIT_COMMANDS = new Set("status diff log show blame grep ls-files rev-parse".split(" "));
/** Programs that do what the client's file tools do. */
const FILE_PROGRAMS = ["mkdir", "touch", "cp", "mv"];

/** Where an agent stands, and what it may do there. */
interface Permit {
  readonly cwd: string;
  readonly scope: GuardScope;
  /** Command lines of the base case, to which a person agreed; null: the agent may change nothing. */
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
  const permit = { cwd: input.cwd ?? scope.project, scope, agreed: isReadingRole(input) ? null : agreed };
  return isHarmless(input, permit) ? { allow: true } : null;
}

function isReadingRole({ agent }: HookInput): boolean {
  const role = roleOf(agent?.type ?? "");
  return role === "probe" || role === "verifier";
}

/** PERMISSION-3: whether a person is asked even where the client's settings allow the call. */
export function isToBeAsked(input: HookInput, scope: GuardScope): boolean {
  return isReadingRole(input) && SHELL_TOOLS.has(input.tool) && permissionFor(input, scope, []) === null;
}

/** What only tells, with words that no shell reads otherwise. */
const LOOK = /^aot (?:(?:status|logs|graph|state (?:show|validate))(?: [\w./:=-]+)*|(?:[a-z-]+ ){0,2}--help)$/;

/** A look at a loop by a session's main thread: it need not be asked about, whichever turn it comes in. */
export function isLook({ event, agent, tool, toolInput }: HookInput): boolean {
  return event === "PermissionRequest" && agent === null && tool === "Bash" && LOOK.test(asText(toolInput["command"]));
}

function isHarmless({ tool, toolInput }: HookInput, permit: Permit): boolean {
  if (READING_TOOLS.has(tool) || (permit.agreed !== null && CHANGING_TOOLS.has(tool))) {
    const names = ["file_path", "notebook_path", "path", ...(tool === "Glob" ? ["pattern"] : [])];
    // Its `pattern` matches nothing behind a link.
    const paths = names.map((name) =>
      asText(toolInput[name]).replace(name === "pattern" ? /[^/]*[*?[][^/]*$/ : "", ""),
    );
    return paths.every((path) => stays(path || ".", permit));
  }
  return tool === "Bash" && stays(".", permit) && isHarmlessLine(asText(toolInput["command"]).trim(), permit);
}

function isHarmlessLine(text: string, permit: Permit): boolean {
  if (permit.agreed?.some((line) => line.trim() === text) === true) return true;
  const { commands, dynamic } = parseShell(text);
  if (dynamic || commands.length === 0) return false;
  if (commands.every(({ words, outputs }) => words[0] === "aot" && outputs.length === 0)) return true;
  return isPlain(text, commands) && commands.every((command) => isKnown(command, permit));
}

/** PERMISSION-2: no joined lines and no input from files, which `parseShell` does not keep. */
function isPlain(text: string, commands: readonly SimpleCommand[]): boolean {
  const known = commands.flatMap(({ words, outputs }) => [...words, ...outputs]).join("");
  return !/\\\n|\r/.test(text) && text.split("<").length === known.split("<").length;
}

function isKnown({ words, outputs }: SimpleCommand, permit: Permit): boolean {
  const [program = "", ...rest] = words;
  const { agreed, cwd } = permit;
  const written = outputs.filter((file) => file !== "/dev/null");
  if (written.length > 0 && (agreed === null || !written.every((file) => !isGlob(file) && stays(file, permit))))
    return false;
  if (agreed?.some((line) => JSON.stringify(soleCommand(line)) === JSON.stringify(words)) === true) return true;
  if (!rest.every((word) => stays(valueIn(word), permit))) return false;
  if (program === "cd") return rest.length === 1 && realPath(resolve(cwd, rest[0] ?? "")) === realPath(cwd);
  if (isRisky(program, rest) || (program === "diff" && rest.some((word) => isFolder(valueIn(word), permit))))
    return false;
  if (program === "git") return READING_GIT_COMMANDS.has(rest[0] ?? "");
  if (READERS.includes(program) || program === "find" || isPrinting(program, rest)) return true;
  return agreed !== null && isMaking(program, rest, permit);
}

function isMaking(program: string, rest: readonly string[], permit: Permit): boolean {
  const isRefused = (word: string): boolean =>
    isGlob(word) || (word.startsWith("-") && `${program} ${word}` !== "mkdir -p");
  if (!FILE_PROGRAMS.includes(program) || rest.some(isRefused)) return false;
  // If the target folder holds a link of the same name, the copy is written through it.
  return rest.every((word) => stays(`${rest.at(-1)}/${basename(word)}`, permit));
}

/** The words of a line that is one command; null: it is more. */
function soleCommand(line: string): readonly string[] | null {
  const { commands, dynamic, fed } = parseShell(line);
  const [command] = commands;
  const isSole = commands.length === 1 && !dynamic && !fed && command?.outputs.length === 0;
  return isSole && isPlain(line, commands) ? command.words : null;
}

/** What may be a path in a word. In a flag without `=` one may begin anywhere: `~`, never inside, stands for it. */
function valueIn(word: string): string {
  if (!word.startsWith("-")) return word;
  const value = /^-[^=]*=(.*)$/s.exec(word)?.[1];
  return value ?? (/[/~]/.test(word) ? "~" : "");
}

function isGlob(word: string): boolean {
  return /[*?[]/.test(word);
}

/** `diff` follows the links in a folder. */
function isFolder(path: string, { cwd }: Permit): boolean {
  return isGlob(path) || statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * PERMISSION-1. A glob in a folder's name may match a link to anywhere, so only the last part may hold one. The system
 * follows a link before it goes up by `..`, a client after.
 */
function stays(path: string, { cwd, scope }: Permit): boolean {
  const whole = isAbsolute(path) ? path : `${cwd}/${path}`;
  const [, folder = "", last = ""] = /^(.*\/)(.*)$/s.exec(whole) ?? [];
  if (/^~|^=\w/.test(path) || isGlob(path.slice(0, -last.length || undefined))) return false;
  const named = isGlob(last) ? [folder, ...matched(folder, last)] : [whole];
  return named.every((one) => [one, realPath(one)].every((place) => placeOf(place, cwd, scope) === "project"));
}

/** The links and hidden files that a glob may match: all that begin and end as it does. */
function matched(folder: string, glob: string): string[] {
  const [start = "", end = ""] = [/^[^*?[]*/.exec(glob)?.[0], /[^*?\]]*$/.exec(glob)?.[0]];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const { name } = entry;
      const fits = name.startsWith(start) && name.endsWith(end) && (start.startsWith(".") || !name.startsWith("."));
      return fits && (entry.isSymbolicLink() || name.startsWith(".")) ? [`${folder}${name}`] : [];
    });
  } catch {
    return [];
  }
}
