/**
 * What a person sees of a run while it works: facts as lines, and on a terminal a small region below them that is
 * redrawn in place. Nothing here can fail the run: when nobody reads any more it falls silent.
 */
import type { JournalLine } from "../core/journal.ts";
import { clip, widthOf } from "./clip.ts";
import { atomOf, clockOf, describeEvent, type Line } from "./event-text.ts";
import type { Painter } from "./paint.ts";
import { createProgress, regionRows } from "./run-progress.ts";
import type { Screen } from "./screen.ts";
import { createTerminalFacts } from "./terminal-facts.ts";
import { oneLine } from "./verdict-text.ts";

export interface RunViewOptions {
  readonly write: (text: string) => void;
  readonly paint: Painter;
  /** The terminal as it is now: its size may change at any time. Null: not a terminal, lines only. */
  readonly screen: () => Screen | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What an atom is about, if it is known yet. */
  readonly describe?: (atom: string) => string | undefined;
}

export interface RunView {
  line(line: JournalLine): void;
  say(text: string): void;
  /** Draws the region anew: time has passed. */
  tick(): void;
  /** Takes the region away. */
  close(): void;
}

/** The answer has these in its receipt. */
const SILENT: ReadonlySet<string> = new Set(["state_saved", "run_ended", "halted"]);

export function createRunView({ write, paint, screen, now, describe }: RunViewOptions): RunView {
  const progress = createProgress();
  const facts = createTerminalFacts(paint);
  /** Widths of the rows of the region that stand on the screen. */
  let drawn: readonly number[] = [];
  let turn = 0;
  let gone = false;
  const put = (text: string): void => {
    if (gone || text === "") return;
    try {
      write(text);
    } catch {
      gone = true;
    }
  };
  /** A terminal that became narrower has broken the rows into several: all of them go. */
  const erase = (size: Screen): string => {
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / size.columns)), 0);
    drawn = [];
    return rows === 0 ? "" : `\u001b[${Math.min(rows, size.rows - 1)}A\r\u001b[J`;
  };
  const region = (size: Screen): string => {
    const shown = regionRows(progress.now(), { turn, now: now(), most: size.rows - 2, describe: describe ?? none });
    const rows = shown.map((row) => clip(row, size.columns - 1));
    drawn = rows.map(widthOf);
    return rows.map((row) => `${paint("dim", row)}\n`).join("");
  };
  const show = (text: string): void => {
    const size = screen();
    put(size === null ? text : `${erase(size)}${text}${region(size)}`);
  };
  return {
    line(line) {
      progress.follow(line);
      const size = screen();
      if (size === null) return show(SILENT.has(line.event) ? "" : `${factLine(line, paint)}\n`);
      const fact = SILENT.has(line.event) ? null : facts(line, size.columns);
      show(fact === null ? "" : `${fact}\n`);
    },
    say: (text) => show(`${text}\n`),
    tick() {
      if (screen() === null) return;
      turn++;
      show("");
    },
    close() {
      const size = screen();
      if (size !== null) put(erase(size));
    },
  };
}

function none(): undefined {
  return undefined;
}

function factLine(line: Line, paint: Painter): string {
  const { text, style } = describeEvent(line);
  const atom = atomOf(line);
  const words = oneLine(text, 400);
  return `${paint("dim", clockOf(line))} ${atom === "" ? "" : `${atom} `}${style === undefined ? words : paint(style, words)}`;
}
