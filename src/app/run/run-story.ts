/**
 * What a loop's journal tells of its runs, for pictures and reports: attempts with their slots, the measure, checks,
 * waits, what was integrated, what was said. A pure fold; feed it line by line, oldest first.
 *
 * T1 any line may lack anything: what cannot be told is left out, and an unknown kind is passed over;
 * T2 a story that is not over has attempts without an end.
 */
import { foldJournal, usageIn, type Projection } from "../../core/fold-journal.ts";
import type { AdoptedWork } from "../../core/event.ts";
import type { EntryOf, JournalLine } from "../../core/journal-line.ts";
import { sayRedirected } from "../../core/touched.ts";
import type { ChecklistVerdict } from "../../core/verdict.ts";

export interface TimeSpan {
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Null: it goes on, or nobody told. */
  readonly to: number | null;
}

export interface RunPart extends TimeSpan {
  readonly run: string;
  readonly outcome: string | null;
  readonly message: string;
}

export type AttemptEnd = "integrated" | "failed" | "feasible" | "split" | "aborted" | "discarded" | "unavailable";

export interface AttemptPart extends TimeSpan {
  readonly attempt: string;
  readonly atom: string;
  readonly role: string;
  readonly agent: string;
  readonly iteration: number;
  /** From 0: the lowest one that was free when it began. */
  readonly slot: number;
  /** Null: it goes on. */
  readonly end: AttemptEnd | null;
  /** What it reported, or why it failed. */
  readonly words: string;
  /** Null: not told. */
  readonly cost_usd: number | null;
  readonly tokens: number;
  readonly commit: string | null;
}

export interface MeasurePoint {
  readonly time: number;
  readonly measure: number;
}

export interface JudgedIteration {
  readonly iteration: number;
  readonly time: number;
  readonly measure: number;
  /** `first`, `progress`, `stall`, `expansion`. */
  readonly movement: string;
  readonly stall_count: number;
  readonly advice: string | null;
}

export interface Moment {
  readonly time: number;
  readonly words: string;
}

export interface WaitPart extends TimeSpan {
  readonly who: string;
  readonly attempt: string;
  readonly reason: string;
}

export interface RunStory {
  readonly runs: readonly RunPart[];
  readonly attempts: readonly AttemptPart[];
  readonly measures: readonly MeasurePoint[];
  readonly iterations: readonly JudgedIteration[];
  readonly waits: readonly WaitPart[];
  /** The last check of the base case. */
  readonly checked: {
    readonly verdict: ChecklistVerdict;
    readonly commit: string | null;
    readonly iteration: number;
    readonly time: number;
  } | null;
  readonly checks: readonly TimeSpan[];
  readonly notes: readonly Moment[];
  readonly failures: number;
  /** Who worked attempts, those who worked most first. */
  readonly agents: readonly AgentShare[];
  readonly cost_usd: number;
  readonly tokens: number;
  /** The newest line's. */
  readonly last: number;
}

export interface AgentShare {
  readonly agent: string;
  readonly attempts: number;
  readonly failures: number;
  /** As far as it was told. What a call cost before another agent took over is booked to that one. */
  readonly cost_usd: number;
}

export function createStory(): Projection<RunStory> {
  return foldJournal(blank, readLine, (fold) => ({
    ...fold,
    attempts: [...fold.attempts.values()],
    agents: [...fold.agents.values()].toSorted((a, b) => b.attempts - a.attempts),
  }));
}

/** Books what a line says of an agent. */
export function book(agents: Map<string, AgentShare>, line: JournalLine): void {
  const agent = "agent" in line ? line.agent : undefined;
  if (agent === undefined) return;
  const { attempts, failures, cost_usd } = agents.get(agent) ?? { attempts: 0, failures: 0, cost_usd: 0 };
  agents.set(agent, {
    agent,
    attempts: attempts + 1,
    failures: failures + (line.event === "attempt_failed" ? 1 : 0),
    cost_usd: cost_usd + (usageIn(line).cost_usd ?? 0),
  });
}

type Fold = ReturnType<typeof blank>;

/** Of each list the newest; an endless run must not need endless memory. */
const MOST_KEPT = 20_000;

function blank() {
  return {
    runs: [] as RunPart[],
    attempts: new Map<string, AttemptPart>(),
    busy: new Map<number, string>(),
    measures: [] as MeasurePoint[],
    iterations: [] as JudgedIteration[],
    waits: [] as WaitPart[],
    checked: null as RunStory["checked"],
    checks: [] as TimeSpan[],
    notes: [] as Moment[],
    failures: 0,
    agents: new Map<string, AgentShare>(),
    cost_usd: 0,
    tokens: 0,
    last: 0,
  };
}

