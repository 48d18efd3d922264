/**
 * What a journal line says (SPEC section 8).
 *
 * JOURNAL-LINE-1 a line is an event or a fact with its time, run, iteration and atom; one JSON object per line.
 */
import type { Fact } from "./effect.ts";
import { atomIn, type Event, type Nogood, type Usage } from "./event.ts";
import type { Loop, Step } from "./loop.ts";
import { believed } from "./believed.ts";
import type { State } from "./state.ts";
import { answeredOn, type Answered } from "./tree-answers.ts";
import type { Passed } from "./verdict.ts";

type EventEntry<E> = E extends { readonly type: infer K } ? Omit<E, "type" | "at"> & { readonly event: K } : never;
type FactEntry<F> = F extends { readonly fact: infer K } ? Omit<F, "fact"> & { readonly event: K } : never;

/** Milliseconds that a command runs before a line says that it does. */
export const CHECK_SAID_AFTER_MS = 1_000;

/** What a run of a check is for: a verdict, luck, and what as-agreed.ts says. */
export const CHECK_RUN_REASONS = ["first", "again", "as_agreed", "canary", "before_work"] as const;
export type CheckRunReason = (typeof CHECK_RUN_REASONS)[number];

/** What is journaled beside events and facts. */
export type Mark =
  /** A goal was aligned or a loop restarted: what is before it belongs to another loop. */
  | {
      readonly event: "aligned";
      readonly tree?: string;
      /** What the checks said before the work. */
      readonly lessons?: readonly Nogood[];
      /** Of checks that failed in a fresh place for another reason than in the person's checkout. */
      readonly doubts?: readonly string[];
      /** As in the run's settings. */
      readonly trust?: number;
      /** What its draft cost. */
      readonly usage?: Usage;
    }
  | { readonly event: "restarted" }
  /** The state file holds everything up to here. */
  | { readonly event: "state_saved" }
  /** A redirect of a stopped loop asked for a revert; the next run does it. */
  | { readonly event: "revert_due"; readonly atoms: readonly string[] }
  /** `commits`: reverts of which no other line tells; what was lost with them is open again. */
  | { readonly event: "reverts_done"; readonly commits: readonly string[] }
  /** Something a person should know: a leftover cleaned up, a file that attempts do not see. */
  | { readonly event: "note"; readonly message: string }
  /** A command of the base case runs since CHECK_SAID_AFTER_MS; `last_ms`: how long it took the last time. */
  | { readonly event: "check_started"; readonly item: string; readonly why: CheckRunReason; readonly last_ms?: number }
  | {
      readonly event: "check_ended";
      readonly item: string;
      readonly why: CheckRunReason;
      readonly passed: Passed;
      readonly duration_ms: number;
    }
  /** An agent is rate limited and waited for; `until` is ISO 8601. */
  | {
      readonly event: "waiting";
      /** Who waits: an attempt, the planner. */
      readonly who: string;
      readonly attempt?: string;
      readonly until: string;
      readonly wait_ms: number;
      readonly reason: string;
    }
  /** Where the work is and what it came to; the last line of a run. */
  | {
      readonly event: "run_ended";
      readonly message: string;
      readonly cost_usd: number;
      readonly active_ms: number;
      /** The commit that the person got, where it is another one than the verified. */
      readonly handed_over?: string;
    };

export type JournalEntry = EventEntry<Event> | FactEntry<Fact> | Mark;

// No interfaces: a line is also a record, for those who show any.
type LineHead = {
  /** ISO 8601. */
  readonly time: string;
  readonly run: string;
  readonly iteration: number;
  readonly atom?: string;
  /** What checks answered, of those that this line tells of. */
  readonly answers?: readonly Answered[];
  /** The objective from here on, as JSON: of the start of a run, and of a redirect. */
  readonly objective?: string;
};

/** A line of a kind that is known (JOURNAL-LINE-1): written so, or read by `decode-line.ts`. */
export type JournalLine = LineHead & JournalEntry;

declare const OTHER: unique symbol;

/** A line of a kind that is not known here, of a later version or of a phase loop: it is kept as it is, and passed over. */
export type OtherLine = Readonly<Record<string, unknown>> & { readonly event?: { readonly [OTHER]: true } };

/** A line of any kind, as it was decoded. */
export type AnyLine = JournalLine | OtherLine;

/** Run id of what a person or a tool did without a run. */
export const BY_HAND = "by hand";

export type KnownEvent = JournalEntry["event"];
export type EntryOf<E extends KnownEvent> = Extract<JournalEntry, { readonly event: E }>;
export type LineOf<E extends KnownEvent> = Extract<JournalLine, { readonly event: E }>;

/** Which atom a line is about; empty: none. */
export function atomOf(line: AnyLine): string {
  if (typeof line.atom === "string") return line.atom;
  return "attempt" in line && typeof line.attempt === "string" ? atomIn(line.attempt) : "";
}

/** JOURNAL-LINE-1. */
export function lineOfEvent(event: Event, run: string, iteration: number, atom?: string): JournalLine {
  const { type, at, ...fields } = event;
  const head = { time: at, run, iteration, event: type, ...(atom === undefined ? {} : { atom }) };
  return { ...head, ...fields } as JournalLine;
}

/** The lines of a redirect tell what the goal is now. */
export function withGoal<T extends JournalLine>(line: T, { objective }: State): T {
  const tells = line.event === "redirected" || line.event === "run_started";
  return tells ? { ...line, objective: JSON.stringify(objective) } : line;
}

export function lineOfFact({ fact, ...fields }: Fact, time: string, run: string, iteration: number): JournalLine {
  return { time, run, iteration, event: fact, ...fields } as JournalLine;
}

/** A check as the loop took it: its verdict with what is flaky in it, and every answer that is known on its tree. */
function asJudged(event: Event, { run }: Loop): Event & { readonly answers?: readonly Answered[] } {
  if (event.type !== "base_case_checked") return event;
  const { answers, settings } = run;
  const { tree } = event;
  const verdict = believed(event.verdict, { tree, answers, trust: settings.trust ?? 0 });
  return { ...event, verdict, ...(tree === undefined ? {} : { answers: answeredOn(answers, tree) }) };
}

/** What the journal says of one step: its event, then its facts. @param before the loop that the event came to */
export function linesOf(before: Loop, event: Event, { loop, facts }: Step): JournalLine[] {
  const running =
    "attempt" in event ? before.run.attempts.find(({ attempt }) => attempt.id === event.attempt)?.attempt : undefined;
  const { id } = loop.run;
  const iteration = running?.iteration ?? loop.state.control.iteration;
  return [
    withGoal(lineOfEvent(asJudged(event, loop), id, iteration, running?.atom), loop.state),
    ...facts.map((fact) => withGoal(lineOfFact(fact, event.at, id, iteration), loop.state)),
  ];
}
