/**
 * In which order executable atoms get slots: more transitive dependants first, then the longer remaining
 * chain, then the id (SPEC section 3). All that waits for an executable atom is still unresolved, so both
 * figures follow from the structure and are computed once per graph.
 */
import { idAt, inverted, isContainer, listAt, waitersOf, type Graph } from "./graph.ts";

/** Place of each atom in the order, 0 first. */
export type Ranks = readonly number[];

const known = new WeakMap<Graph, Ranks>();

export function ranksOf(graph: Graph): Ranks {
  const found = known.get(graph);
  if (found !== undefined) return found;
  const ranks: number[] = graph.ids.map(() => 0);
  sorted(graph).forEach((index, rank) => {
    ranks[index] = rank;
  });
  known.set(graph, ranks);
  return ranks;
}

/** `indices` best first. */
export function inOrder(graph: Graph, indices: readonly number[]): readonly number[] {
  if (indices.length < 2) return indices;
  const ranks = ranksOf(graph);
  return indices.toSorted((a, b) => value(ranks, a) - value(ranks, b));
}

function sorted(graph: Graph): readonly number[] {
  const waiters = graph.ids.map((_, index) => waitersOf(graph, index));
  const sequence = waitersFirst(waiters, inverted(waiters));
  const counts = countReachable(graph, waiters, sequence);
  const chains = longestChains(graph.ids.length, waiters, sequence);
  return graph.ids
    .map((_, index) => index)
    .sort(
      (a, b) =>
        value(counts, b) - value(counts, a) ||
        value(chains, b) - value(chains, a) ||
        compareIds(idAt(graph, a), idAt(graph, b)),
    );
}

function value(numbers: ArrayLike<number>, index: number): number {
  return numbers[index] ?? 0;
}

/** Natural order: A2 before A10. */
export function compareIds(a: string, b: string): number {
  return compareParts(partsOf(a), partsOf(b)) || (a < b ? -1 : a > b ? 1 : 0);
}

function partsOf(id: string): readonly string[] {
  return id.match(/\d+|\D+/g) ?? [];
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const x = left[i] ?? "";
    const y = right[i] ?? "";
    if (x === y) continue;
    const difference = Number(x) - Number(y);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

/** Atoms so that each comes after all that wait for it. What lies on a cycle of waits is left out: it never runs. */
function waitersFirst(
  waiters: readonly (readonly number[])[],
  waitsFor: readonly (readonly number[])[],
): readonly number[] {
  const open = waiters.map((list) => list.length);
  const sequence: number[] = [];
  open.forEach((count, index) => {
    if (count === 0) sequence.push(index);
  });
  for (let next = 0; next < sequence.length; next++) {
    for (const source of waitsFor[sequence[next] as number] ?? []) {
      const left = (open[source] ?? 0) - 1;
      open[source] = left;
      if (left === 0) sequence.push(source);
    }
  }
  return sequence;
}

const WORDS = 32;
const BLOCK = WORDS * 32;

/** How many atoms (containers not counted) wait for each atom, directly or not. Exact; one pass per 1,024 atoms. */
function countReachable(
  graph: Graph,
  waiters: readonly (readonly number[])[],
  sequence: readonly number[],
): Int32Array {
  const size = waiters.length;
  const counts = new Int32Array(size);
  const reach = new Int32Array(size * WORDS);
  /** Whether an atom's row holds anything: of most blocks, most atoms reach none. */
  const any = new Uint8Array(size);
  for (let from = 0; from < size; from += BLOCK) {
    if (from > 0) reach.fill(0);
    any.fill(0);
    for (const index of sequence) {
      const row = index * WORDS;
      const list = listAt(waiters, index);
      // By index: this runs before the compiler has come, where an iterator is an object for each step.
      for (let place = 0; place < list.length; place++) {
        const waiter = list[place] as number;
        if (any[waiter] === 1) {
          const other = waiter * WORDS;
          for (let w = 0; w < WORDS; w++) reach[row + w] = (reach[row + w] as number) | (reach[other + w] as number);
          any[index] = 1;
        }
        const bit = waiter - from;
        if (bit >= 0 && bit < BLOCK && !isContainer(graph, waiter)) {
          reach[row + (bit >> 5)] = (reach[row + (bit >> 5)] as number) | (1 << (bit & 31));
          any[index] = 1;
        }
      }
      if (any[index] === 0) continue;
      let count = 0;
      for (let w = row; w < row + WORDS; w++) count += ones(reach[w] as number);
      counts[index] = (counts[index] as number) + count;
    }
  }
  return counts;
}

function ones(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function longestChains(size: number, waiters: readonly (readonly number[])[], sequence: readonly number[]): Int32Array {
  const chains = new Int32Array(size);
  for (const index of sequence) {
    let longest = 0;
    for (const waiter of waiters[index] ?? []) longest = Math.max(longest, value(chains, waiter) + 1);
    chains[index] = longest;
  }
  return chains;
}
