/**
 * The lines of a loop's journal that a page gets (SPEC section 10).
 *
 * SHELF-1 memory is bounded, and so is what a new page is sent: only the newest lines since the goal was aligned are kept,
 *    at most MOST_LINES lines with MOST_CHARACTERS characters in all;
 * SHELF-2 a page has the lines that are kept here, no others: what it has and what is left out are all since the goal.
 */
import type { AnyLine } from "../core/journal-line.ts";
import { slimLines } from "./lines.ts";
import type { FeedMessage } from "./messages.ts";

export interface Shelf {
  /**
   * @param caught_up no more lines are there to be read now
   * @returns messages with the new lines; none before the first time that `caught_up` is true
   */
  take(lines: readonly AnyLine[], caught_up: boolean): readonly FeedMessage[];
  /** Messages with all lines that are kept. */
  snapshot(): readonly FeedMessage[];
}

/** What a page has of a journal. */
export type KnownLines = Pick<Extract<FeedMessage, { kind: "lines" }>, "lines" | "left_out">;

/** SHELF-2, in the page: what it has after a message, without what is not kept any more. */
export function withLines(known: KnownLines, { anew, lines, left_out }: KnownLines & { anew: boolean }): KnownLines {
  return { lines: anew ? lines : [...known.lines, ...lines].slice(left_out - known.left_out), left_out };
}

const MOST_LINES = 50_000;
const MOST_CHARACTERS = 12 * 1024 * 1024;
/** Lines in one message. */
const BATCH_LINES = 2_000;

export function createShelf(): Shelf {
  let kept: { readonly line: AnyLine; readonly size: number }[] = [];
  let size = 0;
  let left_out = 0;
  let isFirst = true;
  const all = (): readonly FeedMessage[] => {
    const lines = kept.map(({ line }) => line);
    return lines.length === 0 ? [{ kind: "lines", lines, anew: true, left_out }] : batches(lines, true, left_out);
  };
  return {
    /** SHELF-1. */
    take: (lines, caught_up) => {
      const wasFirst = isFirst;
      isFirst &&= !caught_up;
      // Mostly called without new lines, several times a second, and there may be tens of thousands to copy below.
      if (lines.length === 0 && !wasFirst) return [];
      const start = lines.findLastIndex(({ event }) => event === "aligned" || event === "restarted");
      if (start >= 0) [kept, size, left_out] = [[], 0, 0];
      const before = kept.length;
      const fresh = slimLines(lines.slice(Math.max(start, 0)));
      const sized = fresh.map((line) => ({ line, size: JSON.stringify(line).length }));
      for (const one of sized) kept.push(one);
      size += sized.reduce((sum, one) => sum + one.size, 0);
      let over = Math.max(0, kept.length - MOST_LINES);
      for (const { size: gone } of kept.slice(0, over)) size -= gone;
      for (; size > MOST_CHARACTERS && over < kept.length - 1; over++) size -= kept[over]?.size ?? 0;
      if (over > 0) kept = kept.slice(over);
      left_out += over;
      if (wasFirst && !caught_up) return [];
      // If all of those before are dropped, fresh ones may be, too.
      return !wasFirst && over < before ? batches(fresh, false, left_out) : all();
    },
    snapshot: all,
  };
}

function batches(lines: readonly AnyLine[], anew: boolean, left_out: number): readonly FeedMessage[] {
  const messages: FeedMessage[] = [];
  for (let at = 0; at < lines.length; at += BATCH_LINES)
    messages.push({ kind: "lines", lines: lines.slice(at, at + BATCH_LINES), anew: anew && at === 0, left_out });
  return messages;
}
