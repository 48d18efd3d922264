/**
 * Edits on source ranges, collected and applied at once: what no edit covers stays as it is, byte for byte.
 * An edit that cannot be made safely is refused; then nothing is written at all.
 */
import { accepted, type Problem, type Result } from "../core/problem.ts";
import { type Node, skipBlank, valuesIn } from "./node.ts";
import { named, problemOf, type Path } from "./problems.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Patch {
  readonly text: string;
  /** The file's line break. */
  readonly eol: string;
  readonly edits: Edit[];
  readonly refusals: Problem[];
}

export function emptyPatch(text: string): Patch {
  return { text, eol: text.charCodeAt(text.indexOf("\n") - 1) === 13 ? "\r\n" : "\n", edits: [], refusals: [] };
}

export function replace(patch: Patch, start: number, end: number, text: string): void {
  patch.edits.push({ start, end, text });
}

export function insertLines(patch: Patch, at: number, lines: readonly string[]): void {
  let text = "";
  for (const line of lines) text += line + patch.eol;
  if (lines.length > 0) replace(patch, at, at, text);
}

export function refuse(
  patch: Patch,
  at: number,
  path: Path,
  { why, hint }: { readonly why: string; readonly hint: string },
): void {
  patch.refusals.push(
    problemOf(patch.text, {
      code: "refused",
      message: `${named(path)} cannot be edited in place: ${why}`,
      at,
      path,
      hint,
    }),
  );
}

/** As `refuse`, of what has no line of its own. */
export function refuseUnbroken(patch: Patch, at: number, path: Path): void {
  refuse(patch, at, path, { why: "it does not start its line", hint: "put it on a line of its own" });
}

export const WRITE_OUT = "write the value out in place of the alias";

/** The text with all edits made. Edits in the same place keep the order in which they were asked for. */
export function applyEdits({ text, edits, refusals }: Patch): Result<string> {
  if (refusals.length > 0) return { ok: false, problems: refusals };
  // Concatenated, not joined: the parts are copied once, when they are written.
  let result = "";
  let done = 0;
  for (const { start, end, text: insert } of edits.toSorted(compareEdits)) {
    if (start < done) throw new Error(`edits overlap at offset ${start}`);
    result += text.slice(done, start) + insert;
    done = end;
  }
  return accepted(result + text.slice(done));
}

/** What is put in somewhere comes before what is replaced there. */
function compareEdits(a: Edit, b: Edit): number {
  return a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start);
}

// ── places ──────────────────────────────────────────────────────────────────

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** The start of the line behind a value that ends at `at`; a block scalar ends there already. */
export function lineAfter(text: string, at: number): number {
  if (at > 0 && text.charCodeAt(at - 1) === 10) return at;
  const next = text.indexOf("\n", at);
  return next < 0 ? text.length : next + 1;
}

export function trimBack(text: string, at: number): number {
  let end = at;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return end;
}

/** Whether nothing but blanks is before it on its line. */
export function startsLine(text: string, at: number): boolean {
  return /^ *$/.test(text.slice(lineStart(text, at), at));
}

/** Behind the colon of a key that ends at `keyEnd`; undefined: it has none (a lone key in braces). */
export function behindColon(text: string, keyEnd: number): number | undefined {
  const colon = skipBlank(text, keyEnd);
  return text[colon] === ":" ? colon + 1 : undefined;
}

/** Whether an alias elsewhere shows this node or one inside it: then it must not go away. */
export function isShown(node: Node): boolean {
  if (node.kind === "alias") return false;
  return node.lock === "shared" || (node.kind !== "scalar" && valuesIn(node).some(isShown));
}
