/**
 * How the values of a state must fit together (SPEC section 2, invariants). The shape of each value is
 * the schema's business (`statefile/`); this is checked on load and before every write.
 */
import { graphOf, inverted, keepGraph, listAt, NONE, numberAt, type Graph } from "./graph.ts";
import type { Problem, ProblemCode } from "./problem.ts";
import type { Atom, OrGroup, State } from "./state.ts";
import { at, changedIndices, toArray } from "./vec.ts";

type Path = readonly (string | number)[];

/** Every breach, in the order of the file; empty: the state is valid. */
export function checkInvariants(state: State): Problem[] {
  const atoms = toArray(state.atoms);
  const groups = toArray(state.or_groups);
  const graph = graphOf(state);
  const problems: Problem[] = [];
  const report = (code: ProblemCode, path: Path, message: string, found: string, hint: string): void => {
    problems.push({ code, path, message, found, hint });
  };
  if (atoms.length === 0)
    problems.push({
      code: "no_atoms",
      path: ["atoms"],
      message: "there is no atom",
      hint: "add at least one atom: { id, description, status: pending, depends_on: [] }",
    });
  if (!areSound(atoms, graph)) checkAtoms(atoms, groups, report);
  checkDecompositions(state, graph.indexOf, report);
  const byId = (id: string): Atom | undefined => atoms[graph.indexOf.get(id) ?? NONE];
  for (const group of groups) checkGroup(group, byId, graph.indexOf, report);
  if (isAcyclic(graph)) for (const group of groups) checkPlace(group, graph, report);
  else reportCycle(atoms, graph, report);
  return problems;
}

/**
 * As `checkInvariants(after)`, where `before` is known to be valid: while no id, dependency, decomposition or OR
 * group has changed, only the bindings of the atoms that did can be wrong.
 */
export function checkChange(before: State, after: State): Problem[] {
  const structural =
    before.decompositions !== after.decompositions ||
    before.or_groups !== after.or_groups ||
    before.atoms.length !== after.atoms.length ||
    changedIndices(before.atoms, after.atoms).some((index) =>
      isStructural(at(before.atoms, index), at(after.atoms, index)),
    );
  if (structural) return checkInvariants(after);
  keepGraph(before, after);
  return [];
}

/** Whether more than status, binding and what no invariant speaks of has changed, or the binding is wrong. */
function isStructural(before: Atom, after: Atom): boolean {
  return (
    before.id !== after.id ||
    before.depends_on !== after.depends_on ||
    before.or_group !== after.or_group ||
    (after.binding !== undefined && after.status !== "resolved")
  );
}

/** Whether `checkAtoms` would have nothing to say; most states are sound, and then this is all that is done. */
function areSound(atoms: readonly Atom[], graph: Graph): boolean {
  if (graph.indexOf.size !== atoms.length) return false;
  for (let index = 0; index < atoms.length; index++) {
    const { binding, status, depends_on, or_group } = atoms[index] as Atom;
    if (binding !== undefined && status !== "resolved") return false;
    if (listAt(graph.dependencies, index).length !== depends_on.length) return false;
    if (or_group !== undefined && !listAt(graph.choices, numberAt(graph.groupOf, index)).includes(index)) return false;
  }
  return true;
}

type Report = (code: ProblemCode, path: Path, message: string, found: string, hint: string) => void;

function checkAtoms(atoms: readonly Atom[], groups: readonly OrGroup[], report: Report): void {
  const groupNames = new Map(groups.map((group) => [group.name, group]));
  const firstAt = new Map<string, number>();
  atoms.forEach((atom, index) => {
    const first = firstAt.get(atom.id);
    if (first !== undefined)
      report(
        "duplicate_id",
        ["atoms", index, "id"],
        `the id ${atom.id} is used twice (also by atom number ${first + 1})`,
        atom.id,
        "give each atom an id of its own",
      );
    else firstAt.set(atom.id, index);
    if (atom.binding !== undefined && atom.status !== "resolved")
      report(
        "binding_of_unresolved",
        ["bindings", atom.id],
        `atom ${atom.id} has a binding but is ${atom.status}`,
        atom.status,
        "remove the binding, or set the atom to resolved",
      );
  });
  atoms.forEach((atom, index) => {
    atom.depends_on.forEach((dependency, place) => {
      if (!firstAt.has(dependency))
        report(
          "unknown_atom",
          ["atoms", index, "depends_on", place],
          `atom ${atom.id} depends on ${dependency}, which does not exist`,
          dependency,
          nearest(dependency, firstAt.keys()),
        );
    });
    if (atom.or_group === undefined) return;
    const group = groupNames.get(atom.or_group);
    if (group === undefined)
      report(
        "unknown_group",
        ["atoms", index, "or_group"],
        `atom ${atom.id} names the OR group ${atom.or_group}, which does not exist`,
        atom.or_group,
        nearest(atom.or_group, groupNames.keys()),
      );
    else if (!group.choices.includes(atom.id))
      report(
        "foreign_choice",
        ["atoms", index, "or_group"],
        `atom ${atom.id} names the OR group ${group.name}, whose choices are ${group.choices.join(", ")}`,
        atom.or_group,
        `add ${atom.id} to or_groups.${group.name}.choices, or remove or_group from the atom`,
      );
  });
}

