/** What is at work in a run, from its journal lines, and the rows that show it. */
import { formatDuration } from "../core/fuel.ts";
import { dollars, type Line } from "./event-text.ts";
import { oneLine } from "./verdict-text.ts";

interface Work {
  readonly atom: string;
  readonly role: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A rate limit that it waits for ends then; milliseconds since 1970. */
  readonly until?: number;
}

export interface Standing {
  readonly running: ReadonlyMap<string, Work>;
  readonly iteration: number;
  readonly measure: number | null;
  readonly cost_usd: number;
  /** Nothing new is started. */
  readonly stopping: boolean;
}

export interface Progress {
  follow(line: Line): void;
  now(): Standing;
}

const SETTLED: ReadonlySet<string> = new Set([
  "attempt_integrated",
  "attempt_failed",
  "attempt_aborted",
  "attempt_discarded",
  "probe_feasible",
  "work_split",
  "agent_unavailable",
]);

export function createProgress(): Progress {
  const running = new Map<string, Work>();
  let iteration = 0;
  let measure: number | null = null;
  let cost_usd = 0;
  let stopping = false;
  return {
    now: () => ({ running, iteration, measure, cost_usd, stopping }),
    follow(line) {
      const attempt = String(line["attempt"] ?? "");
      if (typeof line["iteration"] === "number") iteration = Math.max(iteration, line["iteration"]);
      if (typeof line["measure"] === "number") measure = line["measure"];
      cost_usd += costIn(line["usage"]);
      if (line["event"] === "run_started") cost_usd = costIn(line["memory"]);
      if (line["event"] === "stop_requested") stopping = true;
      const work = running.get(attempt);
      if (line["event"] === "waiting" && work !== undefined)
        running.set(attempt, { ...work, until: Date.parse(String(line["until"])) });
      if (SETTLED.has(String(line["event"]))) running.delete(attempt);
      if (line["event"] === "attempt_started")
        running.set(attempt, {
          atom: String(line["atom"] ?? attempt),
          role: String(line["role"] ?? ""),
          since: Date.parse(String(line["time"])),
        });
    },
  };
}

function costIn(value: unknown): number {
  const cost = (value as { readonly cost_usd?: unknown } | null | undefined)?.cost_usd;
  return typeof cost === "number" && Number.isFinite(cost) ? cost : 0;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MOST_ROWS = 12;

export interface Look {
  /** Counts the redraws: the spinner turns by it. */
  readonly turn: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Rows that there is room for. */
  readonly most: number;
  readonly describe: (atom: string) => string | undefined;
}

/** One row for each attempt at work, and one for the whole. */
export function regionRows(standing: Standing, { turn, now, most, describe }: Look): string[] {
  const { running, iteration, measure, cost_usd, stopping } = standing;
  const spinner = SPINNER[turn % SPINNER.length] ?? "";
  const room = Math.max(0, Math.min(MOST_ROWS, most - 2));
  const rows = [...running.values()].slice(0, room).map(({ atom, role, since, until }) => {
    const isWaiting = until !== undefined && until > now;
    const what = isWaiting ? `waits until ${timeOf(until)} for its agent` : oneLine(describe(atom) ?? "", 60);
    return `${spinner} ${atom}  ${seconds(now - since).padEnd(4)}${role === "worker" ? "" : `  ${role}`}${what === "" ? "" : `  ${what}`}`;
  });
  if (running.size > room) rows.push(`  and ${running.size - room} more`);
  const parts = [
    ...(iteration === 0 ? [] : [`iteration ${iteration}`]),
    ...(measure === null ? [] : [`${measure} left`]),
    `${running.size} at work`,
    dollars(cost_usd),
    ...(stopping ? ["stopping"] : []),
  ];
  return [...rows, `  ${parts.join(" · ")}`];
}

/** As a clock here shows it. */
function timeOf(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 5);
}

/** Whole seconds: a clock that shows tenths only flickers. */
function seconds(ms: number): string {
  return ms < 1_000 ? "0s" : formatDuration(Math.floor(ms / 1_000) * 1_000);
}
