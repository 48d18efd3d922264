/** Shelf.ts: however lines arrive, a page has what is kept of them, and knows how many are not. */
import { expect, test } from "vitest";
import type { AnyLine } from "../../src/core/journal-line.ts";
import type { FeedMessage } from "../../src/dashboard/messages.ts";
import { createShelf, withLines, type KnownLines } from "../../src/dashboard/shelf.ts";
import { fieldsOf, lineOf } from "../support/lines.ts";

const told = (known: KnownLines, messages: readonly FeedMessage[]): KnownLines =>
  messages.reduce((had, message) => (message.kind === "lines" ? withLines(had, message) : had), known);
const wordsOf = (lines: readonly AnyLine[]): readonly string[] =>
  lines.map((line) => String(fieldsOf(line)["message"]));

test("FEED-2, SHELF-1, 2: who was there all along and who comes now have the same newest lines, and count the others", () => {
  const shelf = createShelf();
  let page: KnownLines = { lines: [], left_out: 0 };
  let since: readonly string[] = [];
  for (const [count, aligned, length] of [
    [49_999, null, 1],
    [3_000, null, 1],
    [50_001, null, 1],
    [7, 4, 1],
    [9_000, null, 1_900],
    [1, null, 1],
  ] as const) {
    const lines = Array.from({ length: count }, (_, at) =>
      lineOf({ event: at === aligned ? "aligned" : "note", message: `${since.length + at} ${"x".repeat(length)}` }),
    );
    since = aligned === null ? [...since, ...wordsOf(lines)] : wordsOf(lines.slice(aligned));
    page = told(page, shelf.take(lines, true));
    expect(page.left_out + page.lines.length).toBe(since.length);
    expect(wordsOf(page.lines).join() === since.slice(page.left_out).join(), "the newest").toBe(true);
    const sent = shelf.snapshot();
    expect(JSON.stringify(sent).length).toBeLessThan(14 * 1024 * 1024);
    const other = told({ lines: [], left_out: 0 }, sent);
    expect([other.left_out, wordsOf(other.lines).join() === wordsOf(page.lines).join()]).toEqual([page.left_out, true]);
  }
});
