/** SPEC 8 and 13: what others wrote is kept bounded, and it says so. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { boundedNames, boundedText, LONGEST_TEXT, namesInWords } from "../../src/core/bounded-text.ts";

test("law: a text is kept as it came, or it is its beginning and the number of characters that are missing", () => {
  const unit = fc.constantFrom("a", "\n", "é", "𝒳", "😀");
  const long = fc
    .tuple(unit, fc.integer({ min: 0, max: LONGEST_TEXT * 2 }), fc.string())
    .map(([one, times, end]) => one.repeat(times) + end);
  fc.assert(
    fc.property(long, (text) => {
      const kept = boundedText(text);
      if (text.length <= LONGEST_TEXT) {
        expect(kept).toBe(text);
        return;
      }
      const [, start = "", missing] = /^(.*)\n\[\.\.\. (\d+) more characters were left out \.\.\.\]$/s.exec(kept) ?? [];
      expect(text.startsWith(start)).toBe(true);
      expect(start.length + Number(missing)).toBe(text.length);
      expect(start.length).toBeLessThanOrEqual(LONGEST_TEXT);
      expect(start.length).toBeGreaterThanOrEqual(LONGEST_TEXT - 1);
      expect(start).not.toMatch(/[\uD800-\uDBFF]$/);
    }),
  );
});

test("law: of names the first are kept, whole, and the others counted", () => {
  const names = fc.array(
    fc.integer({ min: 1, max: 6_000 }).map((length) => "n".repeat(length)),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(names, (given) => {
      const { kept, left_out } = boundedNames(given);
      expect(kept).toEqual(given.slice(0, kept.length));
      expect(kept.length + left_out).toBe(given.length);
      expect(kept.join("").length).toBeLessThanOrEqual(16_000);
      expect(kept.length).toBeLessThanOrEqual(200);
      if (given.length <= 200 && given.join("").length <= 16_000) expect(left_out).toBe(0);
    }),
  );
});

test("names in words tell how many more there are", () => {
  expect(namesInWords(["a", "b"])).toBe("a, b");
  expect(namesInWords(Array.from({ length: 1_000 }, () => "f"))).toMatch(/^(f, ){199}f and 800 more$/);
});
