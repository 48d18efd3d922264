/**
 * What a person sees of a run while it works: facts as lines, and on a terminal a small region below them that is
 * redrawn in place. Nothing here can fail the run: when nobody reads any more it falls silent.
 */
import { createStory } from "../history/run-story.ts";
import { atomOf, type AnyLine } from "../core/journal-line.ts";
import { clockOf, describeEvent } from "./event-text.ts";
import { fold } from "./fold.ts";
import { createLiveRegion } from "./live-region.ts";
import type { SnapshotKeeper } from "./loop-snapshot.ts";
import type { Painter } from "./paint.ts";
import { runRows } from "./run-rows.ts";
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
  /** The loop as its file holds it, if that is known. */
  readonly snapshot?: SnapshotKeeper;
}

export interface RunView {
  line(line: AnyLine): void;
  say(text: string): void;
  /** Draws the region anew: time has passed. */
  tick(): void;
  /** Takes the region away; what comes afterwards brings it back. */
  close(): void;
}

/** The answer has these in its receipt. */
const SILENT: ReadonlySet<unknown> = new Set(["state_saved", "run_ended", "halted"]);

export function createRunView({ write, paint, screen, now, snapshot }: RunViewOptions): RunView {
  const story = createStory("newest_run");
  const facts = createTerminalFacts(paint);
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
  const region = createLiveRegion(put);
  const show = (text: string): void => {
    const size = screen();
    if (size === null) return put(text);
    const look = { turn, now: now(), screen: size, paint };
    region.draw(fold(text, size.columns), runRows(story.now(), snapshot?.now() ?? null, look), size);
  };
  return {
    line(line) {
      story.read(line);
      snapshot?.stale();
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
      if (size !== null) region.clear(size);
    },
  };
}

function factLine(line: AnyLine, paint: Painter): string {
  const { text, style } = describeEvent(line);
  const atom = atomOf(line);
  const words = oneLine(text, 400);
  return `${paint("dim", clockOf(line.time))} ${atom === "" ? "" : `${atom} `}${style === undefined ? words : paint(style, words)}`;
}
