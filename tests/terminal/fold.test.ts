/** What a person reads on a narrow terminal: words stay whole (SPEC section 10). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { widthOf } from "../../src/terminal/clip.ts";
import { fold } from "../../src/terminal/fold.ts";

test("a long line goes on below, a little further in; one that fits stays as it is", () => {
  expect(fold("next: look at the work\n  A1  a word\n\nshort", 14)).toBe(
    "next: look at\n  the work\n  A1  a word\n\nshort",
  );
  expect(fold("  one two three", 9)).toBe("  one two\n    three");
  expect(fold("\u001b[1mbold words here\u001b[0m", 10)).toBe("\u001b[1mbold words\n  here\u001b[0m");
});

test("a command between backticks is broken only where it fits on no row", () => {
  expect(fold("next: look, then `aot run --agent codex` again", 28)).toBe(
    "next: look, then\n  `aot run --agent codex`\n  again",
  );
  expect(fold("go: `aot run --agent codex`", 14)).toBe("go: `aot run\n  --agent\n  codex`");
});

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme-ascii" }).map((text) => text.replaceAll(" ", "-")),
  fc.constantFrom("数据", "✓", "a/very/long/path/that/goes/on.ts"),
);

test("law: no word is broken or lost, and no row is wider than the screen unless one word is", () => {
  fc.assert(
    fc.property(
      fc.nat(8),
      fc.array(word, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 8, max: 60 }),
      (in_, words, columns) => {
        const line = " ".repeat(in_) + words.join(" ");
        const rows = fold(line, columns).split("\n");
        expect(rows.join(" ").split(/ +/).filter(Boolean)).toEqual(words);
        for (const row of rows) if (row.trim().includes(" ")) expect(widthOf(row)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});
