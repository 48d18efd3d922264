/**
 * Shortens journal lines for the page, which gets every line but not all of its content (SPEC section 10). Pure.
 *
 * DASHBOARD-LINES-1 a line has at most some tens of kilobytes, whatever is in the journal;
 * DASHBOARD-LINES-2 what looking back needs (frames.ts) is complete;
 * DASHBOARD-LINES-3 each line is validated (decode-line.ts), so that the page can trust its type.
 */
import { decodeLines } from "../core/decode-line.ts";
import type { AnyLine } from "../core/journal-line.ts";

/** Characters. */
const LONGEST_TEXT = 2_000;
const LONGEST_OUTPUT = 8_000;
const MOST_ENTRIES = 200;
const DEEPEST_NESTING = 40;

/** Fields that only the next run needs. */
const LEFT_OUT_FIELDS: ReadonlySet<string> = new Set(["memory"]);
/** DASHBOARD-LINES-2: lists that are never shortened. */
const WHOLE_LISTS: ReadonlySet<string> = new Set(["atoms", "children", "redirect", "integrated", "lost"]);

export function slimLines(lines: readonly AnyLine[]): readonly AnyLine[] {
  return decodeLines(
    lines.map((line) =>
      Object.fromEntries(
        Object.entries(line)
          .filter(([key]) => !LEFT_OUT_FIELDS.has(key))
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

/** Keeps the end of a program's output, and the beginning of anything else. */
function clipped(text: string, longest: number, key: string): string {
  if (text.length <= longest) return text;
  return key === "output" ? `… ${text.slice(-longest)}` : `${text.slice(0, longest)} …`;
}
