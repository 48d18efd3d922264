/** A command's manual page, made from its row of the command table. Pure. */
import { argText, GLOBAL_FLAGS } from "./parse-command.ts";
import { grouped, type CommandSpec, type Example, type FlagSpec } from "../../command/spec.ts";

export interface Sheet {
  /** In columns. */
  readonly width: number;
  readonly heading: (text: string) => string;
}

const EFFECTS: Readonly<Record<NonNullable<CommandSpec["effect"]>, string>> = {
  reads: "it only reads",
  changes: "it adds something or moves it on",
  discards: "it may discard work, history or choices",
};
const PROGRAMS: Readonly<Record<NonNullable<CommandSpec["programs"]>, string>> = {
  aligned: "; it runs what the goal was aligned with",
  named: "; it runs what the call names",
};

const COMMON_EXITS: NonNullable<CommandSpec["exits"]> = [
  [0, "done"],
  [1, "refused, or it could not be done"],
  [2, "bad usage or invalid input"],
];
const SHEET: Sheet = { width: 80, heading: (text) => text };

/** @param path words from the program's name to the command */
export function helpText(command: CommandSpec, path: readonly string[], { width, heading }: Sheet = SHEET): string {
  const { description = [], atTerminal = [], args = [], commands = [], sample } = command;
  const flags = (command.flags ?? []).filter(({ unlisted }) => unlisted !== true);
  const table = (pairs: readonly (readonly [string, string])[]): string => rows(pairs, width);
  const section = (title: string, ...bodies: readonly string[]): string[] => {
    const body = bodies.filter((part) => part !== "").join("\n");
    return body === "" ? [] : [`${heading(title)}\n${body}`];
  };
  const words = (text: string): string => wrapped(text, 0, width);
  const common = `Flags of every command: ${GLOBAL_FLAGS.map(flagText).join(", ")}.`;
  const every = path.length === 1 ? grouped("Flags of every command", GLOBAL_FLAGS) : [];
  const titles = new Set([...flags, ...every].map(groupOf));
  const sections = [
    words(`${path.join(" ")}: ${command.summary}`),
    ...section("Usage", usageLines(command, path), table(args.map((arg) => [argText(arg), arg.summary]))),
    ...[...description, ...atTerminal].map(words),
    ...groupsOf(command).flatMap(([title, members]) =>
      section(title, table(members.map((one) => [one.name, one.summary]))),
    ),
    [...titles]
      .flatMap((title) =>
        section(
          title,
          table(
            [...flags, ...every]
              .filter((one) => groupOf(one) === title)
              .map((flag) => [flagText(flag), flagSummary(flag)]),
          ),
        ),
      )
      .join("\n"),
    [...(path.length === 1 ? [] : [common]), ...answers(command)].map(words).join("\n"),
    ...section("Examples", ...examplesOf(command).map(({ note, command: line }) => `  # ${note}\n  ${line}`)),
    ...(sample === undefined ? [] : section(sample.title, sample.text.trimEnd())),
    ...(commands.length === 0 ? [] : [`\`${path.join(" ")} COMMAND --help\` says more of each command.`]),
  ];
  return `${sections.filter((one) => one !== "").join("\n\n")}\n`;
}

function groupOf({ group = "Flags" }: FlagSpec): string {
  return group;
}

function groupsOf({ commands = [], groups }: CommandSpec): readonly (readonly [string, readonly CommandSpec[]])[] {
  if (groups === undefined) return [["Commands", commands]];
  return groups.map(([title, names]) => [title, names.flatMap((name) => commands.filter((one) => one.name === name))]);
}

/** Examples that a group without its own shows of its commands. */
const MOST_BORROWED = 6;

function examplesOf(command: CommandSpec): readonly Example[] {
  if (command.examples !== undefined) return command.examples;
  return (command.commands ?? []).flatMap((child) => examplesOf(child).slice(0, 1)).slice(0, MOST_BORROWED);
}

/** Each way to call the command, one per line. */
function usageLines(command: CommandSpec, path: readonly string[]): string {
  const name = path.join(" ");
  const lines: string[] = [];
  if (command.load !== undefined) {
    const flags = command.flags ?? [];
    const needed = flags.filter((flag) => flag.required === true).map(flagText);
    const more = flags.some((flag) => flag.required !== true) ? ["[flags]"] : [];
    lines.push([name, ...(command.args ?? []).map(argText), ...needed, ...more].join(" "));
  }
  if (command.commands !== undefined) lines.push(`${name} COMMAND [flags]`);
  return lines.map((line) => `  ${line}`).join("\n");
}

function flagText(flag: FlagSpec): string {
  if (flag.value === undefined) return `--${flag.name}`;
  return `--${flag.name} ${flag.value}${flag.repeatable === true ? "..." : ""}`;
}

/** What a flag does, with its choices, environment variable and default. */
function flagSummary(flag: FlagSpec): string {
  const parts = [flag.summary];
  if (flag.choices?.every((choice) => flag.summary.includes(choice)) === false)
    parts.push(`One of ${flag.choices.join(", ")}.`);
  if (flag.required === true) parts.push("Required.");
  if (flag.env !== undefined) parts.push(`Environment: ${flag.env}.`);
  if (flag.fallback !== undefined) parts.push(`Default: ${flag.fallback}.`);
  return parts.join(" ");
}

function answers({ load, effect, programs, exits = [] }: CommandSpec): readonly string[] {
  if (load === undefined || effect === undefined) return [];
  const codes = new Map([...COMMON_EXITS, ...exits]);
  const said = [...codes].sort(([one], [other]) => one - other).map(([code, meaning]) => `${code} ${meaning}`);
  return [
    `Effect: ${EFFECTS[effect]}${programs === undefined ? "" : PROGRAMS[programs]}.`,
    `Exit codes: ${said.join("; ")}.`,
  ];
}

/** The widest left column, in columns and as a share of the page. */
const MOST_LEFT_COLUMNS = 28;
const MOST_LEFT_SHARE = 0.36;

function rows(pairs: readonly (readonly [string, string])[], width: number): string {
  const most = Math.min(MOST_LEFT_COLUMNS, Math.floor(width * MOST_LEFT_SHARE));
  const column = Math.min(most, Math.max(0, ...pairs.map(([left]) => left.length)) + 2);
  return pairs
    .map(([left, right]) => {
      const text = wrapped(right, column + 2, width).trimStart();
      return left.length + 2 > column
        ? `  ${left}\n${" ".repeat(column + 2)}${text}`
        : `  ${left.padEnd(column)}${text}`;
    })
    .join("\n");
}

function wrapped(text: string, indent: number, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each) => " ".repeat(indent) + each).join("\n");
}
