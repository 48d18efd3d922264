/** The region that is redrawn in place (SPEC section 10), as a real terminal shows it. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLiveRegion } from "../../src/terminal/live-region.ts";
import { createScreen, type Screen } from "../support/screen.ts";

const SIZE = { columns: 30, rows: 10 };

/** What a terminal does with a line end that a program prints. */
const asPrinted = (text: string): string => text.replaceAll("\n", "\r\n");

const words = fc.string({ unit: fc.constantFrom("a", "b", "説", " ", "é"), minLength: 1, maxLength: 12 });
const row = words.map((text) => `.${text.trim()}.`);
const draws = fc.array(fc.record({ lines: fc.array(row, { maxLength: 3 }), rows: fc.array(row, { maxLength: 6 }) }), {
  minLength: 1,
  maxLength: 12,
});

function everything(screen: Screen): string[] {
  const rows = [...screen.scrolled, ...screen.rows()];
  return rows.slice(0, rows.findLastIndex((line) => line !== "") + 1);
}

test("law: above the region stands all that was said, in order, below it the rows of the last draw, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(draws, async (given) => {
      const screen = createScreen(SIZE.columns, SIZE.rows);
      const writes: string[] = [];
      const region = createLiveRegion((text) => {
        writes.push(text);
        screen.feed(asPrinted(text));
      });
      const said: string[] = [];
      for (const { lines, rows } of given) {
        const before = writes.length;
        region.draw(lines.map((line) => `${line}\n`).join(""), rows, SIZE);
        expect(writes.length - before, "LIVE-REGION-1: one write at most").toBeLessThanOrEqual(1);
        said.push(...lines);
        await screen.settled();
        expect(everything(screen)).toEqual([...said, ...rows]);
      }
      // LIVE-REGION-1: what a person was shown in between was whole each time.
      let sofar: string[] = [];
      const whole = given.map(({ lines, rows }) => {
        sofar = [...sofar, ...lines];
        return [...sofar, ...rows].slice(-SIZE.rows + 1).join("\n");
      });
      for (const frame of screen.frames) {
        const shown = frame.rows.slice(0, frame.cursor.row).join("\n");
        expect(whole.some((one) => one.endsWith(shown))).toBe(true);
      }
      region.clear(SIZE);
      await screen.settled();
      expect(everything(screen)).toEqual(said);
    }),
    { numRuns: 60 },
  );
});

test("LIVE-REGION-2: what did not change is not written again, and no row is blanked before it is drawn", () => {
  const writes: string[] = [];
  const region = createLiveRegion((text) => writes.push(text));
  region.draw("", ["one", "two", "three"], SIZE);
  region.draw("", ["one", "two", "three"], SIZE);
  expect(writes).toHaveLength(1);
  region.draw("", ["one", "TWO", "three"], SIZE);
  expect(writes[1]).toBe("\u001b[?2026h\u001b[3A\r\nTWO\u001b[K\n\n\u001b[?2026l");
});

test("a terminal that became narrower or wider: all rows of the region go, however they were broken, and it fits again", async () => {
  const sizes = fc.record({ columns: fc.integer({ min: 8, max: 60 }), rows: fc.integer({ min: 6, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sizes, { minLength: 1, maxLength: 4 }),
      fc.array(row, { minLength: 1, maxLength: 4 }),
      async (seen, rows) => {
        const screen = createScreen(SIZE.columns, SIZE.rows);
        const region = createLiveRegion((text) => screen.feed(asPrinted(text)));
        region.draw("", rows, SIZE);
        await screen.settled();
        for (const size of seen) {
          screen.resize(size.columns, size.rows);
          region.draw("", rows, size);
          await screen.settled();
          const shown = everything(screen).filter((line) => line !== "");
          expect(
            shown.slice(-rows.length).every((line) => line.startsWith(".")),
            shown.join("\n"),
          ).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});
