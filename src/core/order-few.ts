/**
 * The order of `order.ts` for a few atoms, without ranking the whole graph: a command that lives for one
 * answer pays only for what waits for these atoms. Law (tests/core/order-few.test.ts): the order is the same.
 */
import { idAt, isContainer, waitersOf, type Graph } from "./graph.ts";
import { compareIds, ranksOf } from "./order.ts";

/** From here on ranking everything once is cheaper. */
const FEW = 48;

/** These atoms, the best one first. */
export function inOrder(graph: Graph, indices: readonly number[]): readonly number[] {
  if (indices.length < 2) return indices;
  if (indices.length > FEW) {
    const ranks = ranksOf(graph);
    return indices.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
  }
  const waiters = new Map<number, readonly number[]>();
  const waitersFor = (index: number): readonly number[] => {
    let found = waiters.get(index);
    if (found === undefined) waiters.set(index, (found = waitersOf(graph, index)));
    return found;
  };
  const chains = new Map<number, number | null>();
  const chain = (index: number): number | null => chainFrom(index, waitersFor, chains);
  // As in `order.ts`: what waits in a circle never runs, and whoever leads to it counts nothing.
  const count = (index: number): number => (chain(index) === null ? 0 : countWaiting(graph, index, waitersFor));
  const counts = new Map(indices.map((index) => [index, count(index)]));
  return indices.toSorted(
    (a, b) =>
      (counts.get(b) ?? 0) - (counts.get(a) ?? 0) ||
      (chain(b) ?? 0) - (chain(a) ?? 0) ||
      compareIds(idAt(graph, a), idAt(graph, b)),
  );
}

/** How many atoms, containers not counted, wait for this one, directly or not. */
function countWaiting(graph: Graph, start: number, waitersFor: (index: number) => readonly number[]): number {
  const seen = new Set<number>([start]);
  let count = 0;
  for (const index of seen) {
    for (const waiter of waitersFor(index)) {
      if (seen.has(waiter)) continue;
      seen.add(waiter);
      if (!isContainer(graph, waiter)) count++;
    }
  }
  return count;
}

/** Length of the longest chain of waits that begins here; null: it leads to a circle. No recursion: chains may be long. */
function chainFrom(
  start: number,
  waitersFor: (index: number) => readonly number[],
  known: Map<number, number | null>,
): number | null {
  const stack = [start];
  const entered = new Set<number>();
  for (let index = stack.at(-1); index !== undefined; index = stack.at(-1)) {
    if (known.has(index)) stack.pop();
    else if (entered.has(index)) {
      known.set(index, longest(waitersFor(index), known));
      stack.pop();
    } else {
      entered.add(index);
      for (const waiter of waitersFor(index)) if (!entered.has(waiter)) stack.push(waiter);
    }
  }
  return known.get(start) ?? null;
}

/** A waiter that was entered and is not known yet stands above on the path: a circle. */
function longest(waiters: readonly number[], known: ReadonlyMap<number, number | null>): number | null {
  let most = 0;
  for (const waiter of waiters) {
    const chain = known.get(waiter);
    if (chain === undefined || chain === null) return null;
    most = Math.max(most, chain + 1);
  }
  return most;
}
