/**
 * What a loop's journal tells of its runs: attempts with their slots, the measure, checks, waits, what was integrated, what
 * was said, what it spent. The one fold behind status, live view, report, pictures and dashboard; each is a function of it.
 *
 * RUN-STORY-1 any line may lack anything: what is not known is left out, and an unknown kind is passed over;
 * RUN-STORY-2 a story that is not over has attempts without an end.
 */
import type { RunSettings } from "../core/event.ts";
import { foldJournal, usageIn, type Projection } from "../core/fold-journal.ts";
import { CHECK_SAID_AFTER_MS, type EntryOf, type JournalLine } from "../core/journal-line.ts";
import { sayRedirected } from "../core/touched.ts";
import type { ChecklistVerdict, Passed } from "../core/verdict.ts";
import {
  abortOpen,
  adoptWork,
  blankAttempts,
  endAttempt,
  MOST_KEPT,
  startAttempt,
  waitInAttempt,
  type AttemptPart,
  type TimeSpan,
  type WaitPart,
} from "./run-attempts.ts";

export type { AttemptPart, TimeSpan, WaitPart } from "./run-attempts.ts";

export interface RunPart extends TimeSpan {
  readonly run: string;
  readonly outcome: string | null;
  readonly message: string;
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
  readonly event: JournalLine["event"];
  /** With how often, where it is not once. */
  readonly words: string;
  /** How often it was noted, whatever attempt it was about; absent: once. */
  readonly times?: number;
}

/** What was integrated or taken out. */
export interface HistoryPart {
  readonly commit: string | null;
  readonly what: string;
  /** Who made it. */
  readonly agent?: string;
}

export type CheckPart = Pick<EntryOf<"check_started">, "item" | "why" | "last_ms"> & { readonly from: number };

/** What a run is about, as its lines tell it. */
interface NewestRun {
  /** Null: it did not tell. */
  readonly settings: RunSettings | null;
  /** What earlier runs worked. Milliseconds. */
  readonly earlier_ms: number;
  /** Atoms that were resolved since it began, as far as they still are. */
  readonly resolved: ReadonlySet<string>;
  /** The check that runs. */
  readonly checking: CheckPart | null;
  /** Waits that are no attempt's, by who waits: the planner, the judge. */
  readonly waiting: ReadonlyMap<string, WaitPart>;
  /** Nothing new is started; why. Null: it is not stopping. */
  readonly stopping: string | null;
  /** A redirect waits for work that is being integrated or taken out. */
  readonly redirecting: boolean;
  /** What became of the base case since attempts worked last; `failed`: its failing leaves become work. */
  readonly base_case: "not" | "failed" | "done";
}

export interface RunStory {
  /** Of the newest run. */
  readonly newest: NewestRun;
  readonly runs: readonly RunPart[];
  readonly attempts: readonly AttemptPart[];
  /** How many attempts were started. */
  readonly started: number;
  /** Those that have not ended, oldest first. */
  readonly working: readonly AttemptPart[];
  readonly measures: readonly MeasurePoint[];
  readonly iterations: readonly JudgedIteration[];
  /** The highest that a line is of. */
  readonly iteration: number;
  readonly waits: readonly WaitPart[];
  /** What agents waited for rate limits at most, all together. */
  readonly waited_ms: number;
  /** The last check of the base case. */
  readonly checked: {
    readonly verdict: ChecklistVerdict;
    readonly commit: string | null;
    readonly iteration: number;
    readonly time: number;
    /** The commit with the same files that the person got instead. */
    readonly handed_over?: string;
  } | null;
  readonly checks: readonly { readonly time: number; readonly passed: Passed }[];
  readonly notes: readonly Moment[];
  /** Oldest first. */
  readonly history: readonly HistoryPart[];
  readonly failures: number;
  /** Calls beside the first of each attempt: of planners and judges, and second ones for an answer that could not be read. */
  readonly other_calls: number;
  /** Choices that were given up, and why. */
  readonly given_up: ReadonlyMap<string, string>;
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
  /** As far as it was reported. What a call cost before another agent took over is booked to that one. */
  readonly cost_usd: number;
}

