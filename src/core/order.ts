/**
 * In which order executable atoms get slots: more transitive dependants first, then the longer remaining
 * chain, then the id (SPEC section 3). All that waits for an executable atom is still unresolved, so both
 * figures follow from the structure and are computed once per graph.
 */
import { idAt, isContainer, listAt, waitersOf, type Graph } from "./graph.ts";
import { at } from "./vec.ts";

/** Place of each atom in the order, 0 first. */
export type Ranks = readonly number[];

const known = new WeakMap<Graph, Ranks>();

export function ranksOf(graph: Graph): Ranks {
  const found = known.get(graph);
  if (found !== undefined) return found;
  const order = sorted(graph);
  const ranks = graph.ids.map((_, index) => order.indexOf(index));
  known.set(graph, ranks);
  return ranks;
}

/** `indices` best first. */
export function inOrder(graph: Graph, indices: readonly number[]): readonly number[] {
  const ranks = ranksOf(graph);
  return indices.toSorted((a, b) => at(ranks, a) - at(ranks, b));
}

function sorted(graph: Graph): readonly number[] {
  const waiters = graph.ids.map((_, index) => waitersOf(graph, index));
  const counts = waiters.map((_, index) => countReachable(graph, waiters, index));
  const chains = new Map<number, number>();
  const chainOf = (index: number): number => {
    const known = chains.get(index);
    if (known !== undefined) return known;
    // What lies on a cycle of waits never runs.
    chains.set(index, 0);
    const longest = listAt(waiters, index).reduce((most, waiter) => Math.max(most, chainOf(waiter) + 1), 0);
    chains.set(index, longest);
    return longest;
  };
  const byRank = (a: number, b: number): number =>
    at(counts, b) - at(counts, a) || chainOf(b) - chainOf(a) || compareIds(idAt(graph, a), idAt(graph, b));
  return [...graph.ids.keys()].sort(byRank);
}

/** How many atoms (containers not counted) wait for an atom, directly or not. */
function countReachable(graph: Graph, waiters: readonly (readonly number[])[], start: number): number {
  const seen = new Set([start]);
  for (const index of seen) for (const waiter of listAt(waiters, index)) seen.add(waiter);
  return [...seen].filter((index) => index !== start && !isContainer(graph, index)).length;
}

/** Natural order: A2 before A10. */
export function compareIds(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
}
