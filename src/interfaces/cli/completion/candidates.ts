/**
 * Completions for the end of a command line, from the command table. Pure.
 *
 * CANDIDATES-1 only what the parser would take there: commands, flags that are not given yet, known values;
 * CANDIDATES-2 a candidate that the shell would take apart (blanks, quotes, control characters) is left out.
 */
import { WITH_MODEL } from "../../../loop/agent-kinds.ts";
import { SETTING_NAMES, SETTINGS } from "../../../project/config-schema.ts";
import type { ArgumentSpec, CommandSpec, FlagSpec } from "../../../command/spec.ts";
import { GLOBAL_FLAGS } from "../parse-command.ts";

export interface Candidate {
  readonly value: string;
  readonly summary: string;
}

/** `files`: any path, which the shell itself completes. */
export type Completion = { readonly kind: "words"; readonly words: readonly Candidate[] } | { readonly kind: "files" };

/** Names in a loop, read only when one is to be completed. */
export interface LoopNames {
  atoms(): Promise<readonly Candidate[]>;
  groups(): Promise<readonly Candidate[]>;
}

interface TypedWords {
  readonly command: CommandSpec;
  /** Positional words after the command's name. */
  readonly words: readonly string[];
  readonly given: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly open: FlagSpec | null;
  /** `--` was typed: no flag can follow. */
  readonly ended: boolean;
}

/** @param typed the words after the program's name; the last one is not finished, and may be empty */
export async function candidatesFor(
  root: CommandSpec,
  typed: readonly string[],
  names: LoopNames,
): Promise<Completion> {
  const { words, inline } = joined(typed);
  const last = words.at(-1) ?? "";
  const place = placeOf(root, words.slice(0, -1));
  const found = await whatFits(place, last, names);
  if (found.kind === "files") return found;
  // To a shell that splits `--flag=value`, the value alone is the word to complete.
  const start = inline && last.startsWith("-") ? last.slice(0, last.indexOf("=") + 1) : "";
  const fitting = found.words.filter(({ value }) => value.startsWith(last) && isPlain(value));
  return { kind: "words", words: fitting.map((one) => ({ ...one, value: one.value.slice(start.length) })) };
}

async function whatFits(place: TypedWords, last: string, names: LoopNames): Promise<Completion> {
  const { command, open, ended } = place;
  if (open !== null) return await valuesOf(open, names);
  if (last.startsWith("-") && !ended) {
    const equals = last.indexOf("=");
    if (equals < 0) return { kind: "words", words: flagsLeft(place) };
    const flag = flagsOf(command).find(
      ({ name, value }) => value !== undefined && `--${name}` === last.slice(0, equals),
    );
    if (flag === undefined) return { kind: "words", words: [] };
    const values = await valuesOf(flag, names);
    if (values.kind === "files") return values;
    return { kind: "words", words: values.words.map((one) => ({ ...one, value: `--${flag.name}=${one.value}` })) };
  }
  const children = place.words.length > 0 || ended ? [] : (command.commands ?? []);
  const args = command.args ?? [];
  const arg = args[place.words.length] ?? args.find(({ rest }) => rest === true);
  const values: Completion = arg === undefined ? { kind: "words", words: [] } : await valuesOf(arg, names);
  if (values.kind === "files" && children.length === 0) return values;
  const commands = children.map(({ name, summary }) => ({ value: name, summary }));
  return { kind: "words", words: [...commands, ...(values.kind === "files" ? [] : values.words)] };
}

/** Walks down the command table as the parser does. */
function placeOf(root: CommandSpec, before: readonly string[]): TypedWords {
  let command = root;
  const words: string[] = [];
  const given = new Set<string>();
  let open: FlagSpec | null = null;
  let ended = false;
  for (const word of before) {
    if (open !== null) open = null;
    else if (ended) words.push(word);
    else if (word === "--") ended = true;
    else if (word.startsWith("-") && word !== "-") {
      const [name = ""] = word.replace(/^--?/, "").split("=");
      given.add(name);
      const flag = flagsOf(command).find((one) => one.name === name);
      open = flag !== undefined && flag.value !== undefined && !word.includes("=") ? flag : null;
    } else {
      const child = words.length > 0 ? undefined : command.commands?.find(({ name }) => name === word);
      if (child === undefined) words.push(word);
      else command = child;
    }
  }
  return { command, words, given, open, ended };
}

function flagsOf(command: CommandSpec): readonly FlagSpec[] {
  return [...(command.flags ?? []), ...GLOBAL_FLAGS];
}

function flagsLeft({ command, given }: TypedWords): readonly Candidate[] {
  return flagsOf(command)
    .filter(({ name, repeatable }) => repeatable === true || !given.has(name))
    .map(({ name, summary }) => ({ value: `--${name}`, summary }));
}

// Names of arguments and flags, by what their values are.
const AGENT_NAMES = /^(agent|judge)$/;
const ATOM_NAMES = /^(id|atom|depends-on)$/;
const PATH_NAMES = /^(file|path|state-file|from|output|report|scores|record|definition)$/;

async function valuesOf(spec: ArgumentSpec | FlagSpec, names: LoopNames): Promise<Completion> {
  const { name, choices } = spec;
  const words = (list: readonly Candidate[]): Completion => ({ kind: "words", words: list });
  if (choices !== undefined) return words(choices.map((value) => ({ value, summary: "" })));
  if (AGENT_NAMES.test(name)) return words(WITH_MODEL.map((value) => ({ value, summary: "" })));
  if (ATOM_NAMES.test(name)) return words(await names.atoms());
  if (name === "set") return words(SETTING_NAMES.map((key) => ({ value: `${key}=`, summary: SETTINGS[key].doc })));
  if (/^(or-)?group$/.test(name)) return words(await names.groups());
  return PATH_NAMES.test(name) ? { kind: "files" } : words([]);
}

/** Puts together `--format=s`, which bash hands over as three words. */
function joined(typed: readonly string[]): { readonly words: readonly string[]; readonly inline: boolean } {
  const at = typed.lastIndexOf("=");
  const flag = typed[at - 1];
  if (at < 1 || flag === undefined || !flag.startsWith("--") || at < typed.length - 2)
    return { words: typed, inline: false };
  return { words: [...typed.slice(0, at - 1), `${flag}=${typed[at + 1] ?? ""}`], inline: true };
}

/** Whether the shell takes it as one word (CANDIDATES-2). */
function isPlain(value: string): boolean {
  return /^[\p{L}\p{N}\p{M}_.@%+=,/-]+$/u.test(value);
}
