/**
 * What was once computed from a file's bytes, for commands that live for one answer.
 *
 * C1 the cache is never a second truth: an answer is used only when the bytes it was computed from, kept
 *    beside it whole, equal the file's bytes now, or differ from them in nothing but what can be told byte by byte
 *    (app/shown-again.ts);
 * C2 a missing, foreign, damaged or unwritable cache means computing, and is never reported.
 *
 * File: "AOT2", three lengths (little-endian), key, result, source, result. The result stands there twice because
 * comparing two copies is the cheapest proof that neither is damaged: a checksum would load node:zlib, which takes
 * longer than what is saved. For the same reason nothing is renamed: replacing a file makes the system write it out.
 */
import { closeSync, mkdirSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** "AOT2" */
const MAGIC = [0x41, 0x4f, 0x54, 0x32];
const HEAD_BYTES = 16;
/** Larger ones are not kept: reading them back would cost as much as it saves. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The kept result for these bytes, or null.
 * @param source the whole content of the file that the result depends on
 * @param key everything else that it depends on: the program's version, the command, its options
 */
export function readCache(path: string, source: Uint8Array, key: string): Uint8Array | null {
  const kept = readKept(path, key);
  return kept !== null && Buffer.compare(kept.source, source) === 0 ? kept.result : null;
}

/** What is kept, and the bytes that it was computed from. */
export interface Kept {
  readonly source: Uint8Array;
  readonly result: Uint8Array;
}

/** For who can tell what the difference between those bytes and the file's comes to (C1); null as in `readCache`. */
export function readKept(path: string, key: string): Kept | null {
  const file = readIfThere(path);
  if (file === null || file.length < HEAD_BYTES) return null;
  const wanted = Buffer.from(key);
  const [sourceBytes, resultBytes] = [lengthAt(file, 8), lengthAt(file, 12)];
  const resultAt = HEAD_BYTES + wanted.length;
  const sourceAt = resultAt + resultBytes;
  const againAt = sourceAt + sourceBytes;
  if (file.length !== againAt + resultBytes) return null;
  const part = (from: number, to: number): Uint8Array => new Uint8Array(file.buffer, file.byteOffset + from, to - from);
  const result = part(resultAt, sourceAt);
  const whole =
    Buffer.compare(part(0, HEAD_BYTES), headOf(wanted.length, sourceBytes, resultBytes)) === 0 &&
    Buffer.compare(part(HEAD_BYTES, resultAt), wanted) === 0 &&
    Buffer.compare(part(againAt, file.length), result) === 0;
  return whole ? { source: part(sourceAt, againAt), result } : null;
}

// Written out: each of Node's functions for this is compiled when it is first used, which takes longer.
function lengthAt(file: Uint8Array, at: number): number {
  return (
    (file[at] ?? 0) + (file[at + 1] ?? 0) * 0x100 + (file[at + 2] ?? 0) * 0x10000 + (file[at + 3] ?? 0) * 0x1000000
  );
}

function headOf(...lengths: readonly number[]): Uint8Array {
  const bytes = lengths.flatMap((length) => [0, 8, 16, 24].map((bits) => (length >>> bits) & 0xff));
  return Uint8Array.from([...MAGIC, ...bytes]);
}

/**
 * Keeps a result; quietly does not where it cannot. Readable by its owner only, as the source may be.
 * @param path the cache file. Its folder is made, but not the one above: a project without a loop stays untouched
 * @param source in parts, as whoever wrote the file has them
 */
export function writeCache(path: string, source: readonly Uint8Array[], key: string, result: Uint8Array): void {
  const keyBytes = Buffer.from(key);
  const sourceBytes = source.reduce((sum, part) => sum + part.length, 0);
  if (sourceBytes + 2 * result.length > MOST_BYTES || !hasFolder(dirname(path))) return;
  const head = headOf(keyBytes.length, sourceBytes, result.length);
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) unlinkSync(path);
    fill(openSync(path, "wx", 0o600), [head, keyBytes, result, ...source, result]);
  } catch {
    // C2.
  }
}

/** A crash in here leaves less than the lengths say. */
function fill(file: number, parts: readonly Uint8Array[]): void {
  try {
    for (const part of parts) for (let from = 0; from < part.length;) from += writeSync(file, part, from);
  } finally {
    closeSync(file);
  }
}

function hasFolder(folder: string): boolean {
  if (isFolder(folder)) return true;
  if (!isFolder(dirname(folder))) return false;
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Asked, not tried: an exception costs a short command 0.2 ms. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readIfThere(path: string): Buffer | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path);
  } catch {
    return null;
  }
}
