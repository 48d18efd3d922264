/**
 * The journal's lines as a person at a terminal wants them: one line for an atom's success, none for what the region
 * below shows anyway. Elsewhere, and in `aot log`, every line stands.
 */
import { atomOf, type AnyLine, type LineOf } from "../core/journal-line.ts";
import { usageIn } from "../core/fold-journal.ts";
import { clip, widthOf } from "./clip.ts";
import { dollars } from "../view/words.ts";
import { clockOf, describeEvent } from "./event-text.ts";
import type { Painter } from "./paint.ts";
import { oneLine } from "./verdict-text.ts";

/** Reported by the region, or by the line that follows. */
const UNREPORTED: ReadonlySet<unknown> = new Set([
  "attempt_started",
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
export function createTerminalFacts(paint: Painter): (line: AnyLine, columns: number) => string | null {
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
      return !UNREPORTED.has(line.event);
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
