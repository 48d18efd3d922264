/** What an iteration without progress is held against, and which new work is not (SPEC section 4). */
import { atomIn, type Nogood } from "./event.ts";
import { isLive } from "./fate.ts";
import { idAt, isContainer, NONE, numberAt } from "./graph.ts";
import type { AtomMemory, Loop, OpenIteration } from "./loop.ts";
import { at } from "./vec.ts";

/** Splits of atoms that came of fewer splits than this are credited. */
const CREDITED_SPLITS = 2;

/** Whether splitting this atom is credited. */
export function isSplitCredited({ view: { graph } }: Loop, index: number): boolean {
  let splits = 0;
  for (let above = numberAt(graph.parent, index); above !== NONE; above = numberAt(graph.parent, above)) splits++;
  return splits < CREDITED_SPLITS;
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
    const weight = isContainer(graph, index) ? Infinity : failuresOf(at(run.memory, index), id).length;
    if (weight > (blamed?.weight ?? 0)) blamed = { id: idAt(graph, index), weight };
  }
  return blamed?.id ?? null;
}
