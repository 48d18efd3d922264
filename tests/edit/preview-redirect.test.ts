/** What a person is shown of a redirect before it is made (SPEC section 8). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changeLines } from "../../src/edit/preview-redirect.ts";

test("SPEC 8, law: of two values, however long, the lines show where they differ, and are short", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 600 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      const value = (which: string): string => `${before.trim()}${which}${after.trim()}`;
      const lines = changeLines([{ field: "base_case", old: value("X"), new: value("Y") }]);
      expect(lines).toMatchObject(["base_case", expect.stringContaining("X"), expect.stringContaining("Y")]);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(180);
    }),
  );
});

test("a field that is new or gone has one line", () => {
  expect(changeLines([{ field: "touches", new: "src/**" }])).toEqual(["touches", "  + src/**"]);
  expect(changeLines([{ field: "touches", old: "src/**" }])).toEqual(["touches", "  - src/**"]);
});
