/**
 * JSON objects, one per line, as clients print them.
 *
 * JSON-LINES-1 memory is bounded: a line longer than LONGEST_LINE is skipped and counted;
 * JSON-LINES-2 a line that is no JSON object is passed over: clients print more than they document.
 */
import { createByteLines, type Line } from "../../core/byte-lines.ts";
import { parseObject } from "../../core/reading.ts";

/** Bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

export interface JsonLines {
  /** Takes a piece of output. Never throws. */
  take(chunk: Buffer): void;
  /** Nothing more comes: an unfinished last line counts. @returns how many lines were too long */
  end(): number;
}

/** @param onObject called for each line that is a JSON object; must not throw */
export function readJsonLines(onObject: (value: Json) => void): JsonLines {
  const lines = createByteLines(LONGEST_LINE);
  let skipped = 0;
  const hear = ({ text }: Line): void => {
    if (text === null) skipped++;
    const value = text === null ? undefined : parseLine(text);
    if (value !== undefined) onObject(value);
  };
  return {
    take: (chunk) => lines.take(chunk).forEach(hear),
    end() {
      const rest = lines.rest();
      if (rest !== null) hear(rest);
      lines.endRest();
      return skipped;
    },
  };
}

/** The line as a JSON object, or undefined. */
export function parseLine(line: string): Json | undefined {
  return parseObject(line) ?? undefined;
}

/** The value as a JSON object, or undefined. */
export function object(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
