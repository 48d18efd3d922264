/**
 * The graph as people made it: what a loop added by itself, reported by its journal, is left out (SPEC sections 6 and 7).
 *
 * ALIGNED-GRAPH-1 what was aligned, and what a person added, removed or forced since, stays;
 * ALIGNED-GRAPH-2 what a planner, a failed verdict or a splitting worker added goes, with all that is below it; a
 *    dependency on it goes, too.
 */
import { foldJournal, type Projection } from "./fold-journal.ts";
import { BY_HAND } from "./journal-line.ts";
import type { Atom, Decomposition, OrGroup, State } from "./state.ts";
import { toArray, vecOf } from "./vec.ts";

/** What a journal tells of how the graph came about. */
export interface Growth {
  /** Atoms that the loop added, with the description that it gave them. */
  readonly added: ReadonlyMap<string, string>;
  /** Atoms that it split, into which. */
  readonly split: ReadonlyMap<string, readonly string[]>;
  /** What a person forced last in each OR group. */
  readonly forced: ReadonlyMap<string, string>;
}

/** A restart goes on with the graph as it is: only a new goal begins anew. */
export function createGrowth(): Projection<Growth> {
  return foldJournal({
    begins: ({ event }) => event === "aligned",
    blank: () => ({
      added: new Map<string, string>(),
      split: new Map<string, readonly string[]>(),
      forced: new Map<string, string>(),
      redirected: false,
    }),
    next(fold, line) {
      const isOwn = line.run !== BY_HAND;
      if (line.event === "atoms_added" && isOwn)
        for (const { id = "", description } of line.atoms) fold.added.set(id, description);
      else if (line.event === "atom_decomposed" && isOwn) fold.split.set(line.atom, line.children);
      // A redirect's own facts stand directly behind it.
      else if (line.event === "choice_selected" && fold.redirected) fold.forced.set(line.or_group, line.choice);
      fold.redirected = line.event === "redirected";
    },
    answer: (fold): Growth => fold,
  });
}

/** ALIGNED-GRAPH-1, ALIGNED-GRAPH-2. `removed`: ids of the atoms that are left out, in the order of the file. */
export function alignedGraph(
  state: State,
  growth: Growth,
): { readonly state: State; readonly removed: readonly string[] } {
  const gone = grown(state, growth);
  const kept = (ids: readonly string[]): readonly string[] => ids.filter((id) => !gone.has(id));
  const atoms = toArray(state.atoms).flatMap((atom): Atom[] => {
    if (gone.has(atom.id)) return [];
    const depends_on = kept(atom.depends_on);
    return [depends_on.length === atom.depends_on.length ? atom : { ...atom, depends_on }];
  });
  const groups = toArray(state.or_groups).flatMap((group): OrGroup[] => {
    const choices = kept(group.choices);
    if (choices.length === 0) return [];
    const forced = growth.forced.get(group.name) ?? "";
    const first = choices.includes(forced) ? forced : (choices[0] ?? "");
    return [{ ...group, choices, failed: kept(group.failed), selected: first }];
  });
  const decompositions = state.decompositions.flatMap((one) => {
    if (gone.has(one.parent) || isOwn(one, growth)) return [];
    return [{ ...one, children: kept(one.children) }];
  });
  const removed = toArray(state.atoms).flatMap(({ id }) => (gone.has(id) ? [id] : []));
  return { state: { ...state, atoms: vecOf(atoms), or_groups: vecOf(groups), decompositions }, removed };
}

/** Whether the loop made this split. A person may have added an alternative below it since. */
function isOwn({ parent, children }: Decomposition, { split }: Growth): boolean {
  const told = split.get(parent);
  return told !== undefined && told.some((child) => children.includes(child));
}

/** What the loop added, and all below it. An atom of that name which reads otherwise is somebody else's. */
function grown(state: State, growth: Growth): ReadonlySet<string> {
  const own = state.decompositions.filter((one) => isOwn(one, growth));
  const gone = new Set([
    ...toArray(state.atoms).flatMap(({ id, description }) => (growth.added.get(id) === description ? [id] : [])),
    ...own.flatMap(({ parent, children }) =>
      children.filter((child) => growth.split.get(parent)?.includes(child) === true),
    ),
  ]);
  for (const id of gone)
    for (const { parent, children } of state.decompositions)
      if (parent === id) for (const one of children) gone.add(one);
  return gone;
}