function checkDecompositions(state: State, ids: ReadonlyMap<string, number>, report: Report): void {
  const parents = new Set<string>();
  const parentOf = new Map<string, string>();
  state.decompositions.forEach((split, index) => {
    const path = ["decompositions", index];
    if (!ids.has(split.parent))
      report(
        "unknown_atom",
        [...path, "parent"],
        `decomposition of ${split.parent}, which does not exist`,
        split.parent,
        nearest(split.parent, ids.keys()),
      );
    if (parents.has(split.parent))
      report(
        "decomposed_twice",
        [...path, "parent"],
        `${split.parent} is decomposed twice`,
        split.parent,
        "merge the two decompositions into one",
      );
    parents.add(split.parent);
    if (split.children.length === 0)
      report(
        "empty_list",
        [...path, "children"],
        `the decomposition of ${split.parent} has no children`,
        "[]",
        "name at least one child atom",
      );
    split.children.forEach((child, place) => {
      const other = parentOf.get(child);
      if (!ids.has(child))
        report(
          "unknown_atom",
          [...path, "children", place],
          `${split.parent} is split into ${child}, which does not exist`,
          child,
          nearest(child, ids.keys()),
        );
      else if (other !== undefined)
        report(
          "decomposed_twice",
          [...path, "children", place],
          `${child} is a child of both ${other} and ${split.parent}`,
          child,
          "an atom has one parent at most",
        );
      parentOf.set(child, split.parent);
    });
  });
}

function checkGroup(
  group: OrGroup,
  byId: (id: string) => Atom | undefined,
  ids: ReadonlyMap<string, number>,
  report: Report,
): void {
  const path = ["or_groups", group.name];
  if (group.choices.length === 0)
    report(
      "empty_list",
      [...path, "choices"],
      `the OR group ${group.name} has no choice`,
      "[]",
      "name at least one atom",
    );
  group.choices.forEach((choice, place) => {
    const atom = byId(choice);
    if (atom === undefined)
      report(
        "unknown_atom",
        [...path, "choices", place],
        `the OR group ${group.name} has the choice ${choice}, which does not exist`,
        choice,
        nearest(choice, ids.keys()),
      );
    else if (atom.or_group !== group.name)
      report(
        "foreign_choice",
        [...path, "choices", place],
        `${choice} is a choice of ${group.name}, but its or_group is ${atom.or_group ?? "not set"}`,
        choice,
        `set or_group: ${group.name} on atom ${choice}, or remove it from the choices`,
      );
    if (group.choices.indexOf(choice) !== place)
      report(
        "duplicate_id",
        [...path, "choices", place],
        `${choice} is named twice in the OR group ${group.name}`,
        choice,
        "name each choice once",
      );
  });
  if (group.choices.length > 0 && !group.choices.includes(group.selected))
    report(
      "selected_not_a_choice",
      [...path, "selected"],
      `${group.selected} is selected in ${group.name}, but is none of its choices`,
      group.selected,
      `one of ${group.choices.join(", ")}`,
    );
  group.failed.forEach((failed, place) => {
    if (!group.choices.includes(failed))
      report(
        "failed_not_a_choice",
        [...path, "failed", place],
        `${failed} is listed as failed in ${group.name}, but is none of its choices`,
        failed,
        `only ${group.choices.join(", ")}`,
      );
  });
  const exhausted = group.choices.every((choice) => group.failed.includes(choice));
  if (group.failed.includes(group.selected) && !exhausted) {
    const open = group.choices.find((choice) => !group.failed.includes(choice)) ?? "";
    report(
      "selected_has_failed",
      [...path, "selected"],
      `${group.selected} is selected in ${group.name} although it has failed`,
      group.selected,
      `select a choice that is not in failed: ${open}`,
    );
  }
}