function readLine(fold: Fold, line: JournalLine): void {
  const time = Date.parse(line.time);
  if (Number.isNaN(time)) return;
  fold.last = Math.max(fold.last, time);
  const usage = usageIn(line);
  fold.cost_usd += usage.cost_usd ?? 0;
  fold.tokens += usage.tokens;
  book(fold.agents, line);
  if ("measure" in line) keep(fold.measures, { time, measure: line.measure });
  switch (line.event) {
    case "run_started":
      endRun(fold, time, null, "");
      adopted(fold, line.integrated ?? []);
      return keep(fold.runs, { run: line.run, from: time, to: null, outcome: null, message: "" });
    case "halted":
      return endRun(fold, time, line.outcome, line.message);
    case "attempt_started":
      return started(fold, line, time);
    case "work_succeeded":
      return reported(fold, line, line.summary);
    case "probe_feasible":
      return ended(fold, line, time, "feasible", line.findings);
    case "work_split":
      return ended(fold, line, time, "split", line.reason);
    case "attempt_failed":
      fold.failures++;
      return ended(fold, line, time, "failed", line.reason);
    case "attempt_aborted":
      return ended(fold, line, time, "aborted", "");
    case "attempt_discarded":
      return ended(fold, line, time, "discarded", line.reason);
    case "agent_unavailable":
      return ended(fold, line, time, "unavailable", line.reason);
    case "attempt_integrated":
      return ended(fold, line, time, "integrated", "");
    case "waiting": {
      const { who, attempt = "", reason, until } = line;
      return keep(fold.waits, { who, attempt, reason, from: time, to: timeOf(until) });
    }
    case "base_case_checked":
      fold.checked = { verdict: line.verdict, commit: line.commit, iteration: line.iteration, time };
      return keep(fold.checks, { from: time, to: time });
    case "iteration_judged": {
      const { iteration, measure, movement, stall_count, advice = null } = line;
      return keep(fold.iterations, { iteration, time, measure, movement, stall_count, advice });
    }
    default: {
      const words = remarkOn(line);
      if (words !== "") keep(fold.notes, { time, words });
    }
  }
}

/** What a person should know beside the attempts; empty: nothing. */
function remarkOn(line: JournalLine): string {
  switch (line.event) {
    case "note":
      return line.message;
    case "redirected":
      return `redirected: ${sayRedirected(line.description, line.interrupted, line.going_on)}`;
    case "redirect_refused":
      return `redirect refused: ${line.reason}`;
    case "stop_requested":
      return `stop requested ${line.reason}`.trim();
    case "choice_given_up":
      return `${line.or_group}: ${line.choice} given up: ${line.reason}`;
    case "group_exhausted":
      return `no alternative is left in ${line.or_group}`;
    case "tampered":
      return `protected files were changed: ${line.files.join(", ")}`;
    case "atom_decomposed":
      return `${line.atom} was split into ${line.children.join(", ")}`;
    case "work_reverted":
      return "work was taken out again";
    default:
      return "";
  }
}

function started(fold: Fold, line: EntryOf<"attempt_started">, from: number): void {
  const { attempt, atom, role, iteration } = line;
  if (attempt === "") return;
  let slot = 0;
  while (fold.busy.has(slot)) slot++;
  fold.busy.set(slot, attempt);
  const nothing = { agent: "", to: null, end: null, words: "", cost_usd: null, tokens: 0, commit: null };
  fold.attempts.set(attempt, { attempt, atom, role, iteration, slot, from, ...nothing });
  const [oldest] = fold.attempts.keys();
  if (fold.attempts.size > MOST_KEPT && oldest !== undefined) fold.attempts.delete(oldest);
}

type AttemptLine = Extract<JournalLine, { readonly attempt: string }>;

function reported(fold: Fold, line: AttemptLine, words: string): void {
  const before = fold.attempts.get(line.attempt);
  if (before === undefined) return;
  const usage = usageIn(line);
  fold.attempts.set(before.attempt, {
    ...before,
    words: words === "" ? before.words : words,
    agent: ("agent" in line ? line.agent : undefined) ?? before.agent,
    cost_usd: usage.cost_usd === null ? before.cost_usd : (before.cost_usd ?? 0) + usage.cost_usd,
    tokens: before.tokens + usage.tokens,
    commit: ("commit" in line ? line.commit : null) ?? before.commit,
  });
}

function ended(fold: Fold, line: AttemptLine, time: number, end: AttemptEnd, words: string): void {
  reported(fold, line, words);
  const attempt = fold.attempts.get(line.attempt);
  if (attempt === undefined || attempt.to !== null) return;
  fold.attempts.set(attempt.attempt, { ...attempt, end, to: time });
  if (fold.busy.get(attempt.slot) === attempt.attempt) fold.busy.delete(attempt.slot);
}

/** A run that died left its attempts open. */
function endRun(fold: Fold, time: number, outcome: string | null, message: string): void {
  const run = fold.runs.at(-1);
  if (run === undefined || run.to !== null) return;
  const to = outcome === null ? Math.max(run.from, lastOf(fold, time)) : time;
  fold.runs[fold.runs.length - 1] = { ...run, to, outcome, message };
  for (const [slot, name] of fold.busy) {
    const attempt = fold.attempts.get(name);
    if (attempt !== undefined) fold.attempts.set(name, { ...attempt, end: "aborted", to });
    fold.busy.delete(slot);
  }
}

/** What a crashed run had integrated and could not say. */
function adopted(fold: Fold, works: readonly AdoptedWork[]): void {
  for (const { attempt: name, commit } of works) {
    const attempt = fold.attempts.get(name);
    if (attempt !== undefined) fold.attempts.set(name, { ...attempt, end: "integrated", commit });
  }
}

/** The newest sign of life before a moment. */
function lastOf(fold: Fold, time: number): number {
  const marks = [...fold.attempts.values()].flatMap(({ from, to }) => [from, to ?? from]);
  return Math.max(fold.measures.at(-1)?.time ?? 0, ...marks.slice(-100).filter((mark) => mark <= time), 0);
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST_KEPT) list.shift();
}

/** Null: it is no time. */
function timeOf(text: string): number | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
