/**
 * Lines of a stream of bytes, numbered from 1.
 *
 * BYTE-LINES-1 memory is bounded: of a line longer than `longest` nothing is kept but that it was there;
 * BYTE-LINES-2 any cutting of the same bytes into pieces gives the same lines.
 */

export interface Line {
  /** Null: it was too long. */
  readonly text: string | null;
  readonly number: number;
}

export interface ByteLines {
  /** The lines that a piece of the stream completes. No reference to the piece is kept. */
  take(piece: Uint8Array): readonly Line[];
  /** What is left behind the last newline, which may go on; null: nothing. */
  rest(): Line | null;
  /** Takes it for a whole line. */
  endRest(): void;
  /** The number of the last line that was taken. */
  count(): number;
}

/** @param longest bytes of a line */
export function createByteLines(longest: number): ByteLines {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const textWith = (last: Uint8Array): string | null => {
    if (length + last.length > longest) return null;
    return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode(last);
  };
  const endLine = (): void => {
    number++;
    parts = [];
    length = 0;
  };
  return {
    take(piece) {
      const lines: Line[] = [];
      let from = 0;
      for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
        lines.push({ text: textWith(piece.subarray(from, end)), number: number + 1 });
        endLine();
        from = end + 1;
      }
      const rest = piece.subarray(from);
      length += rest.length;
      if (length > longest) parts = [];
      else if (rest.length > 0) parts.push(new Uint8Array(rest));
      return lines;
    },
    rest: () => (length === 0 ? null : { text: textWith(new Uint8Array()), number: number + 1 }),
    endRest() {
      if (length > 0) endLine();
    },
    count: () => number,
  };
}
