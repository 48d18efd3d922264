/**
 * Looking on at a loop that an engine works, until it halts.
 *
 * F1 an engine that has answered may be away for PATIENCE_MS, which is told once: its loop goes on without whoever looks on;
 * F2 each line is handed over once, in its order, and none after looking on has ended;
 * F3 whoever ends it waits for no answer.
 */
import { EngineUnreachable } from "../../adapters/engines/engine-unreachable.ts";
import type { JournalLine } from "../../core/journal.ts";
import type { Result } from "../../core/problem.ts";
import type { Engine, LoopView } from "../../loop/engine.ts";
import { asking } from "./engine-client.ts";

const LOOK_EVERY_MS = 400;
/** F1: a server that is upgraded, a host that starts anew. */
const PATIENCE_MS = 15 * 60_000;
const LONGEST_REST_MS = 5_000;

/**
 * @param each sees every journal line in its order
 * @param from how many lines there were when the loop was taken up: how it stood then is no end of it
 * @param say told when the engine is away, and when it is back
 * @returns the view as it halted, or as it was known when looking on ended; null: the engine has no such loop, or never answered
 */
export async function followLoop(
  engine: Engine,
  loop: string,
  each: (line: JournalLine) => void,
  signal: AbortSignal,
  from = 0,
  say: (message: string) => void = () => {},
): Promise<Result<LoopView | null>> {
  return await asking(async () => {
    const ask = askerOf(engine, signal, say);
    let last: LoopView | null = null;
    for (let seen = 0; ;) {
      const view = await ask(() => engine.view(loop));
      if (view === ENDED) return last;
      if (view === null) return null;
      last = view;
      while (seen < view.lines) {
        const after = seen;
        const lines = await ask(() => engine.journal(loop, after));
        if (lines === ENDED) return view;
        if (lines.length === 0) break;
        for (const line of lines) each(line);
        seen += lines.length;
      }
      const { outcome } = view.state.control;
      const isHalted = view.lines > from && outcome !== undefined && outcome !== null;
      if (signal.aborted || isHalted) return view;
      await pause(signal, LOOK_EVERY_MS);
    }
  });
}

const ENDED = Symbol("looking on ended");

type Asker = <T>(question: () => Promise<T>) => Promise<T | typeof ENDED>;

/** Rejects with `EngineUnreachable` where the engine never answered, or is away for too long (F1). */
function askerOf(engine: Engine, signal: AbortSignal, say: (message: string) => void): Asker {
  let hasAnswered = false;
  return async (question) => {
    let since: number | null = null;
    for (let rest = LOOK_EVERY_MS; ; rest = Math.min(2 * rest, LONGEST_REST_MS)) {
      try {
        const answer = await orEnded(question(), signal);
        if (since !== null && answer !== ENDED) say(`${engine.name} answers again`);
        hasAnswered = true;
        return answer;
      } catch (error) {
        if (!(error instanceof EngineUnreachable) || !hasAnswered) throw error;
        if (since === null) say(`${error.message}; the loop goes on without us, and is asked for until it answers`);
        since ??= performance.now();
        if (performance.now() - since > PATIENCE_MS) throw error;
        await pause(signal, rest);
      }
    }
  };
}

/** F3. What comes later is nobody's. */
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

function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
