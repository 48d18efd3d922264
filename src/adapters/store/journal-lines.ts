/**
 * A journal's bytes as lines, in bounded memory, however the bytes are cut into chunks.
 *
 * A line is one JSON object (core/decode-line.ts). Anything else is skipped and reported, never an error: a crash leaves half
 * a line, and the lines after it are as good as before (SPEC section 8).
 */
import { decodeLine } from "../../core/decode-line.ts";
import type { AnyLine } from "../../core/journal-line.ts";
import { parseJson } from "../../core/reading.ts";

/**
 * `unfinished`: the last line, cut off by a crash or still being written; `unreadable`: what follows
 * this line of the file (0: all of it) cannot be read.
 */
export type SkipReason = "corrupt" | "unfinished" | "too_long" | "unreadable";

export type ReadLine =
  | { readonly kind: "entry"; readonly file: string; readonly line: number; readonly value: AnyLine }
  | { readonly kind: "skipped"; readonly file: string; readonly line: number; readonly why: SkipReason };

export interface LineReader {
  /** The lines that `chunk` completes. Its memory may be used again afterwards. */
  push(chunk: Buffer): ReadLine[];
  /** What is left at the end of the file; a line that is not complete yet may be completed all the same. */
  end(): ReadLine[];
  /** The report that the file cannot be read any further. */
  broken(): ReadLine;
}

const NEWLINE = 10;

/**
 * @param file name for the reports
 * @param longest bytes of a line; a longer one is skipped without being kept in memory
 */
export function createLineReader(file: string, longest = 16 * 1024 * 1024): LineReader {
  /** The line that is not complete yet. */
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;

  const skipped = (why: SkipReason): ReadLine => ({ kind: "skipped", file, line: number, why });

  const keep = (rest: Buffer): void => {
    length += rest.length;
    if (length > longest) parts = [];
    else if (rest.length > 0) parts.push(Buffer.from(rest));
  };

  const finish = (rest: Buffer, whyNot: SkipReason): ReadLine[] => {
    number++;
    const tooLong = length + rest.length > longest;
    const text = tooLong ? "" : length === 0 ? rest.toString() : Buffer.concat([...parts, rest]).toString();
    parts = [];
    length = 0;
    if (tooLong) return [skipped("too_long")];
    if (text.trim() === "") return [];
    const value = lineIn(text);
    return [value === null ? skipped(whyNot) : { kind: "entry", file, line: number, value }];
  };

  return {
    push: (chunk) => {
      const lines: ReadLine[] = [];
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        lines.push(...finish(chunk.subarray(from, to), "corrupt"));
        from = to + 1;
      }
      keep(chunk.subarray(from));
      return lines;
    },
    end: () => {
      if (length === 0) return [];
      const before = { parts, length, number };
      const lines = finish(Buffer.alloc(0), "unfinished");
      // No proper prefix of an object's text is itself an object's text: what can be read is whole.
      if (lines.some((line) => line.kind === "skipped")) ({ parts, length, number } = before);
      return lines;
    },
    broken: () => skipped("unreadable"),
  };
}

function lineIn(text: string): AnyLine | null {
  const read = parseJson(text);
  return read.ok ? decodeLine(read.value) : null;
}
