/**
 * What a loop's journal tells of its runs, for pictures and reports: attempts with their slots, the measure, checks,
 * waits, what was integrated, what was said. A pure fold; feed it line by line, oldest first.
 *
 * T1 any line may lack anything: what cannot be told is left out, and an unknown kind is passed over;
 * T2 a story that is not over has attempts without an end.
 */
import type { ReadLine } from "../../core/journal.ts";
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
    readonly time: number;
  } | null;
  readonly checks: readonly TimeSpan[];
  readonly notes: readonly Moment[];
  readonly cost_usd: number;
  readonly tokens: number;
  /** The newest line's. */
  readonly last: number;
}

export interface StoryKeeper {
  read(line: ReadLine): void;
  story(): RunStory;
}

export function createStory(): StoryKeeper {
  let fold = blank();
  return {
    read(line) {
      if (line.event === "aligned" || line.event === "restarted") fold = blank();
      else readLine(fold, line);
    },
    story: () => ({ ...fold, attempts: [...fold.attempts.values()], last: fold.last }),
  };
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
    cost_usd: 0,
    tokens: 0,
    last: 0,
  };
}

function readLine(fold: Fold, line: ReadLine): void {
  const time = Date.parse(textIn(line, "time"));
  if (Number.isNaN(time)) return;
  fold.last = Math.max(fold.last, time);
  const usage = usageIn(line);
  fold.cost_usd += usage.cost_usd ?? 0;
  fold.tokens += usage.tokens;
  const measure = numberIn(line, "measure");
  if (measure !== null) keep(fold.measures, { time, measure });
  switch (line.event) {
    case "run_started":
      endRun(fold, time, null, "");
      adopted(fold, line);
      return keep(fold.runs, { run: textIn(line, "run"), from: time, to: null, outcome: null, message: "" });
    case "halted":
      return endRun(fold, time, textIn(line, "outcome"), textIn(line, "message"));
    case "attempt_started":
      return started(fold, line, time);
    case "work_succeeded":
      return reported(fold, line, textIn(line, "summary"));
    case "probe_feasible":
      return ended(fold, line, time, "feasible", textIn(line, "findings"));
    case "work_split":
      return ended(fold, line, time, "split", textIn(line, "reason"));
    case "attempt_failed":
      return ended(fold, line, time, "failed", textIn(line, "reason"));
    case "attempt_aborted":
      return ended(fold, line, time, "aborted", "");
    case "attempt_discarded":
      return ended(fold, line, time, "discarded", textIn(line, "reason"));
    case "agent_unavailable":
      return ended(fold, line, time, "unavailable", textIn(line, "reason"));
    case "attempt_integrated":
      return ended(fold, line, time, "integrated", "");
    case "waiting":
      return waited(fold, line, time);
    case "base_case_checked":
      return checked(fold, line, time);
    case "iteration_judged":
      return keep(fold.iterations, {
        iteration: numberIn(line, "iteration") ?? 0,
        time,
        measure: measure ?? 0,
        movement: textIn(line, "movement"),
        stall_count: numberIn(line, "stall_count") ?? 0,
      });
    default:
      return remarked(fold, line, time);
  }
}

/** What a person should know beside the attempts. */
function remarked(fold: Fold, line: ReadLine, time: number): void {
  const words: Readonly<Record<string, string>> = {
    note: textIn(line, "message"),
    redirected: `redirected: ${textIn(line, "description")}`,
    redirect_refused: `redirect refused: ${textIn(line, "reason")}`,
    stop_requested: `stop requested ${textIn(line, "reason")}`.trim(),
    choice_given_up: `${textIn(line, "or_group")}: ${textIn(line, "choice")} given up: ${textIn(line, "reason")}`,
    group_exhausted: `no alternative is left in ${textIn(line, "or_group")}`,
    tampered: `protected files were changed: ${textsIn(line, "files").join(", ")}`,
    atom_decomposed: `${textIn(line, "atom")} was split into ${textsIn(line, "children").join(", ")}`,
    work_reverted: "work was taken out again",
  };
  const event = typeof line.event === "string" ? line.event : "";
  const said = Object.hasOwn(words, event) ? words[event] : undefined;
  if (said !== undefined && said !== "") keep(fold.notes, { time, words: said });
}

