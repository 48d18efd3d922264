/** Text on a screen of a certain width. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clip, widthOf } from "../../src/terminal/clip.ts";

const painted = fc
  .array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\u001b[31m", "\u001b[0m", "説明", "👍")))
  .map((parts) => parts.join(""));

test("what is clipped fits, what fits is left as it is, and no colour is left on", () => {
  fc.assert(
    fc.property(painted, fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const shown = clip(text, columns);
      expect(widthOf(shown)).toBeLessThanOrEqual(columns);
      if (widthOf(text) <= columns) expect(shown).toBe(text);
      else expect(shown).toMatch(/…(\u001b\[0m)?$/);
      if (shown !== text && shown.includes("\u001b[31m")) expect(shown.endsWith("\u001b[0m")).toBe(true);
    }),
  );
});

test("nothing that a person counts as one character is cut in two; an emoji that is asked for is wide", () => {
  expect(widthOf("❤")).toBe(1);
  expect(widthOf("❤\ufe0f")).toBe(2);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
      const shown = clip(text, columns);
      const whole = new Set(Array.from(new Intl.Segmenter().segment(text), ({ index }) => index));
      if (shown !== text) expect(whole.has(shown.length - 1)).toBe(true);
    }),
  );
});

test("colours take no space, and wide characters take two columns", () => {
  expect(widthOf("\u001b[31mabc\u001b[0m")).toBe(3);
  expect(widthOf("für 説明")).toBe(8);
  expect(clip("説明説明", 6)).toBe("説明…");
  expect(clip("\u001b[31mabcdef\u001b[0m", 4)).toBe("\u001b[31mabc…\u001b[0m");
});
