/**
 * What became of each attempt that a journal tells of: when, in which slot, for how much, to what end.
 *
 * RUN-ATTEMPTS-1 attempts that overlap have different slots. An attempt has its slot while its agent runs: while the
 *    result is integrated the slot is another one's.
 */
import type { AdoptedWork } from "../core/event.ts";
import { usageIn } from "../core/fold-journal.ts";
import type { EntryOf, JournalLine } from "../core/journal-line.ts";

export interface TimeSpan {
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Null: it goes on, or nobody reported. */
  readonly to: number | null;
}

export interface WaitPart extends TimeSpan {
  readonly who: string;
  readonly attempt: string;
  readonly reason: string;
}

/** `integrating`: its agent is done, and its slot is free. */
export type AttemptEnd =
  | "integrating"
  | "integrated"
  | "failed"
  | "feasible"
  | "split"
  | "aborted"
  | "discarded"
  | "unavailable";

/** It has its slot while its agent runs, until `to`. */
export interface AttemptPart extends TimeSpan {
  readonly attempt: string;
  readonly atom: string;
  readonly role: string;
  readonly agent: string;
  readonly iteration: number;
  /** From 0: the lowest one that was free when it began. */
  readonly slot: number;
  /** Null: its agent is running. */
  readonly end: AttemptEnd | null;
  /** What its agent waits, or waited, for. */
  readonly wait: WaitPart | null;
  /** What it reported, or why it failed. */
  readonly words: string;
  /** What its commit is called, as far as it said. */
  readonly subject?: string | undefined;
  /** Null: not reported. */
  readonly cost_usd: number | null;
  readonly tokens: number;
  readonly commit: string | null;
}

/** Those that are kept, oldest first. */
export interface Attempts {
  readonly all: Map<string, AttemptPart>;
  /** Those running, or being integrated. */
  readonly open: Set<string>;
  /** How many were started. */
  started: number;
}

/** Of each list the newest; an endless run must not need endless memory. */
export const MOST_KEPT = 20_000;

export function blankAttempts(): Attempts {
  return { all: new Map(), open: new Set(), started: 0 };
}

export function startAttempt(fold: Attempts, line: EntryOf<"attempt_started">, from: number): void {
  fold.started++;
  const { attempt, atom, role, iteration } = line;
  if (attempt === "") return;
  const nothing = { agent: "", to: null, end: null, wait: null, words: "", cost_usd: null, tokens: 0, commit: null };
  fold.all.set(attempt, { attempt, atom, role, iteration, slot: freeSlot(fold), from, ...nothing });
  fold.open.add(attempt);
  const [oldest] = fold.all.keys();
  if (fold.all.size <= MOST_KEPT || oldest === undefined) return;
  fold.all.delete(oldest);
  fold.open.delete(oldest);
}

/** RUN-ATTEMPTS-1. */
function freeSlot({ all, open }: Attempts): number {
  const taken = new Set<number>();
  for (const name of open) {
    const attempt = all.get(name);
    if (attempt?.end === null) taken.add(attempt.slot);
  }
  let slot = 0;
  while (taken.has(slot)) slot++;
  return slot;
}

type AttemptLine = Extract<JournalLine, { readonly attempt: string }>;

/** Its agent is done. What comes behind the end is only learnt. */
export function endAttempt(
  { all, open }: Attempts,
  line: AttemptLine,
  time: number,
  { end, words, subject }: Pick<AttemptPart, "words" | "subject"> & { readonly end: AttemptEnd },
): void {
  const before = all.get(line.attempt);
  if (before === undefined) return;
  const usage = usageIn(line);
  all.set(before.attempt, {
    ...before,
    end: open.has(before.attempt) ? end : before.end,
    to: before.to ?? time,
    words: words === "" ? before.words : words,
    ...(subject === undefined ? {} : { subject }),
    agent: ("agent" in line ? line.agent : undefined) ?? before.agent,
    cost_usd: usage.cost_usd === null ? before.cost_usd : (before.cost_usd ?? 0) + usage.cost_usd,
    tokens: before.tokens + usage.tokens,
    commit: ("commit" in line ? line.commit : null) ?? before.commit,
  });
  if (end !== "integrating") open.delete(before.attempt);
}

/** @returns false: it is no wait of an attempt that goes on */
export function waitInAttempt({ all, open }: Attempts, wait: WaitPart): boolean {
  const attempt = open.has(wait.attempt) ? all.get(wait.attempt) : undefined;
  if (attempt !== undefined) all.set(wait.attempt, { ...attempt, wait });
  return attempt !== undefined;
}

/** What a run that died left open. */
export function abortOpen({ all, open }: Attempts, to: number): void {
  for (const name of open) {
    const attempt = all.get(name);
    if (attempt !== undefined) all.set(name, { ...attempt, end: "aborted", to: attempt.to ?? to });
  }
  open.clear();
}

/** What a crashed run had integrated and could not say. */
export function adoptWork({ all }: Attempts, works: readonly AdoptedWork[]): void {
  for (const { attempt: name, commit } of works) {
    const attempt = all.get(name);
    if (attempt !== undefined) all.set(name, { ...attempt, end: "integrated", commit });
  }
}
