/**
 * The order of `order.ts` for some atoms, without ranking the whole graph: a command that lives for one
 * answer pays only for what waits for these atoms. Law (tests/core/order-few.test.ts, shortcuts.test.ts): the order
 * is the same.
 *
 * Loops count their indices: they run once, in code that is not compiled yet, where an iterator costs more than the work.
 */
import { flatDependants, idAt, isContainer, waitersOf, type FlatLists, type Graph } from "./graph.ts";
import { byFigures, knownRanks, ranksOf, type Ranks } from "./order.ts";

/** `indices` best first. */
export function inOrder(graph: Graph, indices: readonly number[]): readonly number[] {
  if (indices.length < 2) return indices;
  const ranks = knownRanks(graph) ?? ranksAmong(graph, indices) ?? ranksOf(graph);
  return indices.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
}

/** Atoms that are counted in one pass: the bits of a number that is no object. */
const BITS = 30;
/** With more passes than this, ranking the whole graph is the cheaper way. */
const MOST_PASSES = 64;

/** Ranks of `roots` among each other; null: too many of them, or the waits form a circle. */
function ranksAmong(graph: Graph, roots: readonly number[]): Ranks | null {
  const order = orderAmong(roots, {
    waiters: graph.plain ? flatDependants(graph) : waitersBehind(graph, roots),
    isContainer: (index) => !graph.plain && isContainer(graph, index),
    idOf: (index) => idAt(graph, index),
  });
  if (order === null) return null;
  const ranks: number[] = [];
  order.forEach((index, rank) => {
    ranks[index] = rank;
  });
  return ranks;
}

/** What the order of atoms follows from. */
interface Waiting {
  /** Who waits for each atom (`waitersOf`). */
  readonly waiters: FlatLists;
  isContainer(index: number): boolean;
  idOf(index: number): string;
}

/** `roots` best first; null: too many of them, or the waits form a circle. */
function orderAmong(
  roots: readonly number[],
  { waiters, isContainer: isWhole, idOf }: Waiting,
): readonly number[] | null {
  if (roots.length > BITS * MOST_PASSES) return null;
  const sequence = waitersLast(roots, waiters);
  if (sequence === null) return null;
  const chains = chainsAlong(sequence, waiters);
  const counts: number[] = [];
  for (let from = 0; from < roots.length; from += BITS)
    countInto(counts, roots.slice(from, from + BITS), isWhole, sequence, waiters);
  return roots.toSorted(byFigures(idOf, counts, chains));
}

/** Where the list of `index` starts; it ends at `ends[index]`. */
function startOf(ends: Int32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] as number);
}

/** Who waits for `roots`, for who waits for them, and so on; nobody for any other atom. */
function waitersBehind(graph: Graph, roots: readonly number[]): FlatLists {
  const lists: (readonly number[] | undefined)[] = [];
  const found = [...new Set(roots)];
  for (const root of found) lists[root] = [];
  for (let next = 0; next < found.length; next++) {
    const index = found[next] as number;
    const list = waitersOf(graph, index);
    lists[index] = list;
    for (const waiter of list) {
      if (lists[waiter] !== undefined) continue;
      lists[waiter] = [];
      found.push(waiter);
    }
  }
  const flat: number[] = [];
  const ends = new Int32Array(graph.ids.length);
  for (let index = 0; index < ends.length; index++) {
    for (const waiter of lists[index] ?? []) flat.push(waiter);
    ends[index] = flat.length;
  }
  return { flat: Int32Array.from(flat), ends };
}

/** `roots` and all that waits for them, each before all that wait for it; null: they wait in a circle. */
function waitersLast(roots: readonly number[], { flat, ends }: FlatLists): readonly number[] | null {
  const sources = new Int32Array(ends.length);
  const seen = new Uint8Array(ends.length);
  const found = roots.slice();
  for (let next = 0; next < found.length; next++) seen[found[next] as number] = 1;
  for (let next = 0; next < found.length; next++) {
    const index = found[next] as number;
    const end = ends[index] as number;
    for (let place = startOf(ends, index); place < end; place++) {
      const waiter = flat[place] as number;
      sources[waiter] = (sources[waiter] as number) + 1;
      if (seen[waiter] === 1) continue;
      seen[waiter] = 1;
      found.push(waiter);
    }
  }
  const sequence = found.filter((index) => sources[index] === 0);
  for (let next = 0; next < sequence.length; next++) {
    const index = sequence[next] as number;
    const end = ends[index] as number;
    for (let place = startOf(ends, index); place < end; place++) {
      const waiter = flat[place] as number;
      const left = (sources[waiter] as number) - 1;
      sources[waiter] = left;
      if (left === 0) sequence.push(waiter);
    }
  }
  return sequence.length < found.length ? null : sequence;
}

/** Length of the longest chain of waits behind each. */
function chainsAlong(sequence: readonly number[], { flat, ends }: FlatLists): Int32Array {
  const chains = new Int32Array(ends.length);
  for (let next = sequence.length - 1; next >= 0; next--) {
    const index = sequence[next] as number;
    const end = ends[index] as number;
    let longest = 0;
    for (let place = startOf(ends, index); place < end; place++) {
      const chain = (chains[flat[place] as number] as number) + 1;
      if (chain > longest) longest = chain;
    }
    chains[index] = longest;
  }
  return chains;
}

/** Puts into `counts` how many atoms, containers not counted, wait for each of at most BITS roots, directly or not. */
function countInto(
  counts: number[],
  roots: readonly number[],
  isWhole: (index: number) => boolean,
  sequence: readonly number[],
  { flat, ends }: FlatLists,
): void {
  const behind = new Int32Array(ends.length);
  const bits = new Int32Array(ends.length);
  for (let bit = 0; bit < roots.length; bit++) bits[roots[bit] as number] = 1 << bit;
  const totals = roots.map(() => 0);
  // Neighbours mostly wait for the same roots: they are added up together.
  let mask = 0;
  let run = 0;
  const addUp = (): void => {
    for (let bit = 0; bit < totals.length; bit++) if ((mask & (1 << bit)) !== 0) totals[bit] = (totals[bit] ?? 0) + run;
  };
  for (let next = 0; next < sequence.length; next++) {
    const index = sequence[next] as number;
    const own = behind[index] as number;
    if (own !== mask) {
      addUp();
      mask = own;
      run = 0;
    }
    if (!isWhole(index)) run++;
    const passed = own | (bits[index] as number);
    const end = ends[index] as number;
    for (let place = startOf(ends, index); place < end; place++) {
      const waiter = flat[place] as number;
      behind[waiter] = (behind[waiter] as number) | passed;
    }
  }
  addUp();
  roots.forEach((root, bit) => {
    counts[root] = totals[bit] ?? 0;
  });
}
