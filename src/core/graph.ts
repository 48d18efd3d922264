/**
 * The structure of a work graph, by index: who depends on whom, what was split into what, which atoms
 * are alternatives. Statuses are not in here; the structure changes only when atoms are added, removed
 * or decomposed (SPEC section 3).
 *
 * Names that refer to nothing are left out, so that a graph can be built of a state whose invariants
 * do not hold yet; `invariants.ts` reports them.
 */
import type { State } from "./state.ts";

export interface Graph {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Own dependencies of each atom. */
  readonly dependencies: readonly (readonly number[])[];
  readonly dependants: readonly (readonly number[])[];
  /** The container directly above, or NONE. */
  readonly parent: readonly number[];
  /** What a container was split into; empty: not a container. */
  readonly children: readonly (readonly number[])[];
  /** Index of the OR group an atom is a choice of, or NONE. */
  readonly groupOf: readonly number[];
  readonly groupNames: readonly string[];
  readonly groupIndexOf: ReadonlyMap<string, number>;
  readonly choices: readonly (readonly number[])[];
}

export const NONE = -1;
const NO_INDICES: readonly number[] = [];

export function graphOf({ atoms, decompositions, or_groups: groups }: State): Graph {
  const ids = atoms.map(({ id }) => id);
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const groupIndexOf = new Map(groups.map((group, index) => [group.name, index]));
  const dependencies = atoms.map(({ depends_on }) => indicesOf(depends_on, indexOf));
  const parent = atoms.map(() => NONE);
  const children = atoms.map(() => NO_INDICES);
  for (const split of decompositions) {
    const above = indexOf.get(split.parent);
    if (above === undefined) continue;
    children[above] = indicesOf(split.children, indexOf);
    for (const child of children[above]) parent[child] = above;
  }
  const choices = groups.map((group) => indicesOf(group.choices, indexOf));
  for (const rivals of choices) adoptRivals(rivals, parent, children);
  return {
    ids,
    indexOf,
    dependencies,
    dependants: inverted(dependencies),
    parent,
    children,
    groupOf: atoms.map(({ or_group }) => groupIndexOf.get(or_group ?? "") ?? NONE),
    groupNames: groups.map((group) => group.name),
    groupIndexOf,
    choices,
  };
}

function indicesOf(names: readonly string[], indexOf: ReadonlyMap<string, number>): readonly number[] {
  return names.flatMap((name) => indexOf.get(name) ?? []);
}

/** An alternative stands where its rivals stand: a choice without a container is a child of theirs. */
function adoptRivals(rivals: readonly number[], parent: number[], children: (readonly number[])[]): void {
  const above = rivals.map((choice) => numberAt(parent, choice)).find((container) => container !== NONE);
  if (above === undefined) return;
  for (const choice of rivals) {
    if (numberAt(parent, choice) !== NONE) continue;
    parent[choice] = above;
    children[above] = [...listAt(children, above), choice];
  }
}

/** The edges the other way round. */
function inverted(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const back: number[][] = edges.map(() => []);
  edges.forEach((targets, source) => {
    for (const target of targets) back[target]?.push(source);
  });
  return back;
}

/** Index of an atom that is known to exist; RangeError otherwise (a caller's mistake). */
export function indexIn(graph: Graph, id: string): number {
  const index = graph.indexOf.get(id);
  if (index === undefined) throw new RangeError(`no atom ${id}`);
  return index;
}

/** Safe element access for index arrays whose bounds the graph guarantees. */
export function listAt(lists: readonly (readonly number[])[], index: number): readonly number[] {
  return lists[index] ?? NO_INDICES;
}

export function numberAt(numbers: readonly number[], index: number): number {
  return numbers[index] ?? NONE;
}

export function idAt(graph: Graph, index: number): string {
  return graph.ids[index] ?? "";
}

/** A container has been decomposed: it is never executed, it resolves by itself. */
export function isContainer(graph: Graph, index: number): boolean {
  return listAt(graph.children, index).length > 0;
}

/** The atom itself and everything that it was split into, at any depth. */
export function subtreeOf(graph: Graph, index: number): readonly number[] {
  const found = [index];
  for (let next = 0; next < found.length; next++) found.push(...listAt(graph.children, found[next] as number));
  return found;
}

/** The nearest choice above an atom, the atom itself not counted; NONE if there is none. */
export function choiceAbove(graph: Graph, index: number): number {
  for (let above = numberAt(graph.parent, index); above !== NONE; above = numberAt(graph.parent, above)) {
    if (numberAt(graph.groupOf, above) !== NONE) return above;
  }
  return NONE;
}

/** A set of atoms and everything that waits for them, directly or not, through groups and containers. */
export function transitiveDependants(graph: Graph, start: readonly number[]): ReadonlySet<number> {
  const seen = new Set<number>();
  const queue = [...start];
  for (let next = 0; next < queue.length; next++) {
    for (const waiting of waitersOf(graph, queue[next] as number)) {
      if (seen.has(waiting)) continue;
      seen.add(waiting);
      queue.push(waiting);
    }
  }
  return seen;
}

/** Atoms a dependency on which is met once this one is resolved: itself, or all of its group with what is below. */
export function metWith(graph: Graph, index: number): readonly number[] {
  const group = numberAt(graph.groupOf, index);
  if (group === NONE) return [index];
  return listAt(graph.choices, group).flatMap((choice) => (choice === index ? [choice] : subtreeOf(graph, choice)));
}

/**
 * Who waits for an atom directly: those that depend on it, on another choice of its group or on what is below one,
 * the container above it, and, where a container depends, all that is below that container.
 */
export function waitersOf(graph: Graph, index: number): readonly number[] {
  const waiters: number[] = [];
  const group = numberAt(graph.groupOf, index);
  for (const name of metWith(graph, index)) {
    for (const dependant of listAt(graph.dependants, name)) {
      if (isContainer(graph, dependant)) waiters.push(...subtreeOf(graph, dependant));
      else if (name === index || !isBelowGroup(graph, dependant, group)) waiters.push(dependant);
    }
  }
  const above = numberAt(graph.parent, index);
  if (above !== NONE) waiters.push(above);
  return waiters;
}

function isBelowGroup(graph: Graph, index: number, group: number): boolean {
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here))
    if (numberAt(graph.groupOf, here) === group) return true;
  return false;
}
