/** Cutting a stream into lines: the same whatever the pieces are, with bounded memory. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createByteLines } from "../../src/core/byte-lines.ts";

const LONGEST = 1000;

function linesOf(pieces: readonly Uint8Array[]): readonly (readonly [number, string | null])[] {
  const lines = createByteLines(LONGEST);
  const whole = pieces.flatMap((piece) => lines.take(piece));
  const rest = lines.rest();
  return (rest === null ? whole : [...whole, rest]).map(({ number, text }) => [number, text]);
}

test("BYTE-LINES-2: any cutting of the same bytes gives the same lines", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "é", "日", "\r", "\u0000", '"'), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(20), { maxLength: 20 }), (whole, cuts) => {
      const bytes = new TextEncoder().encode(whole);
      const pieces: Uint8Array[] = [];
      let from = 0;
      for (const cut of cuts) {
        pieces.push(bytes.slice(from, from + cut));
        from += cut;
      }
      pieces.push(bytes.slice(from));
      const expected = whole.split("\n").map((line, at) => [at + 1, line]);
      expect(linesOf(pieces)).toEqual(expected.at(-1)?.[1] === "" ? expected.slice(0, -1) : expected);
    }),
  );
});

test("a piece that is written over afterwards changes no line", () => {
  const lines = createByteLines(LONGEST);
  const piece = Buffer.from("first");
  lines.take(piece);
  piece.fill(120);
  expect(lines.take(new TextEncoder().encode(" half\n"))).toEqual([{ text: "first half", number: 1 }]);
});

test("BYTE-LINES-1: of a line that is too long it is reported that it was there, and the next one is read", () => {
  const long = new Uint8Array(LONGEST + 1).fill(97);
  const rest = new TextEncoder().encode("\nnext\n");
  expect(linesOf([long, rest])).toEqual([
    [1, null],
    [2, "next"],
  ]);
  expect(linesOf([long.slice(0, LONGEST), rest]).map(([, text]) => text?.length)).toEqual([LONGEST, 4]);
});
