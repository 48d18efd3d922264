/**
 * What an engine is doing: all of its loops and workers, as rows (SPEC section 13).
 *
 * WATCH-1 an engine is asked for no more than AT_ONCE views at a time, and rounds do not overlap;
 * WATCH-2 a loop that halted is asked for every HALTED_EVERY rounds only: of a thousand loops most wait for somebody;
 * WATCH-3 an engine that does not answer is said not to, and what was known of it stays.
 */
import { type Engine, type LoopView, type WorkerView, rowOf, type LoopRow } from "../loop/engine.ts";
import { asking } from "./client.ts";
import { waitsOf, type LoopWait } from "./loop-waits.ts";

export interface WatchedLoop extends LoopRow {
  /** What its tasks wait for that nobody has begun. */
  readonly waiting: readonly LoopWait[];
}

export interface EngineSnapshot {
  readonly engine: string;
  readonly loops: readonly WatchedLoop[];
  /** Loops that are not among them: there are too many. */
  readonly left_out: number;
  readonly workers: readonly WorkerView[];
  /** When it answered last, ISO 8601; null: never. */
  readonly seen_at: string | null;
  /** Why it does not answer now; null: it does. */
  readonly problem: string | null;
}

const AT_ONCE = 6;
const HALTED_EVERY = 10;
const MOST_LOOPS = 2_000;

/**
 * @param now ISO 8601
 * @returns looks once; asked while it looks, that look. Never rejects for an engine that is away
 */
export function watchEngine(engine: Engine, now: () => string): () => Promise<EngineSnapshot> {
  const { name } = engine;
  let snapshot: EngineSnapshot = { engine: name, loops: [], left_out: 0, workers: [], seen_at: null, problem: null };
  let round = 0;
  let under_way: Promise<EngineSnapshot> | null = null;
  const ask = async (): Promise<EngineSnapshot> => {
    const asked = await asking(() => askOnce(engine, snapshot, round++, now()));
    snapshot = asked.ok
      ? { engine: name, ...asked.value, seen_at: now(), problem: null }
      : { ...snapshot, problem: asked.problems.map(({ message, hint }) => `${message} (${hint})`).join("; ") };
    return snapshot;
  };
  return () => (under_way ??= ask().finally(() => (under_way = null)));
}

async function askOnce(
  engine: Engine,
  before: EngineSnapshot,
  turn: number,
  now: string,
): Promise<Pick<EngineSnapshot, "loops" | "left_out" | "workers">> {
  const names = (await engine.loops()).toSorted();
  const known = new Map(before.loops.map((row) => [row.loop, row]));
  const shown = names.slice(0, MOST_LOOPS);
  const views: LoopView[] = [];
  const rows = await inParallel(shown, async (name, index) => {
    const row = known.get(name);
    // WATCH-2: in turns, so that no round asks for all of them.
    const rests = row !== undefined && row.outcome !== null && (index + turn) % HALTED_EVERY !== 0;
    if (rests) return row;
    const view = await engine.view(name);
    if (view === null) return null;
    views.push(view);
    return { ...rowOf(view), waiting: [] };
  });
  const waits = await waitsOf(engine, views, now);
  const waiting = waits.ok ? waits.value : new Map<string, readonly LoopWait[]>();
  const loops = rows.flatMap((row) => (row === null ? [] : [{ ...row, waiting: waiting.get(row.loop) ?? [] }]));
  const workers = await engine.workers();
  return { loops, left_out: names.length - shown.length, workers };
}

/** WATCH-1. In the order of the items. */
async function inParallel<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const hand = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, hand));
  return results;
}
