/**
 * Reading a journal from its first line on, and further as it grows.
 *
 * JOURNAL-READER-1 each whole line is handed over exactly once and in order, however often the current file is set
 *    aside, or deleted and put back with what it held (STORE-JOURNAL-3 and STORE-JOURNAL-4), meanwhile;
 * JOURNAL-READER-2 memory is bounded: a chunk of a file, and the line that it cuts;
 * JOURNAL-READER-3 nothing is thrown for what the files hold or for a file that cannot be read: such lines are reported
 *    as skipped.
 */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { isSameFile, olderName, olderNumbers, openIfThere } from "./journal-files.ts";
import type { Projection } from "../../core/fold-journal.ts";
import type { AnyLine } from "../../core/journal-line.ts";
import { createByteLines, type Line } from "../../core/byte-lines.ts";
import { decodeLine } from "../../core/decode-line.ts";
import { parseJson } from "../../core/reading.ts";

export interface JournalReader {
  /**
   * What came since the last time; the first time, everything. To be taken to its end each time.
   *
   * A writer may still be appending to a file that was set aside a moment ago: such a file is left at the second call that
   * finds it so. @param last nobody writes any more: all of it now, and of the newest file a whole line without its newline
   */
  read(last?: boolean): Generator<ReadLine>;
  close(): void;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

export function openJournalReader(path: string): JournalReader {
  let tail: Tail | null = null;
  /** Number of the newest file that was read to its end and left. */
  let passed = 0;
  /** Files up to this number were set aside before the last call: nobody appends to them. */
  let settled = Infinity;

  /** What is to be read behind `from`, whose number is `number`; null: nothing yet. */
  const nextOf = ({ fd }: Tail, number: number | null, last: boolean): Tail | null => {
    if (number !== null && number > settled && !last) return null;
    const next = openNext(path, number ?? passed);
    if (next === null || number !== null || fd === null) return next;
    const isNew = next.fd === null || !isSameFile(next.fd, fd);
    if (isNew && next.passOver(fd, settled)) return next;
    next.close();
    return null;
  };

  function* read(last = false): Generator<ReadLine> {
    const newest = olderNumbers(path).at(-1) ?? 0;
    // Read up to the file that is current now: another process could set files aside as fast as they are read.
    const goal = openIfThere(path);
    try {
      for (;;) {
        tail ??= openNext(path, passed);
        if (tail === null) return;
        const { fd } = tail;
        const isGoal = fd === null ? tail.number === null : typeof goal === "number" && isSameFile(fd, goal);
        const number = tail.number ?? (fd === null ? null : numberOf(path, fd, passed));
        const next = isGoal ? null : nextOf(tail, number, last);
        yield* tail.lines();
        if (isGoal && fd === null) tail = null;
        if (next === null && tail !== null && last) yield* tail.end();
        if (next === null || tail === null) return;
        if (number !== null) yield* tail.end();
        tail.close();
        [tail, passed] = [next, number ?? passed];
      }
    } finally {
      settled = newest;
      if (typeof goal === "number") closeSync(goal);
    }
  }
  return {
    read,
    close: () => {
      tail?.close();
      tail = null;
    },
  };
}

/** Every line that there is, oldest first (JOURNAL-READER-1 to 3). */
export function* readJournal(path: string): Generator<ReadLine> {
  const reader = openJournalReader(path);
  try {
    yield* reader.read(true);
  } finally {
    reader.close();
  }
}

/** What a journal tells, as far as it is written. */
export function learn<T>(path: string, projection: Projection<T>): T {
  for (const line of entriesOf(readJournal(path))) projection.read(line);
  return projection.now();
}

/** Only the entries: what a reader wants who does not report the skipped lines. */
export function* entriesOf(lines: Iterable<ReadLine>): Generator<AnyLine> {
  for (const line of lines) if (line.kind === "entry") yield line.value;
}

interface Tail {
  /** Null: it cannot be opened. */
  readonly fd: number | null;
  /** Null: it was the current one when it was opened. */
  readonly number: number | null;
  lines(): Generator<ReadLine>;
  end(): Iterable<ReadLine>;
  /**
   * Begins behind the lines that a deleted file held, too. False: they are not all there yet.
   * @param settled nobody writes any more into files up to this number
   */
  passOver(deleted: number, settled: number): boolean;
  close(): void;
}

/** The file that follows the one of that number; null: there is none. */
function openNext(path: string, passed: number): Tail | null {
  // Opened before the others are listed: should it be set aside now, it is the first of them, or follows none.
  const current = openTail(path, null);
  const number = olderNumbers(path).find((one) => one > passed);
  if (number === undefined) return current;
  current?.close();
  return openTail(olderName(path, number), number) ?? openNext(path, number);
}

function openTail(name: string, number: number | null): Tail | null {
  const fd = openIfThere(name);
  if (fd === "missing") return null;
  /** Null: where the last read ended. */
  let position: number | null = null;
  const reader = createLineReader(name);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return {
    fd,
    number,
    *lines() {
      for (;;) {
        const size = fd === null ? null : readChunk(fd, chunk, position);
        if (size === null) yield reader.broken();
        if (size === null || size === 0) return;
        if (position !== null) position += size;
        yield* reader.push(chunk.subarray(0, size));
      }
    },
    end: () => reader.end(),
    passOver: (deleted, settled) => {
      if (fd === null || fstatSync(deleted).nlink > 0) return true;
      const { bytes, isPart } = sameLines(fd, deleted);
      if (bytes > 0) position = bytes;
      return !isPart || (number !== null && number <= settled);
    },
    close: () => {
      if (fd !== null) closeSync(fd);
    },
  };
}

/** Under which number it was set aside; null: it is deleted, or elsewhere. */
function numberOf(path: string, fd: number, passed: number): number | null {
  const { ino, dev } = fstatSync(fd);
  const isIt = (number: number): boolean => {
    const stats = statSync(olderName(path, number), { throwIfNoEntry: false });
    return stats !== undefined && stats.ino === ino && stats.dev === dev;
  };
  return olderNumbers(path).find((number) => number > passed && isIt(number)) ?? null;
}

/** Bytes of the lines at its beginning that both have. `isPart`: `fd` is the shorter one, and holds nothing else. */
function sameLines(fd: number, other: number): { readonly bytes: number; readonly isPart: boolean } {
  const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  let bytes = 0;
  for (let at = 0; ;) {
    const [size, most] = [readChunk(fd, left, at) ?? 0, readChunk(other, right, at) ?? 0];
    let same = 0;
    while (same < size && same < most && left[same] === right[same]) if (left[same++] === NEWLINE) bytes = at + same;
    const isPart = same === size && size < most;
    if (isPart || same < size || size === 0) return { bytes, isPart };
    at += same;
  }
}

/** Bytes read; 0: the end; null: it cannot be read at this moment. */
function readChunk(fd: number, chunk: Buffer, position: number | null): number | null {
  try {
    return readSync(fd, chunk, 0, chunk.length, position);
  } catch {
    return null;
  }
}

/**
 * `unfinished`: the last line, cut off by a crash or still being written; `unreadable`: what follows
 * this line of the file (0: all of it) cannot be read.
 */
type SkipReason = "corrupt" | "unfinished" | "too_long" | "unreadable";

export type ReadLine =
  | { readonly kind: "entry"; readonly file: string; readonly line: number; readonly value: AnyLine }
  | { readonly kind: "skipped"; readonly file: string; readonly line: number; readonly why: SkipReason };

interface LineReader {
  /** The lines that `chunk` completes. Its memory may be used again afterwards. */
  push(chunk: Buffer): ReadLine[];
  /** What is left at the end of the file; a line that is not complete yet may be completed all the same. */
  end(): ReadLine[];
  /** The report that the file cannot be read any further. */
  broken(): ReadLine;
}

/**
 * @param file name for the reports
 * @param longest bytes of a line; a longer one is skipped without being kept in memory
 */
export function createLineReader(file: string, longest = 16 * 1024 * 1024): LineReader {
  const lines = createByteLines(longest);
  const skipped = (line: number, why: SkipReason): ReadLine => ({ kind: "skipped", file, line, why });
  const read = ({ text, number }: Line, whyNot: SkipReason): ReadLine[] => {
    if (text === null) return [skipped(number, "too_long")];
    if (text.trim() === "") return [];
    const value = lineIn(text);
    return [value === null ? skipped(number, whyNot) : { kind: "entry", file, line: number, value }];
  };
  return {
    push: (chunk) => lines.take(chunk).flatMap((line) => read(line, "corrupt")),
    end: () => {
      const rest = lines.rest();
      const left = rest === null ? [] : read(rest, "unfinished");
      // No proper prefix of an object's text is itself an object's text: what can be read is whole.
      if (left.every(({ kind }) => kind === "entry")) lines.endRest();
      return left;
    },
    broken: () => skipped(lines.count(), "unreadable"),
  };
}

function lineIn(text: string): AnyLine | null {
  const read = parseJson(text);
  return read.ok ? decodeLine(read.value) : null;
}
