/**
 * A journal's bytes as lines, in bounded memory, however the bytes are cut into chunks.
 *
 * A line is one JSON object (core/decode-line.ts). Anything else is skipped and reported, never an error: a crash leaves half
 * a line, and the lines after it are as good as before (SPEC section 8).
 */
import { createByteLines, type Line } from "../../core/byte-lines.ts";
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

/**
 * @param file name for the reports
 * @param longest bytes of a line; a longer one is skipped without being kept in memory
 */
export function createLineReader(file: string, longest = 16 * 1024 * 1024): LineReader {
  const lines = createByteLines(longest);
  const skipped = (line: number, why: SkipReason): ReadLine => ({ kind: "skipped", file, line, why });
  const read = ({ text, number }: Line, whyNot: SkipReason): ReadLine[] => {
    if (text === null) return [skipped(number, "too_long")];
    if (text.trim() === "") return [];
    const value = lineIn(text);
    return [value === null ? skipped(number, whyNot) : { kind: "entry", file, line: number, value }];
  };
  return {
    push: (chunk) => lines.take(chunk).flatMap((line) => read(line, "corrupt")),
    end: () => {
      const rest = lines.rest();
      const left = rest === null ? [] : read(rest, "unfinished");
      // No proper prefix of an object's text is itself an object's text: what can be read is whole.
      if (left.every(({ kind }) => kind === "entry")) lines.endRest();
      return left;
    },
    broken: () => skipped(lines.count(), "unreadable"),
  };
}

function lineIn(text: string): AnyLine | null {
  const read = parseJson(text);
  return read.ok ? decodeLine(read.value) : null;
}
