/**
 * Parses the command line by the command table. Strict: nothing is guessed and nothing is ignored.
 *
 * PARSE-COMMAND-1 an unknown word or flag, a missing or unreadable value, a repetition that means nothing and a word too
 *    many are usage errors, each with what was probably meant;
 * PARSE-COMMAND-2 a result of kind `run` holds every required argument and flag, each of its declared type.
 */
import { parseArgs } from "node:util";
import { nearest as suggestion } from "../../core/nearest.ts";
import { valueComplaint, type Complaint, type Values } from "../../command/values.ts";
import type { ArgumentSpec, CommandSpec, FlagSpec } from "../../command/spec.ts";

export type Parsed =
  | { readonly kind: "run"; readonly command: CommandSpec; readonly path: readonly string[]; readonly values: Values }
  | { readonly kind: "help"; readonly command: CommandSpec; readonly path: readonly string[] }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly path: readonly string[]; readonly message: string; readonly hint: string };

/** Understood by every command, before or after its name. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: "json", summary: "One JSON document on stdout, and nothing else there." },
  {
    name: "state-file",
    value: "PATH",
    env: "AOT_STATE_FILE",
    summary: "The loop's state file.",
    fallback: ".claude/aot-loop-state.md, looked for from here up to the repository's root",
  },
  { name: "help", summary: "Show this help." },
  { name: "version", summary: "Show the version." },
];

type Env = Readonly<Record<string, string | undefined>>;

/** @param root the whole tree; its name is the program's */
export function parseCommand(root: CommandSpec, argv: readonly string[], env: Env): Parsed {
  // Habits of other tools: `aot help run`, `aot version`.
  if (argv[0] === "version" && argv.length === 1) return { kind: "version" };
  if (argv[0] === "help") return parseCommand(root, [...argv.slice(1), "--help"], env);
  const found = findCommand(root, argv);
  if ("kind" in found) return found;
  const { command, path, rest } = found;
  const flags = [...(command.flags ?? []), ...GLOBAL_FLAGS];
  const read = readTokens(rest, flags, (name) => unknownFlag(name, flags, command, path));
  if (read.set.has("help")) return { kind: "help", command, path };
  if (read.set.has("version")) return { kind: "version" };
  const usage = (problem: Complaint): Parsed => ({ kind: "usage", path, ...problem });
  if (command.load === undefined && (command.alone === undefined || read.words.length > 0))
    return usage(read.complaint ?? noSubcommand(command, path, read.words[0]));
  if (read.complaint !== undefined) return usage(read.complaint);
  for (const flag of flags) {
    const fallback = flag.env === undefined ? undefined : env[flag.env];
    if (!read.set.has(flag.name) && fallback !== undefined && fallback !== "") read.set.set(flag.name, [fallback]);
  }
  const complaint = checkFlags(flags, read.set);
  if (complaint !== undefined) return usage(complaint);
  const fixed = (command.args ?? []).filter((arg) => arg.rest !== true).length;
  const takesAll = (command.args ?? []).length > fixed;
  const args = placeWords(command, path, takesAll ? read.words.slice(0, fixed + 1) : read.words);
  if ("message" in args) return usage(args);
  const more = takesAll ? read.words.slice(fixed) : [];
  return { kind: "run", command, path, values: { args, flags: read.set, rest: more } };
}

interface Found {
  readonly command: CommandSpec;
  readonly path: readonly string[];
  /** What is left of the command line. */
  readonly rest: readonly string[];
}

/** Follows the words of the command line down the tree; flags may stand between them. */
function findCommand(root: CommandSpec, argv: readonly string[]): Found | Parsed {
  let command = root;
  const path = [root.name];
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (command.commands === undefined || word === "--") break;
    if (word.startsWith("-") && word !== "-") {
      rest.push(word);
      const next = argv[index + 1];
      if (takesValue(word, command) && next !== undefined) rest.push(argv[++index] ?? "");
      continue;
    }
    const child = command.commands.find((one) => one.name === word);
    if (child !== undefined) {
      command = child;
      path.push(word);
      continue;
    }
    if (command.load !== undefined && (command.args ?? []).length > 0) break;
    const names = command.commands.map((one) => one.name);
    const asked = argv.slice(index).some((later) => later === "--help" || later === "-h");
    if (asked && path.length > 1) return { kind: "help", command, path };
    return {
      kind: "usage",
      path,
      message: `there is no command \`${[...path, word].join(" ")}\``,
      hint: suggestion(word, names, `commands of ${path.join(" ")}: ${names.join(", ")}`),
    };
  }
  return { command, path, rest: [...rest, ...argv.slice(index)] };
}

function takesValue(word: string, command: CommandSpec): boolean {
  return [...(command.flags ?? []), ...GLOBAL_FLAGS].some(
    (flag) => flag.value !== undefined && word === `--${flag.name}`,
  );
}

