/**
 * A few rows at the bottom of a terminal that are redrawn in place, below text that scrolls as usual.
 *
 * LIVE-REGION-1 each redraw is one write, between the marks of a synchronized update: no terminal shows half of it;
 * LIVE-REGION-2 a row is overwritten, never blanked first, and one that did not change is not touched.
 */
import { clip, widthOf } from "./clip.ts";
import type { Screen } from "./screen.ts";

const UPDATE_BEGINS = "\u001b[?2026h";
const UPDATE_ENDS = "\u001b[?2026l";

/** One update of the screen, shown as a whole by terminals that can do that; others pass the marks over. LIVE-REGION-1. */
export function update(text: string): string {
  return `${UPDATE_BEGINS}${text}${UPDATE_ENDS}`;
}

export interface LiveRegion {
  /** Writes the text above the region and draws these rows. @param text empty, or whole lines */
  draw(text: string, rows: readonly string[], size: Screen): void;
  /** Takes the region away; what is drawn afterwards begins where it stood. */
  clear(size: Screen): void;
}

export function createLiveRegion(write: (text: string) => void): LiveRegion {
  /** The rows that stand on the screen, and its width when they were drawn. */
  let drawn: readonly string[] = [];
  let width = 0;
  const up = (rows: number): string => (rows === 0 ? "\r" : `\u001b[${rows}A\r`);
  /** A terminal that became narrower has broken the rows into several: all of them go. */
  const erased = (size: Screen): string => {
    if (drawn.length === 0) return "";
    const rows = drawn.reduce((sum, row) => sum + Math.max(1, Math.ceil(widthOf(row) / size.columns)), 0);
    return `${up(Math.min(rows, size.rows - 1))}\u001b[J`;
  };
  return {
    draw(text, given, size) {
      const rows = given.slice(0, Math.max(0, size.rows - 1)).map((row) => clip(row, size.columns - 1));
      const inPlace = text === "" && width === size.columns && drawn.length > 0;
      if (inPlace && rows.length === drawn.length && rows.every((row, index) => row === drawn[index])) return;
      const frame = inPlace
        ? `${up(drawn.length)}${changed(drawn, rows)}${rows.length < drawn.length ? "\u001b[J" : ""}`
        : `${erased(size)}${text}${rows.map((row) => `${row}\n`).join("")}`;
      drawn = rows;
      width = size.columns;
      write(update(frame));
    },
    clear(size) {
      const frame = erased(size);
      drawn = [];
      if (frame !== "") write(update(frame));
    },
  };
}

/** LIVE-REGION-2. */
function changed(before: readonly string[], after: readonly string[]): string {
  return after.map((row, index) => (row === before[index] ? "\n" : `${row}\u001b[K\n`)).join("");
}
