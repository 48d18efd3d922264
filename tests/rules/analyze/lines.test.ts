/** Cutting a stream into lines: the same whatever the pieces are, with bounded memory. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLines, LONGEST_LINE } from "../../../src/rules/analyze/lines.ts";

function linesOf(pieces: readonly Uint8Array[]): readonly (readonly [number, string | null])[] {
  const found: [number, string | null][] = [];
  const lines = createLines((text, number) => found.push([number, text]));
  for (const piece of pieces) lines.take(piece);
  lines.end();
  return found;
}

test("ANALYZE-LINES-2: any cutting of the same bytes gives the same lines", () => {
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
      const expected = whole.split("\n").flatMap((line, at) => (line === "" ? [] : [[at + 1, line]]));
      expect(linesOf(pieces)).toEqual(expected);
    }),
  );
});

test("a piece that is written over afterwards changes no line", () => {
  const found: (string | null)[] = [];
  const lines = createLines((text) => found.push(text));
  const piece = new TextEncoder().encode("first");
  lines.take(piece);
  piece.fill(120);
  lines.take(new TextEncoder().encode(" half\n"));
  expect(found).toEqual(["first half"]);
});

test("ANALYZE-LINES-1: of a line that is too long it is told that it was there, and the next one is read", () => {
  const long = new Uint8Array(LONGEST_LINE + 1).fill(97);
  const rest = new TextEncoder().encode("\nnext\n");
  expect(linesOf([long, rest])).toEqual([
    [1, null],
    [2, "next"],
  ]);
  expect(linesOf([long.slice(0, LONGEST_LINE), rest]).map(([, text]) => text?.length)).toEqual([LONGEST_LINE, 4]);
});
