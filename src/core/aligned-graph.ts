/**
 * The graph as people made it: what a loop added by itself, reported by its journal, is left out (SPEC sections 6 and 7).
 *
 * ALIGNED-GRAPH-1 what was aligned, and what a person added, removed or forced since, stays;
 * ALIGNED-GRAPH-2 what a planner, a failed verdict or a splitting worker added goes, with all that is below it; a
 *    dependency on it goes, too.
 */
import { foldJournal, type Projection } from "./fold-journal.ts";
import type { Advice } from "./event.ts";
import { BY_HAND, type LineOf } from "./journal-line.ts";
import type { Atom, Decomposition, OrGroup, State } from "./state.ts";

/** What a journal tells of how the graph came about. */
export interface Growth {
  /** Atoms that the loop added, with the description that it gave them. */
  readonly added: ReadonlyMap<string, string>;
  /** Atoms that it split, into which. */
  readonly split: ReadonlyMap<string, readonly string[]>;
  /** What a person forced last in each OR group. */
  readonly forced: ReadonlyMap<string, string>;
  /** What a planner's advice made of atoms that were there. */
  readonly advised: ReadonlyMap<string, Reshaped>;
}

/** `group`: made of the atom. `to`: what the planner said in the place of `was`. */
interface Reshaped {
  readonly group?: string;
  readonly was?: { readonly description?: string; readonly depends_on?: readonly string[] };
  readonly to?: string;
}

/** A restart goes on with the graph as it is: only a new goal begins anew. */
export function createGrowth(): Projection<Growth> {
  return foldJournal({
    begins: ({ event }) => event === "aligned",
    blank: () => ({
      added: new Map<string, string>(),
      split: new Map<string, readonly string[]>(),
      forced: new Map<string, string>(),
      advised: new Map<string, Reshaped>(),
      advice: null as Advice | null,
      redirected: false,
    }),
    next(fold, line) {
      const isOwn = line.run !== BY_HAND;
      if (line.event === "atoms_added" && isOwn)
        for (const { id = "", description } of line.atoms) fold.added.set(id, description);
      else if (line.event === "advised") fold.advice = line.advice;
      else if (line.event === "advice_taken") takeAdvice(fold, line);
      else if (line.event === "atom_decomposed" && isOwn) fold.split.set(line.atom, line.children);
      // A redirect's own facts stand directly behind it.
      else if (line.event === "choice_selected" && fold.redirected) fold.forced.set(line.or_group, line.choice);
      fold.redirected = line.event === "redirected";
    },
    answer: (fold): Growth => fold,
  });
}

interface Taken {
  readonly added: Map<string, string>;
  readonly split: Map<string, readonly string[]>;
  readonly advised: Map<string, Reshaped>;
  readonly advice: Advice | null;
}

function takeAdvice({ added, split, advised, advice }: Taken, line: LineOf<"advice_taken">): void {
  const { atom, group, was } = line;
  if (advice?.kind === "split") split.set(atom, line.added);
  else if (advice?.kind === "alternative") for (const id of line.added) added.set(id, advice.atom.description);
  const to = advice?.kind === "reword" ? { to: advice.description } : {};
  advised.set(atom, { ...(group === undefined ? {} : { group }), ...(was === undefined ? {} : { was }), ...to });
}

/** An atom as it was before a planner's advice; what a person has said of it since stays. @param undone groups */
function asBefore(atom: Atom, advised: Reshaped | undefined, undone: ReadonlySet<string>): Atom {
  if (advised === undefined) return atom;
  const { was, to } = advised;
  const { or_group, ...alone } = atom;
  return {
    ...(or_group === undefined || undone.has(or_group) ? alone : atom),
    ...(was?.description !== undefined && atom.description === to ? { description: was.description } : {}),
    ...(was?.depends_on === undefined ? {} : { depends_on: was.depends_on }),
  };
}

/** ALIGNED-GRAPH-1, ALIGNED-GRAPH-2. `removed`: ids of the atoms that are left out, in the order of the file. */
export function alignedGraph(
  state: State,
  growth: Growth,
): { readonly state: State; readonly removed: readonly string[] } {
  const gone = grown(state, growth);
  const kept = (ids: readonly string[]): readonly string[] => ids.filter((id) => !gone.has(id));
  const undone = new Set(
    [...growth.advised.values()].flatMap(({ group }) => {
      const choices = state.or_groups.find(({ name }) => name === group)?.choices ?? [];
      return group !== undefined && kept(choices).length === 1 ? [group] : [];
    }),
  );
  const atoms = state.atoms.flatMap((atom): Atom[] => {
    if (gone.has(atom.id)) return [];
    const before = asBefore(atom, growth.advised.get(atom.id), undone);
    const depends_on = kept(before.depends_on);
    return [depends_on.length === before.depends_on.length ? before : { ...before, depends_on }];
  });
  const groups = state.or_groups.flatMap((group): OrGroup[] => {
    const choices = kept(group.choices);
    if (choices.length === 0 || undone.has(group.name)) return [];
    const forced = growth.forced.get(group.name) ?? "";
    const first = choices.includes(forced) ? forced : (choices[0] ?? "");
    return [{ ...group, choices, failed: kept(group.failed), selected: first }];
  });
  const decompositions = state.decompositions.flatMap((one) => {
    if (gone.has(one.parent) || isOwn(one, growth)) return [];
    return [{ ...one, children: kept(one.children) }];
  });
  const removed = state.atoms.flatMap(({ id }) => (gone.has(id) ? [id] : []));
  return { state: { ...state, atoms, or_groups: groups, decompositions }, removed };
}

/** Whether the loop made this split. A person may have added an alternative below it since. */
function isOwn({ parent, children }: Decomposition, { split }: Growth): boolean {
  const reported = split.get(parent);
  return reported !== undefined && reported.some((child) => children.includes(child));
}

/** What the loop added, and all below it. An atom of that name which reads otherwise is somebody else's. */
function grown(state: State, growth: Growth): ReadonlySet<string> {
  const own = state.decompositions.filter((one) => isOwn(one, growth));
  const gone = new Set([
    ...state.atoms.flatMap(({ id, description }) => (growth.added.get(id) === description ? [id] : [])),
    ...own.flatMap(({ parent, children }) =>
      children.filter((child) => growth.split.get(parent)?.includes(child) === true),
    ),
  ]);
  for (const id of gone)
    for (const { parent, children } of state.decompositions)
      if (parent === id) for (const one of children) gone.add(one);
  return gone;
}
