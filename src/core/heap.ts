/** A leftist heap: an immutable priority queue of atom indices, smallest rank first. */
import type { Ranks } from "./order.ts";

export type Heap = HeapNode | null;
interface HeapNode {
  readonly index: number;
  readonly spine: number;
  readonly left: Heap;
  readonly right: Heap;
}

export function pushed(heap: Heap, index: number, ranks: Ranks): Heap {
  return merged({ index, spine: 1, left: null, right: null }, heap, ranks);
}

/** The heap without its first. */
export function popped(heap: HeapNode, ranks: Ranks): Heap {
  return merged(heap.left, heap.right, ranks);
}

/** A heap of indices that are sorted by rank already. */
export function heapOfSorted(indices: readonly number[]): Heap {
  let heap: Heap = null;
  for (let i = indices.length - 1; i >= 0; i--)
    heap = { index: indices[i] as number, spine: 1, left: heap, right: null };
  return heap;
}

function merged(a: Heap, b: Heap, ranks: Ranks): Heap {
  if (a === null) return b;
  if (b === null) return a;
  const [top, other] = (ranks[a.index] ?? 0) <= (ranks[b.index] ?? 0) ? [a, b] : [b, a];
  const right = merged(top.right, other, ranks);
  const left = top.left;
  const [deep, shallow] = spineOf(left) >= spineOf(right) ? [left, right] : [right, left];
  return { index: top.index, spine: spineOf(shallow) + 1, left: deep, right: shallow };
}

function spineOf(heap: Heap): number {
  return heap === null ? 0 : heap.spine;
}
