/**
 * Vec: an immutable sequence whose update copies two short arrays, not the whole.
 *
 * The reducer touches one or two atoms per event. With plain arrays each event would copy every
 * atom; with chunks of CHUNK slots it copies one chunk and the list of chunks, so that a step costs
 * the same on 100 atoms and on 10,000.
 */
const BITS = 6;
const CHUNK = 1 << BITS;
const MASK = CHUNK - 1;

export interface Vec<T> {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
}

const EMPTY: Vec<never> = { length: 0, chunks: [] };

/** A vector with the items of `items`, in their order. */
export function vecOf<T>(items: readonly T[]): Vec<T> {
  if (items.length === 0) return EMPTY;
  const chunks: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += CHUNK) chunks.push(items.slice(from, from + CHUNK));
  return { length: items.length, chunks };
}

/** A vector of `length` copies of `item`. */
export function vecFilled<T>(length: number, item: T): Vec<T> {
  return vecOf(Array.from<T>({ length }).fill(item));
}

/** The item at `index`; RangeError outside `0 .. length - 1` (a caller's mistake). */
export function at<T>(vec: Vec<T>, index: number): T {
  if (index < 0 || index >= vec.length) throw new RangeError(`index ${index} outside 0..${vec.length - 1}`);
  return (vec.chunks[index >> BITS] as readonly T[])[index & MASK] as T;
}

/** The vector with `item` at `index`; the same vector if it stood there already. */
export function withAt<T>(vec: Vec<T>, index: number, item: T): Vec<T> {
  if (at(vec, index) === item) return vec;
  const chunks = vec.chunks.slice();
  const chunk = (chunks[index >> BITS] as readonly T[]).slice();
  chunk[index & MASK] = item;
  chunks[index >> BITS] = chunk;
  return { length: vec.length, chunks };
}

/** The vector with `item` behind its last one. */
export function appended<T>(vec: Vec<T>, item: T): Vec<T> {
  const chunks = vec.chunks.slice();
  const last = chunks.at(-1);
  if (last === undefined || last.length === CHUNK) chunks.push([item]);
  else chunks[chunks.length - 1] = [...last, item];
  return { length: vec.length + 1, chunks };
}

/** The items, in order, as a plain array. */
export function toArray<T>(vec: Vec<T>): T[] {
  // Not flat(): that goes through every item one by one.
  const items: T[] = [];
  return items.concat(...(vec.chunks as T[][]));
}

/** The indices at which two vectors differ (a missing item counts as different). Shared chunks are skipped whole. */
export function changedIndices<T>(before: Vec<T>, after: Vec<T>): number[] {
  const changed: number[] = [];
  const chunkCount = Math.max(before.chunks.length, after.chunks.length);
  for (let c = 0; c < chunkCount; c++) {
    const left = before.chunks[c];
    const right = after.chunks[c];
    if (left === right) continue;
    const size = Math.max(left?.length ?? 0, right?.length ?? 0);
    for (let i = 0; i < size; i++) if (left?.[i] !== right?.[i]) changed.push(c * CHUNK + i);
  }
  return changed;
}
