/**
 * In which order executable atoms get slots: more transitive dependants first, then the longer remaining
 * chain, then the id (SPEC section 3). All that waits for an executable atom is still unresolved, so both
 * figures follow from the structure.
 */
import { idAt, isContainer, listAt, waitersOf, type Graph } from "./graph.ts";

/** `indices` best first. */
export function inOrder(graph: Graph, indices: readonly number[]): readonly number[] {
  const waiters = graph.ids.map((_, index) => waitersOf(graph, index));
  const counts = new Map(indices.map((index) => [index, countReachable(graph, waiters, index)]));
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
  return indices.toSorted(
    (a, b) =>
      (counts.get(b) ?? 0) - (counts.get(a) ?? 0) ||
      chainOf(b) - chainOf(a) ||
      compareIds(idAt(graph, a), idAt(graph, b)),
  );
}

/** How many atoms (containers not counted) wait for an atom, directly or not. */
function countReachable(graph: Graph, waiters: readonly (readonly number[])[], start: number): number {
  const seen = new Set([start]);
  for (const index of seen) for (const waiter of listAt(waiters, index)) seen.add(waiter);
  return [...seen].filter((index) => index !== start && !isContainer(graph, index)).length;
}

/** Made when it is first used: most commands sort nothing. */
let natural: Intl.Collator | undefined;

/** Natural order: A2 before A10. */
export function compareIds(a: string, b: string): number {
  natural ??= new Intl.Collator("en", { numeric: true });
  return natural.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
