/**
 * The append-only record of a loop (SPEC section 8).
 *
 * STORE-JOURNAL-1 when `append` says ok, its lines are on disk: one write, one sync, in order;
 * STORE-JOURNAL-2 whatever a crash or a full disk leaves at the end of the file, the next append starts a line of its
 *    own, and every whole line stays readable;
 * STORE-JOURNAL-3 no line is ever changed or removed; a file that grew too large is set aside under a number;
 * STORE-JOURNAL-4 what is no file of the loop's own in its place is set aside, never written through (own-file.ts); a
 *    file that somebody deleted while it was open is put back with what it held.
 */
import { closeSync, fdatasyncSync, fstatSync, lstatSync, readSync, writeSync, type Stats } from "node:fs";
import { accepted, problem, type Result } from "../../core/problem.ts";
import { tryLockSync } from "../../host/lock.ts";
import { openToAppend } from "../../host/own-file.ts";
import { explainWrite } from "../../host/write-failure.ts";
import { isCurrent, setAside } from "./journal-files.ts";

export interface Journal {
  /** One write and one sync for all lines. Refused (disk full): some may be there all the same. Throws once closed. */
  append(lines: readonly object[]): Result<null>;
  /** Idempotent. */
  close(): void;
}

export interface JournalOptions {
  /** A file larger than this is set aside before the next append. Bytes; default 64 MiB. */
  readonly max_bytes?: number;
}

const NEWLINE = 10;
const CLOSED = -1;
const CHUNK_BYTES = 256 * 1024;

/** Opens the journal for appending and makes its folder. Several processes may append to one journal. */
export function openJournal(path: string, options: JournalOptions = {}): Result<Journal> {
  return attempting(path, () => createJournal(path, options.max_bytes ?? 64 * 1024 * 1024));
}

function createJournal(path: string, maxBytes: number): Journal {
  let fd = openOwn(path);
  /** Which file `fd` is: while it is open no other one can be that. */
  let own = fstatSync(fd);
  /** Size of the file after our last whole append: what is there then ends a line. -1: look. */
  let clean = -1;

  const reopen = (): void => {
    const old = fd;
    fd = openOwn(path);
    own = fstatSync(fd);
    if (fstatSync(old).nlink === 0) copyTo(fd, old);
    closeSync(old);
    clean = -1;
  };

  /** STORE-JOURNAL-3. Another process may just have done it. */
  const rotate = (): void => {
    // Too large is better than not written.
    if (setAsideIf(path, () => isCurrent(path, fd) && fstatSync(fd).size > maxBytes)) reopen();
  };

  /**
   * Bytes in the file to which is appended now (STORE-JOURNAL-3, STORE-JOURNAL-4). One look at its name tells it
   * mostly.
   */
  const sizeNow = (): number => {
    const named = lstatSync(path, { throwIfNoEntry: false });
    const current = isSameFile(named, own) && named.nlink === 1;
    if (current && named.size <= maxBytes) return named.size;
    if (!current) reopen();
    if (fstatSync(fd).size > maxBytes) rotate();
    return fstatSync(fd).size;
  };

  const append = (lines: readonly object[]): void => {
    // By now the number may be another file's.
    if (fd === CLOSED) throw new Error(`the journal ${path} is closed`);
    const size = sizeNow();
    const texts = lines.map((line) => JSON.stringify(line));
    texts.push("");
    if (size > 0 && size !== clean && !endsLine(fd, size)) texts.unshift("");
    const text = texts.join("\n");
    const length = Buffer.byteLength(text);
    clean = -1;
    const written = writeSync(fd, text);
    // A text has no place to go on from: only what a full disk did not take is made bytes.
    if (written < length) writeRest(fd, Buffer.from(text), written);
    fdatasyncSync(fd);
    clean = size + length;
  };

  return {
    append: (lines) => (lines.length === 0 ? accepted(null) : attempting(path, () => (append(lines), null))),
    close: () => {
      if (fd !== CLOSED) closeSync(fd);
      fd = CLOSED;
    },
  };
}

function writeRest(fd: number, bytes: Buffer, from: number): void {
  for (let at = from; at < bytes.length;) at += writeSync(fd, bytes, at);
}

function isSameFile(named: Stats | undefined, own: Stats): named is Stats {
  return named !== undefined && named.ino === own.ino && named.dev === own.dev;
}

/**
 * STORE-JOURNAL-4. What has another name elsewhere, such as a copy that shares its files with this one, is read and not
 * written.
 */
function openOwn(path: string): number {
  if (isShared(path)) setAsideIf(path, () => isShared(path));
  return openToAppend(path);
}

function isShared(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.nlink > 1;
}

/** @returns false: another process is just doing it */
function setAsideIf(path: string, wanted: () => boolean): boolean {
  const lock = tryLockSync(`${path}.lock`, { what: "setting the journal aside" });
  if (!lock.ok) return false;
  try {
    if (wanted()) setAside(path);
    return true;
  } finally {
    lock.release();
  }
}

/** STORE-JOURNAL-4: what a deleted file still holds goes before what is written from now on. */
function copyTo(fd: number, deleted: number): void {
  const { size: there } = fstatSync(fd);
  if (there > 0 && !endsLine(fd, there)) writeSync(fd, "\n");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = 0;
  for (let size = readSync(deleted, chunk, 0, chunk.length, at); size > 0;) {
    for (let from = 0; from < size;) from += writeSync(fd, chunk, from, size - from);
    at += size;
    size = readSync(deleted, chunk, 0, chunk.length, at);
  }
}

function endsLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

function attempting<T>(path: string, work: () => T): Result<T> {
  try {
    return accepted(work());
  } catch (error) {
    const failure = explainWrite(path, error);
    return problem("file_unwritable", failure.message, failure.hint);
  }
}