/** The choices of a group are alternatives: they stand side by side, below one container or below none. */
function checkPlace(group: OrGroup, graph: Graph, report: Report): void {
  const containers = new Set<number>();
  group.choices.forEach((choice, place) => {
    const index = graph.indexOf.get(choice);
    if (index === undefined) return;
    containers.add(graph.parent[index] ?? NONE);
    for (let above = graph.parent[index] ?? NONE; above !== NONE; above = graph.parent[above] ?? NONE) {
      const rival = graph.ids[above] ?? "";
      if (group.choices.includes(rival))
        report(
          "foreign_choice",
          ["or_groups", group.name, "choices", place],
          `${choice} stands below ${rival}, another choice of ${group.name}`,
          choice,
          "an alternative cannot be a part of its rival",
        );
    }
  });
  if (containers.size > 1) {
    const names = [...containers].map((index) => graph.ids[index] ?? "").join(" and ");
    report(
      "foreign_choice",
      ["or_groups", group.name, "choices"],
      `the choices of ${group.name} stand below different containers: ${names}`,
      group.choices.join(", "),
      "alternatives stand below one container, or below none",
    );
  }
}

/** What stands behind "did you mean": the name with the fewest edits, if it is close. */
function nearest(name: string, known: Iterable<string>): string {
  let best = "";
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(name, candidate, fewest);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best === "" ? "name something that exists, or add it" : `did you mean ${best}?`;
}

/** Edit distance, or `limit` when it is at least that. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? limit;
}

function reportCycle(atoms: readonly Atom[], graph: Graph, report: Report): void {
  const cycle = findCycle(graph) ?? [];
  const start = atoms.findIndex((atom) => atom.id === cycle[0]);
  report(
    "cycle",
    ["atoms", start],
    `the graph has a cycle: ${cycle.join(" -> ")}`,
    cycle.join(" -> "),
    "remove one of these dependencies or decompositions: together they must form a DAG",
  );
}

/** Whether `findCycle` would find nothing, without looking for a path. */
export function isAcyclic(graph: Graph): boolean {
  if (graph.plain && dependBackwards(graph)) return true;
  const open = graph.dependencies.map((list, index) => list.length + listAt(graph.children, index).length);
  const free: number[] = [];
  open.forEach((count, index) => {
    if (count === 0) free.push(index);
  });
  const settle = (index: number): void => {
    const left = numberAt(open, index) - 1;
    open[index] = left;
    if (left === 0) free.push(index);
  };
  const containersOf = inverted(graph.children);
  for (let next = 0; next < free.length; next++) {
    const index = free[next] as number;
    for (const dependant of listAt(graph.dependants, index)) settle(dependant);
    for (const container of listAt(containersOf, index)) settle(container);
  }
  return free.length === graph.ids.length;
}

/** Whether each atom depends on earlier ones only, as people write them. */
function dependBackwards(graph: Graph): boolean {
  for (let index = 0; index < graph.dependencies.length; index++) {
    const list = listAt(graph.dependencies, index);
    for (let place = 0; place < list.length; place++) if ((list[place] as number) >= index) return false;
  }
  return true;
}

/** A cycle over dependencies and decompositions as a closed path of ids, or null. No recursion: chains may be long. */
export function findCycle(graph: Graph): readonly string[] | null {
  const edgesOf = (index: number): readonly number[] => {
    const children = graph.children[index] ?? [];
    const dependencies = graph.dependencies[index] ?? [];
    return children.length === 0 ? dependencies : [...dependencies, ...children];
  };
  const state = new Uint8Array(graph.ids.length);
  const from = new Int32Array(graph.ids.length).fill(NONE);
  for (let root = 0; root < graph.ids.length; root++) {
    if (state[root] !== 0) continue;
    const stack = [{ index: root, next: 0, edges: edgesOf(root) }];
    state[root] = 1;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = top.edges[top.next++];
      if (target === undefined) {
        state[top.index] = 2;
        stack.pop();
      } else if (state[target] === 0) {
        state[target] = 1;
        from[target] = top.index;
        stack.push({ index: target, next: 0, edges: edgesOf(target) });
      } else if (state[target] === 1) return closedPath(graph, from, top.index, target);
    }
  }
  return null;
}

function closedPath(graph: Graph, from: Int32Array, last: number, first: number): readonly string[] {
  const path = [first];
  for (let here = last; here !== first && here !== NONE; here = from[here] ?? NONE) path.push(here);
  path.push(first);
  return path.reverse().map((index) => graph.ids[index] ?? "");
}
