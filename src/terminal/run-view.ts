/**
 * What a person sees of a run while it works: facts as lines, and on a terminal a small region below them that is
 * redrawn in place. Nothing here can fail the run: when nobody reads any more it falls silent.
 */
import { createStory } from "../history/run-story.ts";
import { atomOf, type AnyLine, type LineOf } from "../core/journal-line.ts";
import { clockOf, describeEvent } from "./event-text.ts";
import { fold } from "./fold.ts";
import { createLiveRegion } from "./live-region.ts";
import type { SnapshotKeeper } from "./loop-snapshot.ts";
import type { Painter } from "./paint.ts";
import { runRows } from "./run-rows.ts";
import type { Screen } from "./screen.ts";
import { oneLine } from "./verdict-text.ts";
import { usageIn } from "../core/fold-journal.ts";
import { clip, widthOf } from "./clip.ts";
import { dollars } from "../view/words.ts";

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
const SILENT_EVENTS: ReadonlySet<unknown> = new Set(["state_saved", "run_ended", "halted"]);

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
      if (size === null) return show(SILENT_EVENTS.has(line.event) ? "" : `${factLine(line, paint)}\n`);
      const fact = SILENT_EVENTS.has(line.event) ? null : facts(line, size.columns);
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

/** Reported by the region, or by the line that follows. */
const UNREPORTED_EVENTS: ReadonlySet<unknown> = new Set([
  "attempt_started",
  "check_started",
  "iteration_opened",
  "attempt_aborted",
  "attempt_integrated",
  "redirect_requested",
  "work_split",
  "replanned",
]);

/** The least room that a summary is worth. */
const LEAST_SUMMARY = 8;

/** A function of one line after the other and the terminal's width; null: nothing to show. */
function createTerminalFacts(paint: Painter): (line: AnyLine, columns: number) => string | null {
  const reports = new Map<string, { readonly summary: string; readonly cost: number | null }>();
  const success = (line: LineOf<"atom_resolved">, columns: number): string => {
    const { atom } = line;
    const report = reports.get(atom);
    reports.delete(atom);
    const head = `${paint("dim", clockOf(line.time))} ${paint("green", "✓")} ${paint("bold", atom)}`;
    const rest = [`${line.measure} left`, ...(report?.cost == null ? [] : [dollars(report.cost)])];
    const tail = paint("dim", ` · ${rest.join(" · ")}`);
    const room = columns - widthOf(head) - widthOf(tail) - 1;
    const summary = room < LEAST_SUMMARY ? "" : clip(oneLine(report?.summary ?? "", 400), room);
    return `${head}${summary === "" ? "" : ` ${summary}`}${tail}`;
  };
  let told = "";
  /** A reason that was the same the last time is no news. */
  const newsIn = (line: AnyLine): AnyLine => {
    if (line.event !== "atoms_added") return line;
    const { reason } = line;
    const again = reason === told;
    told = reason;
    return again ? { ...line, reason: "as before" } : line;
  };
  return (line, columns) => {
    if (line.event === "work_succeeded") {
      reports.set(atomOf(line), { summary: line.summary, cost: usageIn(line).cost_usd });
      return null;
    }
    if (line.event === "atom_resolved") return success(line, columns);
    return isReported(line) ? fact(newsIn(line), paint) : null;
  };
}

function isReported(line: AnyLine): boolean {
  switch (line.event) {
    case "iteration_judged":
      return line.movement !== "first" && line.movement !== "progress";
    case "attempt_discarded":
      return line.reason !== "redirected";
    case "stop_requested":
      return line.reason !== "Ctrl-C";
    default:
      return !UNREPORTED_EVENTS.has(line.event);
  }
}

/** What went otherwise than it should is shown whole, over several rows if need be. */
function fact(line: AnyLine, paint: Painter): string {
  const { text, style } = describeEvent(line);
  const words = oneLine(text, 400);
  const mark = line.event === "attempt_failed" ? `${paint("red", "✗")} ` : "";
  const atom = atomOf(line);
  const named = atom === "" ? "" : `${paint("bold", atom)} `;
  return `${paint("dim", clockOf(line.time))} ${mark}${named}${style === undefined ? words : paint(style, words)}`;
}
