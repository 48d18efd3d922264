/**
 * The outline of the state file's graph (core/outline.ts), kept beside it, so that `aot atom update` neither parses a file
 * that it knows nor builds a graph of it.
 *
 * U1 it is never a second truth: it is used for a file of the very same bytes only (C1 in read-cache.ts);
 * U2 what is written on its word is what the whole way writes, byte for byte; what does not look as it should is left to
 *    that (law: tests/app/update-at-once.test.ts).
 *
 * As numbers of 32 bits: the head, then starts, waits and ends of each atom, the waiters, the executable atoms; then a byte
 * for each atom's status and one for its place.
 */
import { join } from "node:path";
import { STATUSES, type Outline } from "../../core/outline.ts";
import type { ControlStatus } from "../../core/state.ts";
import { readCache, writeCache } from "./read-cache.ts";

export interface KeptOutline {
  readonly outline: Outline;
  /** Where each atom's lines begin in the file, in bytes. */
  readonly starts: Int32Array;
  readonly control: { readonly status: ControlStatus; readonly iteration: number };
}

/** Another one when what is kept, or the order of executable atoms, means something else. */
const KEY = "outline 1";
/** Reads differently on a machine that stores numbers the other way round. */
const MARK = 0x01020304;
const HEAD = 7;
const CONTROL: readonly ControlStatus[] = ["pending", "running", "stopped", "completed"];

export function outlineFile(cache: string): string {
  return join(cache, "outline");
}

/** What was kept for a file of these bytes, or null. */
export function readOutline(cache: string, bytes: Uint8Array): KeptOutline | null {
  const kept = readCache(outlineFile(cache), bytes, KEY);
  if (kept === null) return null;
  // Aligned: what was read stands anywhere in its file.
  const { buffer } = new Uint8Array(kept);
  const [mark, size = 0, edges = 0, ready = 0, measure = 0, iteration = 0, status = 0] = new Int32Array(
    buffer,
    0,
    HEAD,
  );
  if (mark !== MARK || kept.length !== (HEAD + 3 * size + edges + ready) * 4 + 2 * size) return null;
  let at = HEAD * 4;
  const numbers = (count: number): Int32Array => {
    at += count * 4;
    return new Int32Array(buffer, at - count * 4, count);
  };
  const [starts, waits, ends, flat] = [numbers(size), numbers(size), numbers(size), numbers(edges)];
  return {
    starts,
    control: { status: CONTROL[status] ?? "pending", iteration },
    outline: {
      waits,
      waiters: { flat, ends },
      ready: Array.from(numbers(ready)),
      measure,
      statuses: new Uint8Array(buffer, at, size),
      places: new Uint8Array(buffer, at + size, size),
    },
  };
}

/** @param source the file's bytes, in parts */
export function writeOutline(
  cache: string,
  source: readonly Uint8Array[],
  { outline, starts, control }: KeptOutline,
): void {
  const { waits, waiters, ready, measure, statuses, places } = outline;
  const size = statuses.length;
  const head = [
    MARK,
    size,
    waiters.flat.length,
    ready.length,
    measure,
    control.iteration,
    CONTROL.indexOf(control.status),
  ];
  const lists = [
    Int32Array.from(head),
    starts,
    waits,
    waiters.ends.subarray(0, size),
    waiters.flat,
    Int32Array.from(ready),
  ];
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const buffer = new ArrayBuffer(count * 4 + 2 * size);
  const numbers = new Int32Array(buffer, 0, count);
  let at = 0;
  for (const list of lists) {
    numbers.set(list, at);
    at += list.length;
  }
  const bytes = new Uint8Array(buffer);
  bytes.set(statuses, count * 4);
  bytes.set(places, count * 4 + size);
  writeCache(outlineFile(cache), source, KEY, bytes);
}

/**
 * Index of the atom with this id; -1: it does not stand there as most do.
 * @param text the file, a character for a byte
 */
export function indexOfAtom(text: string, starts: Int32Array, id: string): number {
  const line = `\n  - id: ${id}`;
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const next = text.charCodeAt(at + line.length);
    const index = next === LINE_FEED || next === RETURN || next === BLANK ? indexOfStart(starts, at + 1) : -1;
    if (index >= 0) return index;
  }
  return -1;
}

const [LINE_FEED, RETURN, BLANK] = [10, 13, 32];

function indexOfStart(starts: Int32Array, start: number): number {
  const index = atomAround(starts, start);
  return starts[index] === start ? index : -1;
}

/** The last atom whose lines begin there or before; -1: none does. @param at in bytes */
export function atomAround(starts: Int32Array, at: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What may stand behind a value on its line. */
const TAIL = String.raw` *(?: #[^\r\n]*)?\r?\n`;
/** An id, a description in double quotes and the status, each on a line, as most atoms begin. */
const ATOM = new RegExp(
  String.raw`  - id: [^\s#]+${TAIL}    description: "[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"${TAIL}    status: (?=(pending|in_progress|resolved)${TAIL})`,
  "y",
);
/** A name that stands bare may hold blanks, but not at its end. */
const ID = / {2}- id: ([^\r\n#]*[^\r\n# ])/y;

export function idIn(text: string, starts: Int32Array, index: number): string {
  ID.lastIndex = starts[index] ?? 0;
  return ID.exec(text)?.[1] ?? "";
}

/** Where the atom's status stands; null: not where it does in most. */
export function statusPlace(
  text: string,
  { starts, outline }: KeptOutline,
  index: number,
): { readonly start: number; readonly end: number } | null {
  ATOM.lastIndex = starts[index] ?? 0;
  const status = ATOM.exec(text)?.[1] ?? "";
  if (status !== STATUSES[outline.statuses[index] ?? 0]) return null;
  const start = ATOM.lastIndex;
  return { start, end: start + status.length };
}

/** `starts` once what stands behind that atom has moved. */
export function moved(starts: Int32Array, index: number, by: number): Int32Array {
  const after = starts.slice();
  for (let other = index + 1; other < after.length; other++) after[other] = (after[other] ?? 0) + by;
  return after;
}
