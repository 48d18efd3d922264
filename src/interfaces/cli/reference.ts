/** The reference of every command as Markdown, read off the table. Pure. */
import { exitRows, flagSummary, flagText, usageLines } from "./help.ts";
import { argText, GLOBAL_FLAGS } from "./parse-command.ts";
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";

const EFFECTS =
  "What a command does to the loop: `reads` leaves every byte as it was, `changes` adds something or moves it on, `discards` may give up work, history or a choice.";
const PROGRAMS = {
  aligned: "runs the programs that the goal was aligned with",
  named: "runs the programs that the call names",
} as const;

function effectLine({ effect, programs }: CommandSpec): string[] {
  if (effect === undefined) return [];
  return [`Effect: ${[`\`${effect}\``, ...(programs === undefined ? [] : [PROGRAMS[programs]])].join(", ")}.`];
}

export function referenceMarkdown(root: CommandSpec): string {
  const parts = [
    `# The \`${root.name}\` command`,
    "<!-- Generated from the command table (src/aot.ts) by `npx vitest run tests/interfaces/cli/reference.test.ts --update`; do not edit. -->",
    ...(root.description ?? []),
    heading(2, "Flags of every command"),
    flagTable(GLOBAL_FLAGS),
    "Exit codes of every command: 0 done, 1 refused or a check said no, 2 bad usage or invalid input, 70 a defect of the program (`AOT_DEBUG=1` shows where).",
    EFFECTS,
    ...(root.commands ?? []).flatMap((command) => sections(command, [root.name, command.name])),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sections(command: CommandSpec, path: readonly string[]): string[] {
  const parts = [
    heading(Math.min(path.length, 4), `\`${path.join(" ")}\``),
    sentence(command.summary),
    ...(command.description ?? []),
    ...(command.atTerminal ?? []),
  ];
  if (command.load !== undefined) {
    parts.push(fenced("text", usageLines(command, path).split("\n")[0]?.trim() ?? ""));
    parts.push(...effectLine(command));
    if ((command.args ?? []).length > 0)
      parts.push(
        table(
          ["argument", "meaning"],
          (command.args ?? []).map((arg) => [code(argText(arg)), arg.summary]),
        ),
      );
    if ((command.flags ?? []).length > 0) parts.push(flagTable(command.flags ?? []));
    if ((command.exits ?? []).length > 0) parts.push(table(["exit", "meaning"], exitRows(command)));
    const examples = (command.examples ?? []).map((one) => `# ${one.note}\n${one.command}`);
    if (examples.length > 0)
      parts.push(fenced("sh not-run: each runs in tests/interfaces/cli/help.test.ts", examples.join("\n")));
  }
  return [...parts, ...(command.commands ?? []).flatMap((child) => sections(child, [...path, child.name]))];
}

function flagTable(flags: readonly FlagSpec[]): string {
  return table(
    ["flag", "meaning"],
    flags.map((flag) => [code(flagText(flag)), flagSummary(flag)]),
  );
}

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const line = (cells: readonly [string, string]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), "| --- | --- |", ...rows.map(line)].join("\n");
}

function heading(level: number, text: string): string {
  return `${"#".repeat(level)} ${text}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