/** @param of `newest_run`: it begins anew with each run, with what earlier ones spent */
export function createStory(of: "loop" | "newest_run" = "loop"): Projection<RunStory> {
  const next = (fold: Fold, line: JournalLine): void => {
    if (of === "newest_run" && line.event === "run_started") {
      const { cost_usd, tokens = 0 } = line.memory;
      Object.assign(fold, blank(), { cost_usd, tokens });
    }
    readLine(fold, line);
  };
  const answer = ({ attempts: { all, started, open }, ...fold }: Fold): RunStory => ({
    ...fold,
    attempts: [...all.values()],
    started,
    working: [...open].flatMap((name) => all.get(name) ?? []),
    agents: [...fold.agents.values()].toSorted((a, b) => b.attempts - a.attempts),
  });
  return foldJournal({ blank, next, answer });
}

/** Books what a line says of an agent. */
function book(agents: Map<string, AgentShare>, line: JournalLine): void {
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

/** @param begun the journal line that says what was spent before the first run */
function blank(begun?: JournalLine) {
  const { calls, cost_usd, tokens } = begun === undefined ? { calls: 0, cost_usd: 0, tokens: 0 } : usageIn(begun);
  return {
    newest: blankRun(),
    runs: [] as RunPart[],
    attempts: blankAttempts(),
    measures: [] as MeasurePoint[],
    iterations: [] as JudgedIteration[],
    iteration: 0,
    waits: [] as WaitPart[],
    waited_ms: 0,
    checked: null as RunStory["checked"],
    checks: [] as { time: number; passed: Passed }[],
    notes: [] as Moment[],
    history: [] as HistoryPart[],
    failures: 0,
    other_calls: calls,
    given_up: new Map<string, string>(),
    agents: new Map<string, AgentShare>(),
    cost_usd: cost_usd ?? 0,
    tokens,
    last: 0,
  };
}

function blankRun(settings: RunSettings | null = null, earlier_ms = 0) {
  return {
    settings,
    earlier_ms,
    resolved: new Set<string>(),
    checking: null as NewestRun["checking"],
    waiting: new Map<string, WaitPart>(),
    stopping: null as string | null,
    redirecting: false,
    base_case: "not" as NewestRun["base_case"],
  };
}

function readLine(fold: Fold, line: JournalLine): void {
  const time = Date.parse(line.time);
  if (Number.isNaN(time)) return;
  fold.last = Math.max(fold.last, time);
  fold.iteration = Math.max(fold.iteration, line.iteration);
  const usage = usageIn(line);
  fold.cost_usd += usage.cost_usd ?? 0;
  fold.tokens += usage.tokens;
  fold.other_calls += "attempt" in line ? Math.max(0, usage.calls - 1) : usage.calls;
  book(fold.agents, line);
  if ("measure" in line) keep(fold.measures, { time, measure: line.measure });
  const words = remarkOn(line);
  if (words !== "") note(fold.notes, { time, event: line.event, words });
  readEvent(fold, line, time);
}

function readEvent(fold: Fold, line: JournalLine, time: number): void {
  const { newest } = fold;
  switch (line.event) {
    case "run_started":
      endRun(fold, time, null, "");
      adoptWork(fold.attempts, line.integrated ?? []);
      fold.newest = blankRun(line.settings, line.memory.active_ms);
      return keep(fold.runs, { run: line.run, from: time, to: null, outcome: null, message: "" });
    case "halted":
      return endRun(fold, time, line.outcome, line.message);
    case "attempt_started":
      newest.base_case = "not";
      return startAttempt(fold.attempts, line, time);
    case "work_succeeded":
      return endAttempt(fold.attempts, line, time, { end: "integrating", words: line.summary, subject: line.subject });
    case "probe_feasible":
      return endAttempt(fold.attempts, line, time, { end: "feasible", words: line.findings });
    case "work_split":
      return endAttempt(fold.attempts, line, time, { end: "split", words: line.reason });
    case "attempt_failed":
      fold.failures++;
      return endAttempt(fold.attempts, line, time, { end: "failed", words: line.reason });
    case "attempt_aborted":
      return endAttempt(fold.attempts, line, time, { end: "aborted", words: "" });
    case "attempt_discarded":
      return endAttempt(fold.attempts, line, time, { end: "discarded", words: line.reason });
    case "agent_unavailable":
      return endAttempt(fold.attempts, line, time, { end: "unavailable", words: line.reason });
    case "attempt_integrated":
      endAttempt(fold.attempts, line, time, { end: "integrated", words: "" });
      return integrated(fold, line);
    case "work_reverted":
      if (line.gone !== undefined)
        fold.history = fold.history.filter(({ commit }) => line.gone?.includes(commit ?? "") !== true);
      else if (line.commit !== null)
        keep(fold.history, { commit: line.commit, what: "reverted: given up, or to be done again" });
      return;
    case "choice_given_up":
      fold.given_up.set(line.choice, line.reason);
      return;
    case "atom_resolved":
      newest.resolved.add(line.atom);
      return;
    case "atom_reset":
      newest.resolved.delete(line.atom);
      for (const { attempt, reason } of line.lessons ?? []) refute(fold, attempt, reason);
      return;
    case "check_started":
      newest.checking = { ...line, from: time - CHECK_SAID_AFTER_MS };
      return;
    case "check_ended":
      newest.checking = null;
      return;
    case "waiting":
      return waits(fold, line, time);
    case "stop_requested":
      newest.stopping = line.reason;
      return;
    case "redirect_requested":
    case "redirected":
    case "redirect_refused":
      newest.redirecting = line.event === "redirect_requested";
      return;
    case "advised":
    case "replanned":
      if (line.event === "replanned") newest.base_case = "not";
      newest.waiting.clear();
      return;
    case "base_case_checked":
      newest.base_case = line.verdict.passed === false ? "failed" : "done";
      newest.checking = null;
      newest.waiting.clear();
      fold.checked = { verdict: line.verdict, commit: line.commit, iteration: line.iteration, time };
      return keep(fold.checks, { time, passed: line.verdict.passed });
    case "run_ended":
      if (fold.checked !== null && line.handed_over !== undefined)
        fold.checked = { ...fold.checked, handed_over: line.handed_over };
      return;
    case "iteration_judged": {
      const { iteration, measure, movement, stall_count, advice = null } = line;
      return keep(fold.iterations, { iteration, time, measure, movement, stall_count, advice });
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

/** A verdict refuted what it claimed: the attempt has failed. */
function refute(fold: Fold, attempt: string, reason: string): void {
  const claimed = fold.attempts.all.get(attempt);
  if (claimed === undefined) return;
  fold.attempts.all.set(attempt, { ...claimed, end: "failed", words: reason });
  fold.failures++;
  const share = fold.agents.get(claimed.agent);
  if (share !== undefined) fold.agents.set(share.agent, { ...share, failures: share.failures + 1 });
}

function integrated(fold: Fold, line: EntryOf<"attempt_integrated">): void {
  const { atom = line.attempt, words = "", subject = words, agent = "" } = fold.attempts.all.get(line.attempt) ?? {};
  keep(fold.history, { commit: line.commit, what: `${atom}: ${subject}`, ...(agent === "" ? {} : { agent }) });
}

function waits(fold: Fold, line: EntryOf<"waiting">, from: number): void {
  const { who, attempt = "", reason } = line;
  const until = Date.parse(line.until);
  const wait: WaitPart = { who, attempt, reason, from, to: Number.isNaN(until) ? null : until };
  keep(fold.waits, wait);
  fold.waited_ms += line.wait_ms;
  if (!waitInAttempt(fold.attempts, wait)) fold.newest.waiting.set(who, wait);
}

/** A run that died left its attempts open. */
function endRun(fold: Fold, time: number, outcome: string | null, message: string): void {
  const run = fold.runs.at(-1);
  if (run === undefined || run.to !== null) return;
  const to = outcome === null ? Math.max(run.from, lastOf(fold, time)) : time;
  fold.runs[fold.runs.length - 1] = { ...run, to, outcome, message };
  abortOpen(fold.attempts, to);
}

/** The newest sign of life before a moment. */
function lastOf(fold: Fold, time: number): number {
  const marks = [...fold.attempts.all.values()].flatMap(({ from, to }) => [from, to ?? from]);
  return Math.max(fold.measures.at(-1)?.time ?? 0, ...marks.slice(-100).filter((mark) => mark <= time), 0);
}

/** A note that was there already takes the place of the earlier one: what repeats must not push out the rest. */
function note(notes: Moment[], moment: Moment): void {
  const what = whatOf(moment);
  const place = moment.event === "note" ? notes.findIndex((one) => one.event === "note" && whatOf(one) === what) : -1;
  const [before] = place < 0 ? [] : notes.splice(place, 1);
  if (before === undefined) return keep(notes, moment);
  const times = (before.times ?? 1) + 1;
  keep(notes, { ...moment, words: `${moment.words}${timesWords(times)}`, times });
}

const timesWords = (times: number): string => ` (${times} times)`;

/** Without the attempt that it is about: `A1.2: what is wrong`. */
function whatOf({ words, times }: Moment): string {
  const said = times === undefined ? words : words.slice(0, -timesWords(times).length);
  return said.replace(/^\S+\.\d+: /, "");
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST_KEPT) list.shift();
}
