/** Markdown pages as tests see them: code blocks, links, tables, and sections that are written by a test. */
import type { SourceFile } from "./sources.ts";

export interface CodeBlock {
  readonly page: string;
  /** 1-based line of the opening fence. */
  readonly line: number;
  readonly language: string;
  /** Why a block of commands is not run (```` ```sh not-run: reason ````); null: it is run. */
  readonly notRun: string | null;
  readonly text: string;
}

export function blocksOf(page: string, markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: markdown.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    notRun: /not-run:\s*(.*)/.exec(match[2] ?? "")?.[1]?.trim() ?? null,
    text: match[3] ?? "",
  }));
}

/** Targets of relative links, without their anchors. */
export function linksOf(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
}

/** The cells of a Markdown table's rows, for the first table whose header begins with `header`. */
export function tableOf(markdown: string, header: string): readonly (readonly string[])[] {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${header}`));
  if (start < 0) throw new Error(`there is no table that begins with "| ${header}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) =>
    row
      .slice(1, row.lastIndexOf("|"))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** A table as the formatter lays it out. @param rows the header first */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const [header = "", ...rest] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [header, line(widths.map((width) => "-".repeat(width))), ...rest].join("");
}

/** The page with what is between `<!-- name -->` and `<!-- /name -->` replaced. */
export function withSection(markdown: string, name: string, content: string): string {
  const parts = markdown.split(new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=<!-- /${name} -->)`));
  if (parts.length !== 2) throw new Error(`there is no section <!-- ${name} -->`);
  return `${parts[0]}\n${content}\n${parts[1]}`;
}

export interface Invariant {
  readonly path: string;
  readonly id: string;
  readonly text: string;
}

/** The numbered invariants that the comments above a file's parts state: ` * SCHEDULE-1 at no time ...`. */
export function invariantsOf(file: Pick<SourceFile, "path" | "text">): readonly Invariant[] {
  const stated = /^(?: \*|\/\/) ([A-Z]+(?:-[A-Z]+)*-\d+) (.+(?:\n(?: \*|\/\/) {2,}\S.*)*)/gm;
  return [...file.text.matchAll(stated)].map((match) => ({
    path: file.path,
    id: match[1] ?? "",
    text: (match[2] ?? "").replaceAll(/\n(?: \*|\/\/) +/g, " ").replace(/[;.]$/, ""),
  }));
}

/** The ids of invariants that a text names, `SCHEDULE-1` or `SCHEDULE-1 to 4`; names of standards are none. */
export function citationsIn(text: string): readonly string[] {
  const cited = /(?<![\w-])(?!UTF-|SHA-)([A-Z]{2,}(?:-[A-Z]+)*)-(\d+)(?: to (\d+))?(?![\w-])/g;
  return [...text.matchAll(cited)].flatMap(([, prefix, first, last]) =>
    Array.from(
      { length: Number(last ?? first) - Number(first) + 1 },
      (_, index) => `${prefix}-${Number(first) + index}`,
    ),
  );
}
