/**
 * What of a journal a page is shown: every line, without what is large and not looked at (SPEC section 10). Pure.
 *
 * DASHBOARD-LINES-1 a line is at most some tens of kilobytes, whatever is in the journal;
 * DASHBOARD-LINES-2 what looking back needs (frames.ts) is whole;
 * DASHBOARD-LINES-3 each is of the type that it says (decode-line.ts), so that the page reads it as it is.
 */
import { decodeLines } from "../core/decode-line.ts";
import type { AnyLine } from "../core/journal-line.ts";

/** Characters of a text, of a piece of evidence, and entries of a list that are kept. */
const LONGEST_TEXT = 2_000;
const LONGEST_OUTPUT = 8_000;
const MOST_ENTRIES = 200;
const DEEPEST_NESTING = 40;

/** Kept for the next run, of no use here. */
const LEFT_OUT: ReadonlySet<string> = new Set(["memory"]);
/** DASHBOARD-LINES-2: names, one for each atom that a line is about. */
const WHOLE_LISTS: ReadonlySet<string> = new Set(["atoms", "children", "redirect", "integrated", "lost"]);

/** DASHBOARD-LINES-1 to 3. */
export function slimLines(lines: readonly AnyLine[]): readonly AnyLine[] {
  return decodeLines(
    lines.map((line) =>
      Object.fromEntries(
        Object.entries(line)
          .filter(([key]) => !LEFT_OUT.has(key))
          .map(([key, value]) => [key, slim(value, key, WHOLE_LISTS.has(key) ? Infinity : MOST_ENTRIES, 0)]),
      ),
    ),
  );
}

function slim(value: unknown, key: string, most: number, depth: number): unknown {
  if (typeof value === "string") return clipped(value, key === "output" ? LONGEST_OUTPUT : LONGEST_TEXT, key);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST_NESTING) return null;
  if (Array.isArray(value)) return value.slice(0, most).map((item) => slim(item, key, most, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, slim(item, name, most, depth + 1)]));
}

/** Of what a program printed the end matters, of everything else the beginning. */
function clipped(text: string, longest: number, key: string): string {
  if (text.length <= longest) return text;
  return key === "output" ? `… ${text.slice(-longest)}` : `${text.slice(0, longest)} …`;
}
