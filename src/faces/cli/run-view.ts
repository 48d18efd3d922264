/**
 * What a person sees of a run while it works: facts as lines, and on a terminal a small region below them that is
 * redrawn in place. Nothing here can fail the run: when nobody reads any more it falls silent.
 */
import type { JournalLine } from "../../core/journal.ts";
import { formatDuration } from "../../core/fuel.ts";
import { atomOf, clockOf, describeEvent, dollars, type Line } from "./event-text.ts";
import type { Painter } from "./paint.ts";
import { oneLine } from "./verdict-text.ts";

export interface RunViewOptions {
  readonly write: (text: string) => void;
  readonly paint: Painter;
  /** Width of the terminal; null: not a terminal, lines only. */
  readonly columns: number | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface RunView {
  line(line: JournalLine): void;
  say(text: string): void;
  /** Draws the region anew: time has passed. */
  tick(): void;
  /** Takes the region away. */
  close(): void;
}

/** Told by the region, so that they need no line on a terminal. */
const IN_REGION: ReadonlySet<string> = new Set(["attempt_started", "iteration_opened", "attempt_aborted"]);
const SILENT: ReadonlySet<string> = new Set(["state_saved", "run_ended", "halted"]);
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MOST_ROWS = 12;

interface Progress {
  readonly running: Map<string, { readonly atom: string; readonly role: string; readonly since: number }>;
  iteration: number;
  measure: number | null;
  cost_usd: number;
}

export function createRunView({ write, paint, columns, now }: RunViewOptions): RunView {
  const progress: Progress = { running: new Map(), iteration: 0, measure: null, cost_usd: 0 };
  let drawn = 0;
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
  const erase = (): string => (drawn === 0 ? "" : `\u001b[${drawn}A\u001b[J`);
  const region = (): string => {
    if (columns === null) return "";
    const rows = regionRows(progress, SPINNER[turn % SPINNER.length] ?? "", now()).map((row) =>
      row.slice(0, columns - 1),
    );
    drawn = rows.length;
    return rows.map((row) => `${paint("dim", row)}\n`).join("");
  };
  const show = (text: string): void => {
    const before = erase();
    drawn = 0;
    put(`${before}${text}${region()}`);
  };
  return {
    line(line) {
      follow(progress, line as Line);
      if (SILENT.has(line.event) || (columns !== null && IN_REGION.has(line.event))) show("");
      else show(`${factLine(line as Line, paint)}\n`);
    },
    say: (text) => show(`${text}\n`),
    tick() {
      if (columns === null) return;
      turn++;
      show("");
    },
    close() {
      put(erase());
      drawn = 0;
    },
  };
}

function follow(progress: Progress, line: Line): void {
  const { running } = progress;
  const attempt = String(line["attempt"] ?? "");
  if (typeof line["iteration"] === "number") progress.iteration = Math.max(progress.iteration, line["iteration"]);
  if (typeof line["measure"] === "number") progress.measure = line["measure"];
  const usage = line["usage"] as { readonly cost_usd?: unknown } | undefined;
  if (typeof usage?.cost_usd === "number") progress.cost_usd += usage.cost_usd;
  switch (line["event"]) {
    case "run_started": {
      const memory = line["memory"] as { readonly cost_usd?: unknown } | undefined;
      if (typeof memory?.cost_usd === "number") progress.cost_usd = memory.cost_usd;
      return;
    }
    case "attempt_started":
      running.set(attempt, {
        atom: String(line["atom"] ?? attempt),
        role: String(line["role"] ?? ""),
        since: Date.parse(String(line["time"])),
      });
      return;
    case "attempt_integrated":
    case "attempt_failed":
    case "attempt_aborted":
    case "attempt_discarded":
    case "probe_feasible":
    case "work_split":
    case "agent_unavailable":
      running.delete(attempt);
  }
}

function regionRows({ running, iteration, measure, cost_usd }: Progress, spinner: string, now: number): string[] {
  const rows = [...running.values()]
    .slice(0, MOST_ROWS)
    .map(({ atom, role, since }) => `${spinner} ${atom}  ${role}  ${formatDuration(Math.max(0, now - since))}`);
  if (running.size > MOST_ROWS) rows.push(`  and ${running.size - MOST_ROWS} more`);
  const left = measure === null ? "" : ` | ${measure} left`;
  return [...rows, `  iteration ${iteration}${left} | ${running.size} at work | ${dollars(cost_usd)}`];
}

function factLine(line: Line, paint: Painter): string {
  const { text, style } = describeEvent(line);
  const atom = atomOf(line);
  const words = oneLine(text, 400);
  return `${paint("dim", clockOf(line))} ${atom === "" ? "" : `${atom} `}${style === undefined ? words : paint(style, words)}`;
}
