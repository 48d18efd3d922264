import * as fc from "fast-check";
import { expect, test } from "vitest";
import { heapOfSorted, popped, pushed, type Heap } from "../../src/core/heap.ts";

function drained(heap: Heap, ranks: readonly number[]): number[] {
  const out: number[] = [];
  for (let rest = heap; rest !== null; rest = popped(rest, ranks)) out.push(rest.index);
  return out;
}

/** A permutation: rank of each index. */
const ranked = fc.integer({ min: 1, max: 60 }).chain((size) =>
  fc.shuffledSubarray(
    Array.from({ length: size }, (_, i) => i),
    { minLength: size },
  ),
);

test("law: a heap gives its indices by rank, whatever the order they came in", () => {
  fc.assert(
    fc.property(ranked, fc.array(fc.nat(59), { maxLength: 80 }), (ranks, picks) => {
      const indices = picks.map((pick) => pick % ranks.length);
      const heap = indices.reduce((so: Heap, index) => pushed(so, index, ranks), null);
      const byRank = indices.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
      expect(drained(heap, ranks)).toEqual(byRank);
      expect(drained(heapOfSorted(byRank), ranks)).toEqual(byRank);
    }),
  );
});

test("law: a push leaves the heap it was given as it was", () => {
  fc.assert(
    fc.property(ranked, fc.nat(59), (ranks, pick) => {
      const all = ranks.map((_, i) => i).toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
      const heap = heapOfSorted(all);
      pushed(heap, pick % ranks.length, ranks);
      expect(drained(heap, ranks)).toEqual(all);
    }),
  );
});

test("100,000 in order neither overflow the stack nor take quadratic time", () => {
  const ranks = Array.from({ length: 100_000 }, (_, i) => i);
  let heap = heapOfSorted(ranks);
  for (let i = 0; i < 1_000; i++) heap = pushed(heap, i, ranks);
  expect(drained(heap, ranks)).toHaveLength(101_000);
});
