/**
 * The lines of a loop's journal that a page gets (SPEC section 10).
 *
 * SHELF-1 memory is bounded, and with it what a page is sent at once: the newest MOST_LINES lines since the goal was
 *    aligned are kept, MOST_CHARACTERS of them all together.
 */
import type { AnyLine } from "../core/journal-line.ts";
import { slimLines } from "./lines.ts";
import type { FeedMessage } from "./messages.ts";

export interface Shelf {
  /**
   * @param caught_up these are all lines that there are by now
   * @returns the messages of what was new; until they were all there once, none
   */
  take(lines: readonly AnyLine[], caught_up: boolean): readonly FeedMessage[];
  /** Everything that was taken and is kept. */
  stands(): readonly FeedMessage[];
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
    if (kept.length === 0) return [{ kind: "lines", lines: [], anew: true, left_out }];
    return batches(
      kept.map(({ line }) => line),
      true,
      left_out,
    );
  };
  return {
    /** SHELF-1 */
    take: (lines, caught_up) => {
      const wasFirst = isFirst;
      isFirst &&= !caught_up;
      // Asked several times a second, mostly for nothing: what is kept may be tens of thousands of lines.
      if (lines.length === 0 && !wasFirst) return [];
      const start = lines.findLastIndex(({ event }) => event === "aligned" || event === "restarted");
      if (start >= 0) [kept, size, left_out] = [[], 0, 0];
      const fresh = slimLines(lines.slice(Math.max(start, 0)));
      const sized = fresh.map((line) => ({ line, size: JSON.stringify(line).length }));
      for (const one of sized) kept.push(one);
      size += sized.reduce((sum, one) => sum + one.size, 0);
      let over = Math.max(0, kept.length - MOST_LINES);
      for (const { size: gone } of kept.slice(0, over)) size -= gone;
      for (; size > MOST_CHARACTERS && over < kept.length - 1; over++) size -= kept[over]?.size ?? 0;
      if (over > 0) kept = kept.slice(over);
      left_out += over;
      if (!wasFirst) return batches(fresh, start >= 0, left_out);
      return caught_up ? all() : [];
    },
    stands: all,
  };
}

function batches(lines: readonly AnyLine[], anew: boolean, left_out: number): readonly FeedMessage[] {
  const messages: FeedMessage[] = [];
  for (let at = 0; at < lines.length; at += BATCH_LINES)
    messages.push({ kind: "lines", lines: lines.slice(at, at + BATCH_LINES), anew: anew && at === 0, left_out });
  return messages;
}
