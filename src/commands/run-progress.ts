/** What is at work in a run, folded from its journal lines as they come. */
import type { AnyLine } from "../core/journal-line.ts";
import type { RunSettings } from "../core/event.ts";
import { costOf } from "./event-text.ts";

export interface Work {
  readonly atom: string;
  readonly role: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly wait?: Wait;
  /** Its agent is done; what it made is being integrated, and its slot is free. */
  readonly integrating?: true;
}

/** Somebody waits for an agent that is rate limited, or not there. */
export interface Wait {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly reason: string;
}

export interface Progress {
  readonly running: ReadonlyMap<string, Work>;
  /** Atoms that were resolved since the run began, as far as they still are. */
  readonly resolved: ReadonlySet<string>;
  /** Waits that are no attempt's, by who waits: the planner, the judge. */
  readonly waits: ReadonlyMap<string, Wait>;
  readonly iteration: number;
  /** Null: not told yet. */
  readonly measure: number | null;
  readonly cost_usd: number;
  /** When the run began, and what earlier runs worked; milliseconds. */
  readonly started: number | null;
  readonly active_before_ms: number;
  readonly settings: RunSettings | null;
  /** Nothing new is started; why. Null: it is not stopping. */
  readonly stopping: string | null;
  /** A redirect waits for work that is being integrated or taken out. */
  readonly redirecting: boolean;
  /** What became of the base case since attempts worked last; `failed`: its failing leaves become work. */
  readonly checked: "not" | "failed" | "done";
}

const NOTHING: Progress = {
  running: new Map(),
  resolved: new Set(),
  waits: new Map(),
  iteration: 0,
  measure: null,
  cost_usd: 0,
  started: null,
  active_before_ms: 0,
  settings: null,
  stopping: null,
  redirecting: false,
  checked: "not",
};

const SETTLED: ReadonlySet<unknown> = new Set([
  "attempt_integrated",
  "attempt_failed",
  "attempt_aborted",
  "attempt_discarded",
  "probe_feasible",
  "work_split",
  "agent_unavailable",
]);

export interface ProgressKeeper {
  follow(line: AnyLine): void;
  now(): Progress;
}

export function createProgress(): ProgressKeeper {
  let progress = NOTHING;
  return {
    now: () => progress,
    follow: (line) => {
      progress = after(progress, line);
    },
  };
}

function after(before: Progress, line: AnyLine): Progress {
  const told: Progress = {
    ...before,
    iteration: Math.max(before.iteration, numberIn(line, "iteration") ?? 0),
    measure: numberIn(line, "measure") ?? before.measure,
    cost_usd: before.cost_usd + (costOf(line) ?? 0),
  };
  if (SETTLED.has(line["event"])) return { ...told, running: without(told.running, textIn(line, "attempt")) };
  switch (line["event"]) {
    case "run_started":
      return begun(told, line);
    case "attempt_started":
      return { ...told, checked: "not", running: withAttempt(told.running, line) };
    case "work_succeeded":
      return { ...told, running: integrating(told.running, textIn(line, "attempt")) };
    case "atom_resolved":
      return { ...told, resolved: new Set([...told.resolved, textIn(line, "atom")]) };
    case "atom_reset":
      return { ...told, resolved: new Set([...told.resolved].filter((atom) => atom !== textIn(line, "atom"))) };
    case "waiting":
      return waiting(told, line);
    case "stop_requested":
      return { ...told, stopping: textIn(line, "reason") };
    case "redirect_requested":
      return { ...told, redirecting: true };
    case "redirected":
    case "redirect_refused":
      return { ...told, redirecting: false };
    case "base_case_checked":
      return { ...told, checked: isFalse(line["verdict"]) ? "failed" : "done", waits: new Map() };
    case "replanned":
      return { ...told, checked: "not", waits: new Map() };
    default:
      return told;
  }
}

function begun(before: Progress, line: AnyLine): Progress {
  const memory = line["memory"] as { readonly cost_usd?: unknown; readonly active_ms?: unknown } | null | undefined;
  return {
    ...NOTHING,
    iteration: before.iteration,
    cost_usd: finite(memory?.cost_usd) ?? 0,
    active_before_ms: finite(memory?.active_ms) ?? 0,
    started: timeIn(line, "time"),
    settings: (line["settings"] as RunSettings | null | undefined) ?? null,
  };
}

function withAttempt(running: Progress["running"], line: AnyLine): Progress["running"] {
  const attempt = textIn(line, "attempt");
  const since = timeIn(line, "time") ?? 0;
  return new Map([...running, [attempt, { atom: textIn(line, "atom") || attempt, role: textIn(line, "role"), since }]]);
}

function integrating(running: Progress["running"], attempt: string): Progress["running"] {
  const work = running.get(attempt);
  return work === undefined ? running : new Map([...running, [attempt, { ...work, integrating: true }]]);
}

function waiting(before: Progress, line: AnyLine): Progress {
  const until = timeIn(line, "until");
  if (until === null) return before;
  const wait: Wait = { until, reason: textIn(line, "reason") };
  const attempt = textIn(line, "attempt");
  const work = before.running.get(attempt);
  if (work !== undefined) return { ...before, running: new Map([...before.running, [attempt, { ...work, wait }]]) };
  return { ...before, waits: new Map([...before.waits, [textIn(line, "who"), wait]]) };
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

function isFalse(verdict: unknown): boolean {
  return (verdict as { readonly passed?: unknown } | null | undefined)?.passed === false;
}

function textIn(line: AnyLine, key: string): string {
  const value = line[key];
  return typeof value === "string" ? value : "";
}

function numberIn(line: AnyLine, key: string): number | null {
  return finite(line[key]);
}

function timeIn(line: AnyLine, key: string): number | null {
  return finite(Date.parse(textIn(line, key)));
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
