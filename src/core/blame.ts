/**
 * What an iteration without progress is held against, and which failures and new work are not (SPEC section 4).
 *
 * BLAME-1 splits of atoms that came of fewer than CREDITED_SPLITS splits are credited; a deeper one only where every deeper
 *    one before is done, so that splitting without end is credited once;
 * BLAME-2 an atom's first failure is no stall: its lesson was not used yet. Where a resolved atom took several attempts,
 *    retries work here, and a failure is none as long as its atom had at most twice as many as the one that took the most:
 *    how many attempts a few atoms took says little of how many the next one takes. Each iteration that is excused
 *    spends one of these attempts.
 */
import { atomIn, type Nogood } from "./event.ts";
import { isLive } from "./fate.ts";
import { idAt, isContainer, NONE, numberAt, type Graph } from "./graph.ts";
import { memoryOf, type AtomMemory, type Loop, type OpenIteration } from "./loop.ts";
import { at } from "./vec.ts";

const CREDITED_SPLITS = 2;

/** Whether splitting this atom, which is no container yet, is credited (BLAME-1). */
export function isSplitCredited({ state, view: { graph } }: Loop, index: number): boolean {
  if (!isDeep(graph, index)) return true;
  return state.decompositions.every(({ parent }) => {
    const container = graph.indexOf.get(parent) ?? NONE;
    if (container === NONE || !isDeep(graph, container)) return true;
    return at(state.atoms, container).status === "resolved" || !isLive(state, graph, container);
  });
}

function isDeep(graph: Graph, index: number): boolean {
  let splits = 0;
  for (let above = numberAt(graph.parent, index); above !== NONE; above = numberAt(graph.parent, above)) splits++;
  return splits >= CREDITED_SPLITS;
}

/** Whether nothing more happened in it than failures that are no stall (BLAME-2). */
export function isPatienceLeft({ state, view: { graph }, run }: Loop, { atoms }: OpenIteration): boolean {
  let most = 0;
  for (const id of atoms) {
    const index = graph.indexOf.get(id) ?? NONE;
    if (index === NONE || at(state.atoms, index).status === "resolved") continue;
    if (isContainer(graph, index)) return false;
    if (isLive(state, graph, index)) most = Math.max(most, memoryOf(run, id).attempts);
  }
  if (most <= 1) return most === 1;
  return graph.ids.some((id, index) => {
    if (at(state.atoms, index).status !== "resolved" || isContainer(graph, index)) return false;
    const { attempts } = memoryOf(run, id);
    return attempts > 1 && 2 * attempts >= most;
  });
}

/** Its own failures: an atom also learns of what others failed at. */
export function failuresOf({ nogoods }: AtomMemory, id: string): readonly Nogood[] {
  return nogoods.filter(({ attempt }) => atomIn(attempt) === id);
}

/** The atom that an iteration without progress is held against; null: none failed or was split in it. */
export function blamedOf({ state, view: { graph }, run }: Loop, { atoms }: OpenIteration): string | null {
  let blamed: { readonly id: string; readonly weight: number } | null = null;
  for (const id of atoms) {
    const index = graph.indexOf.get(id);
    if (index === undefined || at(state.atoms, index).status === "resolved") continue;
    if (!isContainer(graph, index) && !isLive(state, graph, index)) continue;
    // What was split grew; what failed most often comes next.
    const weight = isContainer(graph, index) ? Infinity : failuresOf(memoryOf(run, id), id).length;
    if (weight > (blamed?.weight ?? 0)) blamed = { id: idAt(graph, index), weight };
  }
  return blamed?.id ?? null;
}
