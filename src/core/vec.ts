/**
 * Vec: an immutable sequence whose update copies three short arrays, not the whole.
 *
 * The reducer touches one or two atoms per event. With plain arrays each event would copy every
 * atom; with chunks of items, in blocks of chunks, it copies one chunk, one block and the list of blocks: of 10,000
 * items 74 places, so that a step costs the same on 100 atoms and on 10,000.
 */
const BITS = 5;
const SIZE = 1 << BITS;
const MASK = SIZE - 1;

type Chunk<T> = readonly T[];
type Block<T> = readonly Chunk<T>[];

export interface Vec<T> {
  readonly length: number;
  readonly blocks: readonly Block<T>[];
}

const EMPTY: Vec<never> = { length: 0, blocks: [] };

/** A vector with the items of `items`, in their order. */
export function vecOf<T>(items: readonly T[]): Vec<T> {
  return items.length === 0 ? EMPTY : { length: items.length, blocks: cut(cut(items)) };
}

function cut<T>(items: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += SIZE) parts.push(items.slice(from, from + SIZE));
  return parts;
}

/** A vector of `length` copies of `item`. */
export function vecFilled<T>(length: number, item: T): Vec<T> {
  return vecOf(Array.from<T>({ length }).fill(item));
}

/** The item at `index`; RangeError outside `0 .. length - 1` (a caller's mistake). */
export function at<T>(vec: Vec<T>, index: number): T {
  if (index < 0 || index >= vec.length) throw new RangeError(`index ${index} outside 0..${vec.length - 1}`);
  const block = vec.blocks[index >> (2 * BITS)] as Block<T>;
  return (block[(index >> BITS) & MASK] as Chunk<T>)[index & MASK] as T;
}

/** The vector with `item` at `index`; the same vector if it stood there already. */
export function withAt<T>(vec: Vec<T>, index: number, item: T): Vec<T> {
  if (at(vec, index) === item) return vec;
  const blocks = vec.blocks.slice();
  const block = (blocks[index >> (2 * BITS)] as Block<T>).slice();
  const chunk = (block[(index >> BITS) & MASK] as Chunk<T>).slice();
  chunk[index & MASK] = item;
  block[(index >> BITS) & MASK] = chunk;
  blocks[index >> (2 * BITS)] = block;
  return { length: vec.length, blocks };
}

/** The vector with `item` behind its last one. */
export function appended<T>(vec: Vec<T>, item: T): Vec<T> {
  const { length } = vec;
  const blocks = vec.blocks.slice();
  const block = (blocks[length >> (2 * BITS)] ?? []).slice();
  const chunk = block[(length >> BITS) & MASK] ?? [];
  block[(length >> BITS) & MASK] = [...chunk, item];
  blocks[length >> (2 * BITS)] = block;
  return { length: length + 1, blocks };
}

/** The runs of items that make up the vector, in order. */
function chunksOf<T>(vec: Vec<T>): Chunk<T>[] {
  const chunks: Chunk<T>[] = [];
  return chunks.concat(...vec.blocks);
}

/** The items, in order, as a plain array. */
export function toArray<T>(vec: Vec<T>): T[] {
  // Not flat(): that goes through every item one by one.
  const items: T[] = [];
  return items.concat(...(chunksOf(vec) as T[][]));
}

/** The indices at which two vectors differ (a missing item counts as different). What they share is skipped whole. */
export function changedIndices<T>(before: Vec<T>, after: Vec<T>): number[] {
  const changed: number[] = [];
  const blockCount = Math.max(before.blocks.length, after.blocks.length);
  for (let b = 0; b < blockCount; b++) {
    const [left, right] = [before.blocks[b], after.blocks[b]];
    if (left === right) continue;
    const chunkCount = Math.max(left?.length ?? 0, right?.length ?? 0);
    for (let c = 0; c < chunkCount; c++) addChanged(changed, (b * SIZE + c) * SIZE, left?.[c], right?.[c]);
  }
  return changed;
}

function addChanged<T>(changed: number[], from: number, left: Chunk<T> = [], right: Chunk<T> = []): void {
  if (left === right) return;
  const size = Math.max(left.length, right.length);
  for (let i = 0; i < size; i++)
    if (i >= left.length || i >= right.length || left[i] !== right[i]) changed.push(from + i);
}
