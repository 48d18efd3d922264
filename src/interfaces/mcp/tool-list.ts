/**
 * The tools that a model sees, read off the command table (SPEC section 10): one for each command that can be run. Pure.
 *
 * TOOL-LIST-1 a tool takes what its command takes, but for what is only for a person at a terminal;
 * TOOL-LIST-2 a command that does not say what it does is announced as one that may destroy.
 */
import type { Tool } from "@modelcontextprotocol/server";
import type { Answers, ArgumentSpec, CommandSpec, FlagSpec } from "../../command/spec.ts";

export interface CommandTool {
  readonly command: CommandSpec;
  /** The words of the command line behind the program's name. */
  readonly path: readonly string[];
  readonly tool: Tool;
}

/** Every tool takes it. */
const FILE_SUMMARY = "Another state file than the project's usual one.";
const STATE_FILE: FlagSpec = { name: "state-file", value: "FILE", summary: FILE_SUMMARY };

/** What a lasting command takes beside its own flags: whether it is waited for. */
export const WAIT: FlagSpec = {
  name: "wait",
  summary:
    "Answer when the loop has come to rest, however long that takes (with progress; cancelling the call stops the run). Without it the run is started and goes on by itself: the answer says which tools show it, wait for it and end it.",
};

/** For commands that only read: their answers may hold long lists. */
export const PAGE: FlagSpec = { name: "page", value: "N", type: "integer", min: 1, summary: "Page of a long answer." };

/** @param program the first word of every name */
export function toolsOf(commands: readonly CommandSpec[], program: string): readonly CommandTool[] {
  const found = commands.flatMap((command) => runnable(command, [command.name]));
  const words = vocabularyOf(found, program);
  return found.map(({ command, path }) => ({
    command,
    path,
    tool: {
      name: toolName(program, path),
      title: [program, ...path].join(" "),
      description: words([command.summary, ...(command.description ?? [])].join(" ")),
      inputSchema: schemaOf(command, words),
      outputSchema: outputSchemaOf(command.answers),
      annotations: annotationsOf(command),
    },
  }));
}

/** What a caller of the tool can set, in the order of the command line. TOOL-LIST-1. */
export function flagsOf(command: CommandSpec): readonly FlagSpec[] {
  const own = (command.flags ?? []).filter((flag) => flag.unattended === undefined);
  const mode = command.lasting === true ? [WAIT] : command.effect === "reads" ? [PAGE] : [];
  return [...own, ...mode, STATE_FILE];
}

export function keyOf(spec: ArgumentSpec | FlagSpec): string {
  return spec.name.replaceAll("-", "_");
}

function toolName(program: string, path: readonly string[]): string {
  return [program, ...path].join("_").replaceAll("-", "_");
}

interface Runnable {
  readonly command: CommandSpec;
  readonly path: readonly string[];
}

function runnable(command: CommandSpec, path: readonly string[]): Runnable[] {
  const own = command.load === undefined || command.unattended === "absent" ? [] : [{ command, path }];
  return [...own, ...(command.commands ?? []).flatMap((child) => runnable(child, [...path, child.name]))];
}

function schemaOf(command: CommandSpec, words: (text: string) => string): Tool["inputSchema"] {
  const args = command.args ?? [];
  const flags = flagsOf(command);
  const required = [
    ...args.filter((arg) => arg.optional !== true),
    ...flags.filter((flag) => flag.required === true),
  ].map(keyOf);
  return {
    type: "object",
    properties: Object.fromEntries([
      ...args.map((arg) => [keyOf(arg), argumentSchema(arg, words)]),
      ...flags.map((flag) => [keyOf(flag), flagSchema(flag, words)]),
    ]),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Must fit refusals too: clients validate every answer against it. */
function outputSchemaOf(answers: Answers = {}): NonNullable<Tool["outputSchema"]> {
  const typed = ([key, types]: [string, Answers[string]]): [string, object] => [
    key,
    { type: types.length === 1 ? types[0] : types },
  ];
  return {
    type: "object",
    properties: {
      success: { type: "boolean" },
      errors: { type: "array" },
      ...Object.fromEntries(Object.entries(answers).map(typed)),
    },
  };
}

function argumentSchema(arg: ArgumentSpec, words: (text: string) => string): { [key: string]: string | string[] } {
  return {
    type: "string",
    description: words(arg.summary),
    ...(arg.choices === undefined ? {} : { enum: [...arg.choices] }),
  };
}

function flagSchema(flag: FlagSpec, words: (text: string) => string): { [key: string]: string | number | object } {
  const fallback = flag.fallback === undefined ? "" : ` Default: ${flag.fallback}.`;
  // The schema says that it is a list; the description says how one item is written.
  const form = /\W/.test(flag.value ?? "") ? ` Form: ${flag.value}.` : "";
  const summary = form === "" ? flag.summary.replace(", separated by commas", "") : flag.summary;
  const description = words(`${summary}${form}${fallback}`);
  const value = {
    type: flag.type ?? (flag.value === undefined ? "boolean" : "string"),
    ...(flag.choices === undefined ? {} : { enum: [...flag.choices] }),
    ...(flag.min === undefined ? {} : { minimum: flag.min }),
  };
  return flag.repeatable === true
    ? { type: "array", items: value, ...(flag.required === true ? { minItems: 1 } : {}), description }
    : { ...value, description };
}

function annotationsOf({ effect, programs, settles }: CommandSpec): NonNullable<Tool["annotations"]> {
  const readOnlyHint = effect === "reads" && programs === undefined;
  return {
    readOnlyHint,
    // TOOL-LIST-2. A program that the caller names can do anything.
    destructiveHint: !(effect === "reads" || effect === "changes") || programs === "named",
    idempotentHint: readOnlyHint || settles === true,
    openWorldHint: programs !== undefined,
  };
}

/**
 * Texts of the table speak of command lines; a model calls tools with arguments.
 * @returns the same with what is quoted as another command left alone: nobody can call that as a tool
 */
export function hintsFor(tools: readonly CommandTool[], program: string): (text: string) => string {
  const words = vocabularyOf(tools, program);
  return (text) =>
    text.replace(/`[^`]*`|[^`]+/g, (part) => {
      const said = words(part);
      return said.startsWith(`\`${program} `) ? part : said;
    });
}

function vocabularyOf(found: readonly Runnable[], program: string): (text: string) => string {
  // The longest first: `verify command` is before `verify`.
  const lines = found.map(({ path }) => path.join(" ")).toSorted((a, b) => b.length - a.length);
  const line = new RegExp(`\\b${program} (${lines.join("|")})\\b`, "g");
  return (text) =>
    text
      .replace(/ \(--json\)| --detach|, in quotes/g, "")
      .replace(line, (_, words: string) => toolName(program, words.split(" ")))
      .replace(/(?<![\w-])--([a-z][a-z-]*)/g, (_, name: string) => name.replaceAll("-", "_"));
}
