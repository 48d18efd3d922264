/** Which items of a list became which. */
import { isSame } from "./same.ts";

export interface Alignment {
  /** Indices before and after of items that changed in place. */
  readonly changed: readonly (readonly [number, number])[];
  readonly removed: readonly number[];
  /** Index after, and the index before behind which it belongs (-1: in front). */
  readonly inserted: readonly { readonly after: number; readonly index: number }[];
}

/**
 * Lines two lists up without moving an item: what would have to move is removed and inserted.
 * @param keyOf what an item keeps while it changes; without it an item is only its value
 */
export function align(
  before: readonly unknown[],
  after: readonly unknown[],
  keyOf?: (item: unknown) => unknown,
): Alignment {
  let head = 0;
  while (head < before.length && head < after.length && isSame(before[head], after[head])) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    isSame(before[before.length - 1 - tail], after[after.length - 1 - tail])
  )
    tail++;
  const anchors =
    keyOf === undefined ? equalAnchors(before, after, head, tail) : keyedAnchors(before, after, { head, tail }, keyOf);
  const changed: (readonly [number, number])[] = anchors.filter(([i, j]) => !isSame(before[i], after[j]));
  const removed: number[] = [];
  const inserted: { after: number; index: number }[] = [];
  let i = head;
  let j = head;
  for (const [nextI, nextJ] of [...anchors, [before.length - tail, after.length - tail] as const]) {
    // Between two anchors, items without a key of their own change in place as far as there are two of them.
    if (keyOf === undefined) while (i < nextI && j < nextJ) changed.push([i++, j++]);
    while (i < nextI) removed.push(i++);
    while (j < nextJ) inserted.push({ after: i - 1, index: j++ });
    i = nextI + 1;
    j = nextJ + 1;
  }
  return { changed, removed, inserted };
}

type Anchors = (readonly [number, number])[];

function equalAnchors(before: readonly unknown[], after: readonly unknown[], head: number, tail: number): Anchors {
  const anchors: Anchors = [];
  let from = head;
  for (let j = head; j < after.length - tail; j++) {
    let i = from;
    while (i < before.length - tail && !isSame(before[i], after[j])) i++;
    if (i >= before.length - tail) continue;
    anchors.push([i, j]);
    from = i + 1;
  }
  return anchors;
}

function keyedAnchors(
  before: readonly unknown[],
  after: readonly unknown[],
  { head, tail }: { readonly head: number; readonly tail: number },
  keyOf: (item: unknown) => unknown,
): Anchors {
  const places = new Map<unknown, number>();
  for (let i = head; i < before.length - tail; i++) places.set(keyOf(before[i]), i);
  const anchors: Anchors = [];
  let from = head;
  for (let j = head; j < after.length - tail; j++) {
    const i = places.get(keyOf(after[j]));
    if (i === undefined || i < from) continue;
    anchors.push([i, j]);
    from = i + 1;
  }
  return anchors;
}