function noSubcommand(command: CommandSpec, path: readonly string[], word: string | undefined): Complaint {
  const names = (command.commands ?? []).map((one) => one.name);
  const list = `one of ${names.join(", ")}`;
  return word === undefined
    ? { message: `\`${path.join(" ")}\` needs a command`, hint: list }
    : { message: `there is no command \`${[...path, word].join(" ")}\``, hint: suggestion(word, names, list) };
}

interface Tokens {
  readonly set: Map<string, readonly string[]>;
  readonly words: readonly string[];
  readonly complaint?: Complaint;
}

/** @param unknown the complaint about a flag that is not in `flags` */
function readTokens(argv: readonly string[], flags: readonly FlagSpec[], unknown: (name: string) => Complaint): Tokens {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const words: string[] = [];
  const { tokens } = parseArgs({
    args: argv.map((arg) => (arg === "-h" ? "--help" : arg)),
    options: Object.fromEntries(
      flags.map(({ name, value }) => [name, { type: value === undefined ? "boolean" : "string" }] as const),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const set = new Map<string, readonly string[]>();
  let complaint: Complaint | undefined;
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = byName.get(token.name);
    const wrong = flag === undefined ? unknown(token.rawName) : misused(flag, token, set);
    complaint ??= wrong;
    if (flag !== undefined) set.set(flag.name, [...(set.get(flag.name) ?? []), token.value ?? ""]);
  }
  return { set, words, ...(complaint === undefined ? {} : { complaint }) };
}

function unknownFlag(
  rawName: string,
  flags: readonly FlagSpec[],
  command: CommandSpec,
  path: readonly string[],
): Complaint {
  const message = `unknown flag ${rawName}`;
  // `--goal TEXT` where the goal is an argument: the hint shows it without the flag.
  if (command.args?.some(({ name }) => rawName === `--${name}`) === true)
    return { message, hint: writtenAs(command, path) };
  const names = flags.filter(({ unlisted }) => unlisted !== true).map((flag) => `--${flag.name}`);
  return { message, hint: suggestion(rawName, names, `flags: ${names.join(", ")}`) };
}

function writtenAs({ args = [] }: CommandSpec, path: readonly string[]): string {
  return `write \`${[...path, ...args.map(argText)].join(" ")}\``;
}

function misused(
  flag: FlagSpec,
  token: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  set: ReadonlyMap<string, readonly string[]>,
): Complaint | undefined {
  const name = `--${flag.name}`;
  if (set.has(flag.name) && flag.repeatable !== true && flag.value !== undefined)
    return { message: `${name} is given twice`, hint: "give it once" };
  if (flag.value === undefined)
    return token.value === undefined
      ? undefined
      : { message: `${name} takes no value`, hint: `write ${name}, or leave it out` };
  const sample = `${name} ${flag.value}`;
  if (token.value === undefined) return { message: `${name} needs a value`, hint: `write ${sample}` };
  if (token.inlineValue !== true && /^-./.test(token.value))
    return {
      message: `${name} needs a value, and ${token.value} looks like a flag`,
      hint: `write ${sample}, or ${name}=${token.value} if that is the value`,
    };
  return undefined;
}

function checkFlags(flags: readonly FlagSpec[], set: ReadonlyMap<string, readonly string[]>): Complaint | undefined {
  for (const flag of flags) {
    const given = set.get(flag.name);
    if (given === undefined) {
      if (flag.required === true)
        return { message: `--${flag.name} is missing`, hint: `write --${flag.name} ${flag.value}: ${flag.summary}` };
      continue;
    }
    for (const value of given) {
      const complaint = valueComplaint(flag, `--${flag.name}`, value);
      if (complaint !== undefined) return complaint;
    }
  }
  return undefined;
}

function placeWords(
  command: CommandSpec,
  path: readonly string[],
  words: readonly string[],
): ReadonlyMap<string, string> | Complaint {
  const args = command.args ?? [];
  const placed = new Map<string, string>();
  for (const [index, arg] of args.entries()) {
    const word = words[index];
    if (word === undefined) {
      if (arg.optional === true) continue;
      return { message: `${arg.name} is missing`, hint: writtenAs(command, path) };
    }
    const complaint = valueComplaint(arg, arg.name, word);
    if (complaint !== undefined) return complaint;
    placed.set(arg.name, word);
  }
  const extra = words[args.length];
  if (extra === undefined) return placed;
  const names = (command.commands ?? []).map((one) => one.name);
  return {
    message: `unexpected argument ${JSON.stringify(extra)}`,
    hint:
      args.length === 0
        ? suggestion(extra, names, `\`${path.join(" ")}\` takes no arguments`)
        : /\s/.test(extra)
          ? writtenAs(command, path)
          : "put quotes around a text of several words",
  };
}

export function argText(arg: ArgumentSpec): string {
  const name = `${arg.choices === undefined ? arg.name.toUpperCase() : arg.choices.join("|")}${arg.rest === true ? "..." : ""}`;
  return arg.optional === true ? `[${name}]` : name;
}
