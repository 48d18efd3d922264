/** A command's manual page, read off the table. Pure. */
import { argText, GLOBAL_FLAGS } from "./parse-command.ts";
import type { CommandSpec, Example, FlagSpec } from "../../command/spec.ts";

export interface Sheet {
  /** Columns. */
  readonly width: number;
  readonly heading: (text: string) => string;
}

const EFFECTS: Readonly<Record<NonNullable<CommandSpec["effect"]>, string>> = {
  reads: "reads: it changes nothing",
  changes: "changes: it adds something or moves it on",
  discards: "discards: it may give up work, history or a choice",
};
const PROGRAMS: Readonly<Record<NonNullable<CommandSpec["programs"]>, string>> = {
  aligned: "; it runs the programs that the goal was aligned with",
  named: "; it runs the programs that the call names",
};

function effectText({ load, effect, programs }: CommandSpec, width: number): string {
  if (load === undefined || effect === undefined) return "";
  return wrapped(`${EFFECTS[effect]}${programs === undefined ? "" : PROGRAMS[programs]}`, 2, width);
}

const PLAIN: Sheet = { width: 80, heading: (text) => text };

/** @param path words from the program's name to the command */
export function helpText(command: CommandSpec, path: readonly string[], sheet: Sheet = PLAIN): string {
  const { args = [], flags = [], commands = [] } = command;
  const { width } = sheet;
  const section = (title: string, body: string): string[] => (body === "" ? [] : [`${sheet.heading(title)}\n${body}`]);
  const sections = [
    wrapped(`${path.join(" ")}: ${command.summary}`, 0, width),
    ...section("Usage", usageLines(command, path)),
    ...[...(command.description ?? []), ...(command.atTerminal ?? [])].map((paragraph) => wrapped(paragraph, 0, width)),
    ...section(
      "Arguments",
      rows(
        args.map((arg) => [argText(arg), arg.summary]),
        width,
      ),
    ),
    ...groupsOf(command).flatMap(([title, members]) =>
      section(
        title,
        rows(
          members.map((one) => [one.name, one.summary]),
          width,
        ),
      ),
    ),
    ...section("Flags", flagRows(flags, width)),
    ...section("Flags of every command", flagRows(GLOBAL_FLAGS, width)),
    ...section("Effect on the loop", effectText(command, width)),
    ...section("Exit codes", command.load === undefined ? "" : rows(exitRows(command), width)),
    ...section(
      "Examples",
      examplesOf(command)
        .map(({ note, command: line }) => `  # ${note}\n  ${line}`)
        .join("\n"),
    ),
    ...(commands.length === 0 ? [] : [`\`${path.join(" ")} COMMAND --help\` says more of each command.`]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function groupsOf({ commands = [], groups }: CommandSpec): readonly (readonly [string, readonly CommandSpec[]])[] {
  if (groups === undefined) return [["Commands", commands]];
  return groups.map(([title, names]) => [title, names.flatMap((name) => commands.filter((one) => one.name === name))]);
}

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
    lines.push(["", "", name, ...(command.args ?? []).map(argText), ...needed, ...more].join(" ").trimStart());
  }
  if (command.commands !== undefined) lines.push(`${name} COMMAND [flags]`);
  return lines.map((line) => `  ${line}`).join("\n");
}

function flagText(flag: FlagSpec): string {
  return flag.value === undefined ? `--${flag.name}` : `--${flag.name} ${flag.value}`;
}

/** What a flag does, with everything that limits it. */
function flagSummary(flag: FlagSpec): string {
  const parts = [flag.summary];
  if (flag.choices !== undefined) parts.push(`One of ${flag.choices.join(", ")}.`);
  if (flag.repeatable === true) parts.push("May be repeated.");
  if (flag.required === true) parts.push("Required.");
  if (flag.env !== undefined) parts.push(`Environment: ${flag.env}.`);
  if (flag.fallback !== undefined) parts.push(`Default: ${flag.fallback}.`);
  return parts.join(" ");
}

function exitRows(command: CommandSpec): (readonly [string, string])[] {
  const own = (command.exits ?? []).map(([code, meaning]): readonly [string, string] => [String(code), meaning]);
  const common: (readonly [string, string])[] = [
    ["0", "done"],
    ["1", "refused, or it could not be done"],
    ["2", "bad usage or invalid input"],
  ];
  const taken = new Set(own.map(([code]) => code));
  return [...common.filter(([code]) => !taken.has(code)), ...own].sort((a, b) => Number(a[0]) - Number(b[0]));
}

function flagRows(flags: readonly FlagSpec[], width: number): string {
  return rows(
    flags.map((flag) => [flagText(flag), flagSummary(flag)]),
    width,
  );
}

/** The widest left column, and the share of the page that it may take. */
const MOST_LEFT = 28;
const SHARE_LEFT = 0.36;

function rows(pairs: readonly (readonly [string, string])[], width: number): string {
  const most = Math.min(MOST_LEFT, Math.floor(width * SHARE_LEFT));
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
