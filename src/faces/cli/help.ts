/** A command's manual page, read off the table. Pure. */
import { argText, GLOBAL_FLAGS } from "./parse-command.ts";
import type { CommandSpec, FlagSpec } from "../../commands/spec.ts";

const WIDTH = 90;

/** @param path words from the program's name to the command */
export function helpText(command: CommandSpec, path: readonly string[]): string {
  const name = path.join(" ");
  const sections: string[] = [`${name}: ${command.summary}`, section("Usage", usageLines(command, path))];
  for (const paragraph of [...(command.description ?? []), ...(command.atTerminal ?? [])])
    sections.push(wrapped(paragraph, 0));
  if ((command.args ?? []).length > 0)
    sections.push(section("Arguments", rows((command.args ?? []).map((arg) => [argText(arg), arg.summary]))));
  if ((command.commands ?? []).length > 0)
    sections.push(section("Commands", rows((command.commands ?? []).map((one) => [one.name, one.summary]))));
  if ((command.flags ?? []).length > 0) sections.push(section("Flags", flagRows(command.flags ?? [])));
  sections.push(section("Flags of every command", flagRows(GLOBAL_FLAGS)));
  if (command.load !== undefined) sections.push(section("Exit codes", rows(exitRows(command))));
  const examples = (command.examples ?? []).map((one) => `  # ${one.note}\n  ${one.command}`);
  if (examples.length > 0) sections.push(section("Examples", examples.join("\n")));
  return `${sections.join("\n\n")}\n`;
}

/** Each way to call the command, one per line. */
export function usageLines(command: CommandSpec, path: readonly string[]): string {
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

export function flagText(flag: FlagSpec): string {
  return flag.type === "boolean" ? `--${flag.name}` : `--${flag.name} ${flag.value ?? "VALUE"}`;
}

/** What a flag does, with everything that limits it. */
export function flagSummary(flag: FlagSpec): string {
  const parts = [flag.summary];
  if (flag.choices !== undefined) parts.push(`One of ${flag.choices.join(", ")}.`);
  if (flag.repeatable === true) parts.push("May be repeated.");
  if (flag.required === true) parts.push("Required.");
  if (flag.env !== undefined) parts.push(`Environment: ${flag.env}.`);
  if (flag.fallback !== undefined) parts.push(`Default: ${flag.fallback}.`);
  return parts.join(" ");
}

export function exitRows(command: CommandSpec): (readonly [string, string])[] {
  const own = (command.exits ?? []).map(([code, meaning]): readonly [string, string] => [String(code), meaning]);
  const common: (readonly [string, string])[] = [
    ["0", "done"],
    ["1", "refused, or it could not be done"],
    ["2", "bad usage or invalid input"],
  ];
  const taken = new Set(own.map(([code]) => code));
  return [...common.filter(([code]) => !taken.has(code)), ...own].sort((a, b) => Number(a[0]) - Number(b[0]));
}

function flagRows(flags: readonly FlagSpec[]): string {
  return rows(flags.map((flag) => [flagText(flag), flagSummary(flag)]));
}

function section(title: string, body: string): string {
  return `${title}\n${body}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const column = Math.min(28, Math.max(...pairs.map(([left]) => left.length)) + 2);
  return pairs
    .map(([left, right]) => {
      const text = wrapped(right, column + 2).trimStart();
      return left.length + 2 > column
        ? `  ${left}\n${" ".repeat(column + 2)}${text}`
        : `  ${left.padEnd(column)}${text}`;
    })
    .join("\n");
}

function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each) => " ".repeat(indent) + each).join("\n");
}
