/**
 * In which order each vote sees things, so that no position is always the same one's (SPEC section 6).
 *
 * O1 the order follows from the seed and the vote's number: a replay asks the same;
 * O2 as long as there are no more votes than entries, no entry stands twice in the same place.
 */
import type { Leaf } from "../../core/verdict.ts";

/** A seed of 32 bits for the votes on a leaf. */
export function seedOf(leaf: Leaf): number {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify([leaf.item, leaf.check]))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** @param vote from 0 */
export function orderFor<T>(entries: readonly T[], seed: number, vote: number): readonly T[] {
  const base = shuffled(entries, seed);
  if (base.length === 0) return base;
  const turn = Math.floor(vote / base.length);
  const ring = turn % 2 === 0 ? base : base.toReversed();
  const start = vote % base.length;
  return [...ring.slice(start), ...ring.slice(0, start)];
}

function shuffled<T>(entries: readonly T[], seed: number): readonly T[] {
  const next = chance(seed);
  return entries
    .map((entry) => ({ entry, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}

/** A small generator of numbers from 0 to 1 (xorshift); good enough for an order. */
function chance(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