function started(fold: Fold, line: ReadLine, time: number): void {
  const attempt = textIn(line, "attempt");
  if (attempt === "") return;
  let slot = 0;
  while (fold.busy.has(slot)) slot++;
  fold.busy.set(slot, attempt);
  fold.attempts.set(attempt, {
    attempt,
    atom: textIn(line, "atom"),
    role: textIn(line, "role"),
    agent: "",
    iteration: numberIn(line, "iteration") ?? 0,
    slot,
    from: time,
    to: null,
    end: null,
    words: "",
    cost_usd: null,
    tokens: 0,
    commit: null,
  });
  const [oldest] = fold.attempts.keys();
  if (fold.attempts.size > MOST_KEPT && oldest !== undefined) fold.attempts.delete(oldest);
}

function reported(fold: Fold, line: ReadLine, words: string): void {
  const before = fold.attempts.get(textIn(line, "attempt"));
  if (before === undefined) return;
  const usage = usageIn(line);
  fold.attempts.set(before.attempt, {
    ...before,
    words: words === "" ? before.words : words,
    agent: textIn(line, "agent") || before.agent,
    cost_usd: usage.cost_usd === null ? before.cost_usd : (before.cost_usd ?? 0) + usage.cost_usd,
    tokens: before.tokens + usage.tokens,
    commit: textIn(line, "commit") || before.commit,
  });
}

function ended(fold: Fold, line: ReadLine, time: number, end: AttemptEnd, words: string): void {
  reported(fold, line, words);
  const attempt = fold.attempts.get(textIn(line, "attempt"));
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
function adopted(fold: Fold, line: ReadLine): void {
  const works = Array.isArray(line["integrated"]) ? line["integrated"] : [];
  for (const work of works as (ReadLine | null)[]) {
    const attempt = fold.attempts.get(typeof work === "object" && work !== null ? textIn(work, "attempt") : "");
    if (attempt === undefined || work === null) continue;
    fold.attempts.set(attempt.attempt, { ...attempt, end: "integrated", commit: textIn(work, "commit") || null });
  }
}

/** The newest sign of life before a moment. */
function lastOf(fold: Fold, time: number): number {
  const marks = [...fold.attempts.values()].flatMap(({ from, to }) => [from, to ?? from]);
  return Math.max(fold.measures.at(-1)?.time ?? 0, ...marks.slice(-100).filter((mark) => mark <= time), 0);
}

function waited(fold: Fold, line: ReadLine, time: number): void {
  const until = Date.parse(textIn(line, "until"));
  const to = Number.isNaN(until) ? null : until;
  keep(fold.waits, {
    who: textIn(line, "who"),
    attempt: textIn(line, "attempt"),
    reason: textIn(line, "reason"),
    from: time,
    to,
  });
}

function checked(fold: Fold, line: ReadLine, time: number): void {
  const verdict = line["verdict"] as ChecklistVerdict | null | undefined;
  if (typeof verdict !== "object" || verdict === null || !Array.isArray(verdict.checklist)) return;
  fold.checked = { verdict, commit: textIn(line, "commit") || null, time };
  keep(fold.checks, { from: time, to: time });
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST_KEPT) list.shift();
}

function usageIn(line: ReadLine): { readonly cost_usd: number | null; readonly tokens: number } {
  const usage = line["usage"] as Readonly<Record<string, unknown>> | null | undefined;
  const count = (key: string): number => Math.max(0, finite(usage?.[key]) ?? 0);
  const cost = finite(usage?.["cost_usd"]);
  return { cost_usd: cost === null ? null : Math.max(0, cost), tokens: count("input_tokens") + count("output_tokens") };
}

function textIn(line: ReadLine, key: string): string {
  const value = line[key];
  return typeof value === "string" ? value : "";
}

function textsIn(line: ReadLine, key: string): readonly string[] {
  const value = line[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function numberIn(line: ReadLine, key: string): number | null {
  return finite(line[key]);
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
