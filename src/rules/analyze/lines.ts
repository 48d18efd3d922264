/**
 * Lines of a stream of bytes, numbered from 1.
 *
 * ANALYZE-LINES-1 memory is bounded: of a line longer than LONGEST_LINE nothing is kept but that it was there;
 * ANALYZE-LINES-2 any cutting of the same bytes into pieces gives the same lines.
 */

/** Bytes. A line of Claude Code's may hold a whole file or a picture. */
export const LONGEST_LINE = 8 * 1024 * 1024;

export interface Lines {
  /** Takes a piece of the stream, and keeps no reference to it. */
  take(piece: Uint8Array): void;
  /** Nothing more comes: an unfinished last line counts. */
  end(): void;
}

/** @param onLine called for each line that is not empty; `text` null: it was too long */
export function createLines(onLine: (text: string | null, number: number) => void): Lines {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const endLine = (): void => {
    number++;
    if (length > LONGEST_LINE) onLine(null, number);
    else if (length > 0) onLine(decoder.decode(joined(parts, length)), number);
    parts = [];
    length = 0;
  };
  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > LONGEST_LINE) parts = [];
    else if (piece.length > 0) parts.push(piece.slice());
  };
  return {
    take(piece) {
      let from = 0;
      for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
        keep(piece.subarray(from, end));
        endLine();
        from = end + 1;
      }
      keep(piece.subarray(from));
    },
    end() {
      if (length > 0) endLine();
    },
  };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
