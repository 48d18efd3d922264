/** Reading a loop's journal for people (SPEC section 8). */
import { atomOf, type AnyLine } from "../core/journal-line.ts";
import { ownName } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { follow, journalFiles, type Batch } from "./follow.ts";

export interface LogFilter {
  /** Only lines about this atom. */
  readonly atom?: string;
  /** At most so many lines, the newest. */
  readonly last?: number;
}

export interface LoopLog {
  readonly lines: readonly AnyLine[];
  /** Lines that could not be read. */
  readonly skipped: number;
}

/** The journal's lines, oldest first; none when there is no journal yet. */
export async function readLog(stateFile: string, filter: LogFilter = {}): Promise<LoopLog> {
  const source = journalFiles(journalOf(stateFile));
  try {
    return await readLogOf(source.read(true), filter);
  } finally {
    source.close();
  }
}

export async function readLogOf(batches: AsyncIterable<Batch>, filter: LogFilter): Promise<LoopLog> {
  const log = createGathering(filter);
  for await (const batch of batches) log.add(batch);
  return log.whole();
}

/** Of the lines that it is given, the newest that are asked for, in memory bounded by them. */
export function createGathering(filter: LogFilter): { add(batch: Batch): void; whole(): LoopLog } {
  const most = filter.last ?? Infinity;
  let lines: AnyLine[] = [];
  let skipped = 0;
  return {
    add(batch) {
      skipped += batch.skipped;
      for (const line of batch.lines) if (isWanted(line, filter.atom)) lines.push(line);
      if (lines.length > 2 * most + 1_000) lines = lines.slice(-most);
    },
    whole: () => ({ lines: most === Infinity ? lines : lines.slice(Math.max(0, lines.length - most)), skipped }),
  };
}

/** A mark of the journal itself is no news for a person. */
function isWanted(line: AnyLine, atom: string | undefined): boolean {
  if (line.event === "state_saved") return false;
  return atom === undefined || atomOf(line) === atom || ("choice" in line && line.choice === atom);
}

export function journalOf(stateFile: string): string {
  return loopPaths(ownName(stateFile)).journal;
}

/** Who is shown a log that grows. */
export interface LogView {
  /** Each line that came since. */
  each(line: AnyLine): void;
  /**
   * Once, first, what the journal already holds: between the two no line is missed or comes twice. Not at all when it is
   * aborted before that was read.
   */
  before(log: LoopLog): void;
}

/**
 * Hands over each line that is appended to the journal from now on, until aborted; a file that is set aside or does
 * not exist yet is followed all the same. @param before see `LogView`
 */
export async function followLog(
  stateFile: string,
  filter: LogFilter,
  each: LogView["each"],
  { signal, before = () => {} }: { readonly signal: AbortSignal; readonly before?: LogView["before"] },
): Promise<void> {
  await showLog(follow(journalFiles(journalOf(stateFile)), signal), filter, { each, before });
}

export async function showLog(
  batches: AsyncIterable<Batch>,
  filter: LogFilter,
  { each, before }: LogView,
): Promise<void> {
  let log: ReturnType<typeof createGathering> | null = createGathering(filter);
  for await (const batch of batches) {
    if (log === null) {
      for (const line of batch.lines) if (isWanted(line, filter.atom)) each(line);
      continue;
    }
    log.add(batch);
    if (!batch.caught_up) continue;
    before(log.whole());
    log = null;
  }
}
