/**
 * What is learnt from a journal, line by line (SPEC section 8): each projection is a fold that can go on where it stopped.
 *
 * FOLD-JOURNAL-1 lines read so far and then further ones give what all of them give;
 * FOLD-JOURNAL-2 a goal that is aligned, or a restart, begins anew: what comes before belongs to another loop;
 * FOLD-JOURNAL-3 lines of another kind are passed over.
 */
import { isKnown } from "./decode-line.ts";
import type { AnyLine, JournalLine } from "./journal-line.ts";
import { charged, tokensOf } from "./loop.ts";

export interface Projection<T> {
  /** The next line, oldest first, as it was decoded. */
  read(line: AnyLine): void;
  now(): T;
}

/** What makes a fold. */
interface Folding<L, F, T> {
  /** Null: a line of another kind (FOLD-JOURNAL-3). */
  known(line: AnyLine): L | null;
  /** FOLD-JOURNAL-2. */
  begins(line: L): boolean;
  /** What begins, and by which line. */
  blank(begun?: L): F;
  /** May change the fold, which nobody else sees. */
  next(fold: F, line: L): void;
  answer(fold: F): T;
}

export function foldLines<L, F, T>({ known, begins, blank, next, answer }: Folding<L, F, T>): Projection<T> {
  let fold = blank();
  return {
    read(line) {
      const one = known(line);
      if (one === null) return;
      if (begins(one)) fold = blank(one);
      else next(fold, one);
    },
    now: () => answer(fold),
  };
}

type LoopFolding<F, T> = Folding<JournalLine, F, T>;

/** Of the journal of a loop. */
export function foldJournal<F, T>(
  folding: Pick<LoopFolding<F, T>, "blank" | "next" | "answer"> & Partial<Pick<LoopFolding<F, T>, "begins">>,
): Projection<T> {
  return foldLines({
    known: (line) => (isKnown(line) ? line : null),
    begins: ({ event }) => event === "aligned" || event === "restarted",
    ...folding,
  });
}

/** What the call that a line tells of cost; null: not known. Tokens are input and output together. */
export function usageIn(line: JournalLine): {
  readonly calls: number;
  readonly cost_usd: number | null;
  readonly tokens: number;
} {
  const usage = "usage" in line ? line.usage : undefined;
  const { calls = 0, cost_usd } = usage ?? {};
  return { calls, cost_usd: cost_usd === undefined ? null : charged(0, usage), tokens: tokensOf(usage) };
}
