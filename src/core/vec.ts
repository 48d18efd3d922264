/** Lists that are never changed: an update is a copy. */

/** The item at `index`; RangeError outside `0 .. length - 1` (a caller's mistake). */
export function at<T>(list: readonly T[], index: number): T {
  if (index < 0 || index >= list.length) throw new RangeError(`index ${index} outside 0..${list.length - 1}`);
  return list[index] as T;
}

/** The list with `item` at `index`; the same list if it stood there already. */
export function withAt<T>(list: readonly T[], index: number, item: T): readonly T[] {
  return at(list, index) === item ? list : list.with(index, item);
}
