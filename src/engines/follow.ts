/**
 * Watching a loop that an engine works, until it halts.
 *
 * ENGINES-FOLLOW-1 an engine that has answered may be away for PATIENCE_MS, which is reported once: its loop goes on
 *    without whoever watches;
 * ENGINES-FOLLOW-2 each line is handed over once, in its order, and none after watching has ended;
 * ENGINES-FOLLOW-3 whoever ends it waits for no answer.
 */
import { EngineUnreachable } from "./adapters/engine-unreachable.ts";
import { decodeLines } from "../core/decode-line.ts";
import type { AnyLine } from "../core/journal-line.ts";
import type { Result } from "../core/problem.ts";
import type { Engine, LoopView } from "../loop/engine.ts";
import { follow, type Batch, type JournalSource } from "../history/follow.ts";
import { asking } from "./client.ts";

/** ENGINES-FOLLOW-1: a server that is upgraded, a host that starts anew. */
const PATIENCE_MS = 15 * 60_000;

export interface EngineBatch extends Batch {
  /** The loop as it was when these lines were asked for; null: the engine has no such loop. */
  readonly view: LoopView | null;
  /** Why the engine does not answer; null: it does. */
  readonly away: EngineUnreachable | null;
}

const NEVER = new AbortController().signal;

/**
 * What an engine keeps of a loop's journal (ENGINES-FOLLOW-2, ENGINES-FOLLOW-3). It can be followed again: from where
 * it was left.
 */
export function engineJournal(engine: Engine, loop: string): JournalSource<EngineBatch> {
  let seen = 0;
  let view: LoopView | null = null;
  const batch = (part: readonly unknown[], caught_up: boolean): EngineBatch => {
    const lines = decodeLines(part);
    return { lines, skipped: part.length - lines.length, caught_up, is_away: false, view, away: null };
  };
  return {
    async *read(_ = false, signal = NEVER) {
      try {
        const answer = await orEnded(engine.view(loop), signal);
        if (answer === ENDED) return;
        view = answer;
        const upTo = view?.lines ?? 0;
        yield batch([], seen >= upTo);
        while (seen < upTo) {
          const part = await orEnded(engine.journal(loop, seen), signal);
          if (part === ENDED) return;
          const next = part.length === 0 ? upTo : seen + part.length;
          yield batch(part, next >= upTo);
          if (part.length === 0) return;
          seen = next;
        }
      } catch (error) {
        if (!(error instanceof EngineUnreachable)) throw error;
        yield { ...batch([], false), is_away: true, away: error };
      }
    },
    close: () => undefined,
  };
}

export interface Following {
  readonly signal: AbortSignal;
  /** How many lines there were when the loop was taken up: how it stood then is no end of it. */
  readonly from?: number;
  /** Called when the engine is away, and when it is back. */
  readonly say?: (message: string) => void;
}

/**
 * Batches of the engine's answers until the loop halts, or is not there, or it is aborted.
 * @throws EngineUnreachable it never answered, or is away for too long
 */
export async function* followEngine(
  engine: Engine,
  loop: string,
  { signal, from = 0, say = () => {} }: Following,
): AsyncGenerator<EngineBatch> {
  const endure = createPatience(engine.name, say);
  for await (const batch of follow(engineJournal(engine, loop), signal)) {
    const { caught_up, view, away } = batch;
    endure(away);
    if (away !== null) continue;
    yield batch;
    if (view === null || (caught_up && view.lines > from && (view.state.control.outcome ?? null) !== null)) return;
  }
}

/**
 * @param each sees every journal line in its order
 * @returns the view as it halted, or as it was known when watching ended; null: the engine has no such loop, or never
 * answered
 */
export async function followLoop(
  engine: Engine,
  loop: string,
  each: (line: AnyLine) => void,
  following: Following,
): Promise<Result<LoopView | null>> {
  return await asking(async () => {
    let last: LoopView | null = null;
    for await (const { lines, view } of followEngine(engine, loop, following)) {
      last = view;
      for (const line of lines) each(line);
    }
    return last;
  });
}

/** ENGINES-FOLLOW-1. @returns throws it where the engine never answered, or is away for too long */
function createPatience(name: string, say: (message: string) => void): (away: EngineUnreachable | null) => void {
  let hasAnswered = false;
  let since: number | null = null;
  return (away) => {
    if (away === null) {
      if (since !== null) say(`${name} answers again`);
      [hasAnswered, since] = [true, null];
      return;
    }
    if (!hasAnswered) throw away;
    if (since === null) say(`${away.message}; the loop goes on without us, and is asked for until it answers`);
    since ??= performance.now();
    if (performance.now() - since > PATIENCE_MS) throw away;
  };
}

const ENDED = Symbol("looking on ended");

/** ENGINES-FOLLOW-3. What comes later is nobody's. */
async function orEnded<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | typeof ENDED> {
  answer.catch(() => undefined);
  let end: () => void = () => {};
  const ended = new Promise<typeof ENDED>((resolve) => {
    end = () => resolve(ENDED);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
  try {
    return await Promise.race([ended, answer]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
