/** An immutable sequence: an update is a copy. */
export type Vec<T> = readonly T[];

/** A vector with the items of `items`, in their order. */
export function vecOf<T>(items: readonly T[]): Vec<T> {
  return items.slice();
}

/** A vector of `length` copies of `item`. */
export function vecFilled<T>(length: number, item: T): Vec<T> {
  return Array.from<T>({ length }).fill(item);
}

/** The item at `index`; RangeError outside `0 .. length - 1` (a caller's mistake). */
export function at<T>(vec: Vec<T>, index: number): T {
  if (index < 0 || index >= vec.length) throw new RangeError(`index ${index} outside 0..${vec.length - 1}`);
  return vec[index] as T;
}

/** The vector with `item` at `index`; the same vector if it stood there already. */
export function withAt<T>(vec: Vec<T>, index: number, item: T): Vec<T> {
  return at(vec, index) === item ? vec : vec.with(index, item);
}

/** The vector with `item` behind its last one. */
export function appended<T>(vec: Vec<T>, item: T): Vec<T> {
  return [...vec, item];
}

/** The items, in order, as a plain array. */
export function toArray<T>(vec: Vec<T>): T[] {
  return vec.slice();
}

/** The indices at which two vectors differ (a missing item counts as different). */
export function changedIndices<T>(before: Vec<T>, after: Vec<T>): number[] {
  const longer = before.length < after.length ? after : before;
  return [...longer.keys()].filter((i) => i >= before.length || i >= after.length || before[i] !== after[i]);
}
