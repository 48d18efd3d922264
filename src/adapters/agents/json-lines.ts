/**
 * JSON objects, one per line, as clients print them.
 *
 * JSON-LINES-1 memory is bounded: a line longer than LONGEST_LINE is skipped and counted;
 * JSON-LINES-2 a line that is no JSON object is passed over: clients print more than they document.
 */

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
  let parts: Buffer[] = [];
  let length = 0;
  let skipped = 0;
  const endLine = (): void => {
    const value = length > LONGEST_LINE ? undefined : parseLine(Buffer.concat(parts).toString("utf8"));
    if (length > LONGEST_LINE) skipped++;
    if (value !== undefined) onObject(value);
    parts = [];
    length = 0;
  };
  const keep = (piece: Buffer): void => {
    length += piece.length;
    if (length > LONGEST_LINE) parts = [];
    else parts.push(piece);
  };
  return {
    take(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, end));
        endLine();
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    end() {
      endLine();
      return skipped;
    },
  };
}

/** The line as a JSON object, or undefined. */
export function parseLine(line: string): Json | undefined {
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** The value as a JSON object, or undefined. */
export function object(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
