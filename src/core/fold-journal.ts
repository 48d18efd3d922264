/**
 * What is learnt from a journal, line by line (SPEC section 8): each projection is a fold that can go on where it stopped.
 *
 * P1 lines read so far and then further ones give what all of them give;
 * P2 a goal that is aligned, or a restart, begins anew: what comes before belongs to another loop;
 * P3 lines of another kind are passed over.
 */
import { isKnown } from "./decode-line.ts";
import type { AnyLine, EntryOf, JournalLine } from "./journal-line.ts";

export interface Projection<T> {
  /** The next line, oldest first, as it was decoded. */
  read(line: AnyLine): void;
  now(): T;
}

/**
 * @param blank what begins, and by which line
 * @param next may change the fold, which nobody else sees
 */
export function foldJournal<F, T>(
  blank: (begun?: EntryOf<"aligned" | "restarted">) => F,
  next: (fold: F, line: JournalLine) => void,
  answer: (fold: F) => T,
): Projection<T> {
  let fold = blank();
  return {
    read(line) {
      if (!isKnown(line)) return;
      if (line.event === "aligned" || line.event === "restarted") fold = blank(line);
      else next(fold, line);
    },
    now: () => answer(fold),
  };
}

/** What the call that a line tells of cost; null: not known. Tokens are input and output together. */
export function usageIn(line: JournalLine): { readonly cost_usd: number | null; readonly tokens: number } {
  const { cost_usd, input_tokens = 0, output_tokens = 0 } = ("usage" in line ? line.usage : undefined) ?? {};
  return { cost_usd: cost_usd ?? null, tokens: input_tokens + output_tokens };
}
