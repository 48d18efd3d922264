/**
 * The order of `order.ts` for some atoms, without ranking the whole graph: a command that lives for one
 * answer pays only for what waits for these atoms. Law (tests/core/order-few.test.ts, shortcuts.test.ts): the order
 * is the same.
 */
import { isContainer, listAt, NONE, waitersOf, type Graph } from "./graph.ts";
import { byFigures, knownRanks, ranksOf, type Ranks } from "./order.ts";

/** Steps that `inOrder` may take per atom before ranking the whole graph is the cheaper way. */
const STEPS_PER_ATOM = 256;

/** `indices` best first: the order of `ranksOf`, for the few that are asked about. */
export function inOrder(graph: Graph, indices: readonly number[]): number[] {
  if (indices.length < 2) return [...indices];
  const ranks = knownRanks(graph) ?? ranksAmong(graph, indices) ?? ranksOf(graph);
  return indices.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
}

/** Ranks of `indices` among each other; null: cheaper for all at once, or the graph's waits form a cycle. */
function ranksAmong(graph: Graph, indices: readonly number[]): Ranks | null {
  const lists: (readonly number[] | undefined)[] = [];
  const waiters = (index: number): readonly number[] =>
    graph.plain ? listAt(graph.dependants, index) : (lists[index] ??= waitersOf(graph, index));
  const chains = chainsFrom(graph.ids.length, indices, waiters);
  if (chains === null) return null;
  const counts = countFrom(graph, indices, waiters);
  if (counts === null) return null;
  const ranks: number[] = [];
  indices.toSorted(byFigures(graph, counts, chains)).forEach((index, rank) => {
    ranks[index] = rank;
  });
  return ranks;
}

type Lists = (index: number) => readonly number[];

/** Longest chain behind each of `roots` and all that waits for them; null: there is a cycle. */
function chainsFrom(size: number, roots: readonly number[], waiters: Lists): Int32Array | null {
  const sources = new Int32Array(size);
  const seen = new Uint8Array(size);
  const found: number[] = [];
  const visit = (index: number): void => {
    if (seen[index] === 1) return;
    seen[index] = 1;
    found.push(index);
  };
  for (const root of roots) visit(root);
  for (let next = 0; next < found.length; next++)
    for (const waiter of waiters(found[next] as number)) {
      sources[waiter] = (sources[waiter] ?? 0) + 1;
      visit(waiter);
    }
  // From the roots on, so that each comes before all that wait for it; then back.
  const sequence = found.filter((index) => sources[index] === 0);
  for (let next = 0; next < sequence.length; next++)
    for (const waiter of waiters(sequence[next] as number)) {
      const left = (sources[waiter] ?? 0) - 1;
      sources[waiter] = left;
      if (left === 0) sequence.push(waiter);
    }
  if (sequence.length < found.length) return null;
  const chains = new Int32Array(size);
  for (let next = sequence.length - 1; next >= 0; next--) {
    const index = sequence[next] as number;
    for (const waiter of waiters(index)) chains[index] = Math.max(chains[index] ?? 0, (chains[waiter] ?? 0) + 1);
  }
  return chains;
}

/** How many atoms (containers not counted) wait for each of `roots`, directly or not; null: too many steps. */
function countFrom(graph: Graph, roots: readonly number[], waiters: Lists): readonly number[] | null {
  const counts: number[] = [];
  const seenBy = new Int32Array(graph.ids.length).fill(NONE);
  let steps = graph.ids.length * STEPS_PER_ATOM;
  for (const root of roots) {
    const queue = [root];
    let count = 0;
    for (let next = 0; next < queue.length; next++)
      for (const waiter of waiters(queue[next] as number)) {
        if (seenBy[waiter] === root) continue;
        seenBy[waiter] = root;
        if (graph.plain || !isContainer(graph, waiter)) count++;
        queue.push(waiter);
      }
    steps -= queue.length;
    if (steps < 0) return null;
    counts[root] = count;
  }
  return counts;
}
