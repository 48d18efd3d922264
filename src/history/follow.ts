/**
 * Following a journal as it grows: a loop's own files, or what an engine keeps. One way of waiting for all who watch.
 *
 * HISTORY-FOLLOW-1 each line is handed over once and in order (journal-reader.ts JOURNAL-READER-1; engines/follow.ts);
 * HISTORY-FOLLOW-2 nobody watching, nothing is read or asked.
 */
import { setImmediate } from "node:timers/promises";
import type { AnyLine } from "../core/journal-line.ts";
import { openJournalReader } from "../adapters/store/journal-reader.ts";

/** Lines of a journal, some of what one look found. */
export interface Batch {
  readonly lines: readonly AnyLine[];
  /** Lines that cannot be read. */
  readonly skipped: number;
  /** All that there was at this look has been handed over. */
  readonly caught_up: boolean;
  /** The source does not answer: it is asked again, ever more rarely. */
  readonly is_away?: boolean;
}

/** Where lines come from. */
export interface JournalSource<B extends Batch = Batch> {
  /**
   * What came since the last time. To be taken to its end each time.
   * @param last nobody writes any more: all of it now
   * @param signal ends waiting for an answer
   */
  read(last?: boolean, signal?: AbortSignal): AsyncIterable<B>;
  close(): void;
}

const LOOK_EVERY_MS = 250;
const LONGEST_REST_MS = 5_000;

/**
 * Batches until it is aborted or over; at least one empty one at each look. What was read is handed over although it was
 * aborted meanwhile, except in the middle of a look.
 * @param isOver whoever writes is gone. Asked before each look, so that it finds everything, and behind it: what was read may
 *   tell of another one
 */
export async function* follow<B extends Batch>(
  source: JournalSource<B>,
  signal: AbortSignal,
  isOver: () => boolean = () => false,
): AsyncGenerator<B> {
  try {
    for (let rest = LOOK_EVERY_MS; ;) {
      const last = isOver();
      let away = false;
      for await (const batch of source.read(last, signal)) {
        if (signal.aborted && !batch.caught_up) return;
        away = batch.is_away === true;
        yield batch;
      }
      if (signal.aborted || (last && isOver())) return;
      rest = away ? Math.min(2 * rest, LONGEST_REST_MS) : LOOK_EVERY_MS;
      await pause(rest, signal);
      if (signal.aborted) return;
    }
  } finally {
    source.close();
  }
}

/** A turn now, and one after each wait, until it is aborted: for what is looked at and is no journal. */
export async function* looks(signal: AbortSignal, every_ms = LOOK_EVERY_MS): AsyncGenerator<void> {
  for (; !signal.aborted; await pause(every_ms, signal)) yield;
}

const BATCH_LINES = 5_000;

/** The journal's files of that name, from their first line on. */
export function journalFiles(path: string): JournalSource {
  const reader = openJournalReader(path);
  return {
    async *read(last) {
      let [lines, skipped]: [AnyLine[], number] = [[], 0];
      for (const line of reader.read(last)) {
        if (line.kind === "entry") lines.push(line.value);
        else if (line.why !== "unfinished") skipped++;
        if (lines.length < BATCH_LINES) continue;
        yield { lines, skipped, caught_up: false };
        [lines, skipped] = [[], 0];
        // Signals and other readers are heard meanwhile.
        await setImmediate();
      }
      yield { lines, skipped, caught_up: true };
    },
    close: () => reader.close(),
  };
}

/** What is followed from the newest line of a kind on: earlier ones are passed over. */
export async function* fromNewest<B extends Batch>(
  batches: AsyncIterable<B>,
  isStart: (line: AnyLine) => boolean,
): AsyncGenerator<Batch> {
  let [begun, isFirst] = [[] as AnyLine[], true];
  for await (const batch of batches) {
    if (!isFirst) {
      yield batch;
      continue;
    }
    for (const line of batch.lines) {
      if (isStart(line)) begun = [line];
      else if (begun.length > 0) begun.push(line);
    }
    if (!batch.caught_up) continue;
    isFirst = false;
    yield { ...batch, lines: begun };
  }
}

/** Settles after so many milliseconds, or as soon as it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
