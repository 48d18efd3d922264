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

/** How many atoms (containers not counted) wait for each atom, directly or not. */
function countReachable(
  graph: Graph,
  waiters: readonly (readonly number[])[],
  sequence: readonly number[],
): readonly number[] {
  /** A bit for each atom that waits. */
  const reach = waiters.map(() => 0n);
  for (const index of sequence) {
    let set = 0n;
    for (const waiter of listAt(waiters, index))
      set |= (reach[waiter] ?? 0n) | (isContainer(graph, waiter) ? 0n : 1n << BigInt(waiter));
    reach[index] = set;
  }
  return reach.map((set) => set.toString(2).replaceAll("0", "").length);
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
