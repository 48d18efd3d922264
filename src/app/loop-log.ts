/** Reading a loop's journal for people (SPEC section 8). */
import { closeSync, fstatSync, readSync } from "node:fs";
import { createLineReader } from "../adapters/store/journal-lines.ts";
import { isCurrent, openIfThere } from "../adapters/store/journal-files.ts";
import {
  readBetween,
  readJournal,
  readOlder,
  type JournalLine,
  type JournalObject,
} from "../adapters/store/journal.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";

export interface LogFilter {
  /** Only lines about this atom. */
  readonly atom?: string;
  /** At most so many lines, the newest. */
  readonly last?: number;
}

export interface LoopLog {
  readonly lines: readonly JournalObject[];
  /** Lines that could not be read. */
  readonly skipped: number;
}

/** Events that are no news for a person. */
const SILENT: ReadonlySet<unknown> = new Set(["state_saved"]);

/** The journal's lines, oldest first; none when there is no journal yet. */
export async function readLog(stateFile: string, filter: LogFilter = {}): Promise<LoopLog> {
  const log = createGathering(filter);
  for await (const line of readJournal(journalOf(stateFile))) log.add(line);
  return log.whole();
}

/** Of the lines that it is given, the newest that are asked for, in memory bounded by them. */
function createGathering(filter: LogFilter): { add(line: JournalLine): void; whole(): LoopLog } {
  const most = filter.last ?? Infinity;
  let lines: JournalObject[] = [];
  let skipped = 0;
  return {
    add(line) {
      if (line.kind === "skipped") skipped += line.why === "unfinished" ? 0 : 1;
      else if (isWanted(line.value, filter.atom)) lines.push(line.value);
      if (lines.length > 2 * most + 1_000) lines = lines.slice(-most);
    },
    whole: () => ({ lines: most === Infinity ? lines : lines.slice(Math.max(0, lines.length - most)), skipped }),
  };
}

export function isWanted(line: JournalObject, atom: string | undefined): boolean {
  if (SILENT.has(line["event"])) return false;
  if (atom === undefined) return true;
  return line["atom"] === atom || line["choice"] === atom || String(line["attempt"] ?? "").startsWith(`${atom}.`);
}

export function journalOf(stateFile: string): string {
  try {
    return loopPaths(targetOf(stateFile)).journal;
  } catch {
    // Its folder does not exist: there is no journal either.
    return loopPaths(stateFile).journal;
  }
}

const LOOK_EVERY_MS = 150;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Hands over each line that is appended to the journal from now on, until aborted; a file that is set aside or does
 * not exist yet is followed all the same.
 * @param before called once, first, with what stands there already: between the two no line is missed or comes twice;
 *   not at all when it is aborted before that was read
 */
export async function followLog(
  stateFile: string,
  filter: LogFilter,
  each: (line: JournalObject) => void,
  signal: AbortSignal,
  before?: (log: LoopLog) => void,
): Promise<void> {
  const path = journalOf(stateFile);
  const show = (lines: Iterable<JournalLine>): void => {
    for (const line of lines) if (line.kind === "entry" && isWanted(line.value, filter.atom)) each(line.value);
  };
  let tail = openTail(path, before === undefined ? "end" : "start");
  try {
    if (before !== undefined) {
      const log = createGathering(filter);
      for await (const line of standing(path, tail)) {
        if (signal.aborted) return;
        log.add(line);
      }
      before(log.whole());
    }
    while (!signal.aborted) {
      tail ??= openTail(path, "start");
      show(tail?.lines() ?? []);
      const next = tail === null || tail.isCurrent() ? null : openTail(path, "start");
      if (tail === null || next === null || !next.goOnFrom(tail.fd)) {
        next?.close();
        await pause(LOOK_EVERY_MS, signal);
        continue;
      }
      const old = tail;
      tail = next;
      try {
        show(old.lines());
        for await (const line of readBetween(path, old.fd, next.fd)) show([line]);
      } finally {
        old.close();
      }
    }
  } finally {
    tail?.close();
  }
}

const BREATHER_LINES = 5_000;

/** What stands in the journal now, up to where `tail` goes on from; signals are heard meanwhile. */
async function* standing(path: string, tail: Tail | null): AsyncGenerator<JournalLine> {
  yield* readOlder(path, tail?.fd ?? null);
  let count = 0;
  for (const line of tail?.lines() ?? []) {
    if (++count % BREATHER_LINES === 0) await new Promise((resolve) => setImmediate(resolve));
    yield line;
  }
}

/** A journal file as it grows. */
export interface Tail {
  readonly fd: number;
  /** What came since the last time, read as it is asked for. */
  lines(): Iterable<JournalLine>;
  /** Its entries. */
  read(): JournalObject[];
  isCurrent(): boolean;
  /** Passes over what stood in a file that was deleted and put back here. False: it is not all there yet. */
  goOnFrom(before: number): boolean;
  close(): void;
}

/** Null: there is no such file. */
export function openTail(path: string, from: "start" | "end"): Tail | null {
  const opened = openIfThere(path);
  if (typeof opened !== "number") return null;
  const fd: number = opened;
  const stats = fstatSync(fd);
  if (!stats.isFile()) {
    closeSync(fd);
    return null;
  }
  let position = from === "end" ? stats.size : 0;
  const reader = createLineReader(path);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  function* lines(): Iterable<JournalLine> {
    for (let size = readInto(chunk, fd, position); size > 0; size = readInto(chunk, fd, position)) {
      position += size;
      yield* reader.push(chunk.subarray(0, size));
    }
  }
  return {
    fd,
    lines,
    read: () => Array.from(lines()).flatMap((line) => (line.kind === "entry" ? [line.value] : [])),
    isCurrent: () => isCurrent(path, fd),
    goOnFrom: (before) => {
      const size = fstatSync(before).nlink === 0 ? sameLines(fd, before) : 0;
      position = size ?? position;
      return size !== null;
    },
    close: () => closeSync(fd),
  };
}

/** Bytes of the lines at its beginning that both have. Null: `fd` is the shorter one, and holds nothing else. */
function sameLines(fd: number, other: number): number | null {
  const [left, right] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  let lines = 0;
  for (let at = 0; ;) {
    const [size, most] = [readInto(left, fd, at), readInto(right, other, at)];
    let same = 0;
    while (same < size && same < most && left[same] === right[same]) if (left[same++] === NEWLINE) lines = at + same;
    if (same === size && size < most) return null;
    if (same < size || size === 0) return lines;
    at += same;
  }
}

/** Bytes read; none where it cannot be read at this moment: it is looked at again. */
function readInto(chunk: Buffer, fd: number, position: number): number {
  try {
    return readSync(fd, chunk, 0, chunk.length, position);
  } catch {
    return 0;
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
