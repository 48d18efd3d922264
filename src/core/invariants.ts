/**
 * How the values of a state must fit together (SPEC section 2, invariants). The shape of each value is
 * the schema's business (`statefile/`); this is checked on load and before every write.
 */
import { graphOf, NONE, type Graph } from "./graph.ts";
import { checkGroup, checkPlace } from "./group-invariants.ts";
import { nearest } from "./nearest.ts";
import type { Problem, Report } from "./problem.ts";
import type { Atom, OrGroup, State } from "./state.ts";

/** Every breach, in the order of the file; empty: the state is valid. */
export function checkInvariants(state: State): Problem[] {
  const atoms = state.atoms;
  const groups = state.or_groups;
  const graph = graphOf(state);
  const problems: Problem[] = [];
  const report: Report = (code, path, message, { found, hint }) => {
    problems.push({ code, path, message, found, hint });
  };
  if (atoms.length === 0)
    problems.push({
      code: "no_atoms",
      path: ["atoms"],
      message: "there is no atom",
      hint: "add at least one atom: { id, description, status: pending, depends_on: [] }",
    });
  checkAtoms(atoms, groups, report);
  checkDecompositions(state, graph.indexOf, report);
  const byId = (id: string): Atom | undefined => atoms[graph.indexOf.get(id) ?? NONE];
  for (const group of groups) checkGroup(group, byId, graph.indexOf, report);
  const cycle = findCycle(graph);
  if (cycle === null) for (const group of groups) checkPlace(group, graph, report);
  // What depends on an id that is twice is not known: the id is reported, a cycle through it is not.
  else if (!cycle.some((id) => isAmbiguous(atoms, id))) reportCycle(atoms, cycle, report);
  return problems;
}

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
        { found: atom.id, hint: "give each atom an id of its own" },
      );
    else firstAt.set(atom.id, index);
    if (atom.binding !== undefined && atom.status !== "resolved")
      report("binding_of_unresolved", ["bindings", atom.id], `atom ${atom.id} has a binding but is ${atom.status}`, {
        found: atom.status,
        hint: "remove the binding, or set the atom to resolved",
      });
  });
  atoms.forEach((atom, index) => {
    atom.depends_on.forEach((dependency, place) => {
      if (!firstAt.has(dependency))
        report(
          "unknown_atom",
          ["atoms", index, "depends_on", place],
          `atom ${atom.id} depends on ${dependency}, which does not exist`,
          { found: dependency, hint: nearest(dependency, firstAt.keys()) },
        );
    });
    if (atom.or_group === undefined) return;
    const group = groupNames.get(atom.or_group);
    if (group === undefined)
      report(
        "unknown_group",
        ["atoms", index, "or_group"],
        `atom ${atom.id} names the OR group ${atom.or_group}, which does not exist`,
        { found: atom.or_group, hint: nearest(atom.or_group, groupNames.keys()) },
      );
    else if (!group.choices.includes(atom.id))
      report(
        "foreign_choice",
        ["atoms", index, "or_group"],
        `atom ${atom.id} names the OR group ${group.name}, whose choices are ${group.choices.join(", ")}`,
        {
          found: atom.or_group,
          hint: `add ${atom.id} to or_groups.${group.name}.choices, or remove or_group from the atom`,
        },
      );
  });
}

function checkDecompositions(state: State, ids: ReadonlyMap<string, number>, report: Report): void {
  const parents = new Set<string>();
  const parentOf = new Map<string, string>();
  state.decompositions.forEach((split, index) => {
    const path = ["decompositions", index];
    if (!ids.has(split.parent))
      report("unknown_atom", [...path, "parent"], `decomposition of ${split.parent}, which does not exist`, {
        found: split.parent,
        hint: nearest(split.parent, ids.keys()),
      });
    if (parents.has(split.parent))
      report("decomposed_twice", [...path, "parent"], `${split.parent} is decomposed twice`, {
        found: split.parent,
        hint: "merge the two decompositions into one",
      });
    parents.add(split.parent);
    if (split.children.length === 0)
      report("empty_list", [...path, "children"], `the decomposition of ${split.parent} has no children`, {
        found: "[]",
        hint: "name at least one child atom",
      });
    split.children.forEach((child, place) => {
      const other = parentOf.get(child);
      if (!ids.has(child))
        report(
          "unknown_atom",
          [...path, "children", place],
          `${split.parent} is split into ${child}, which does not exist`,
          { found: child, hint: nearest(child, ids.keys()) },
        );
      else if (other !== undefined)
        report(
          "decomposed_twice",
          [...path, "children", place],
          `${child} is a child of both ${other} and ${split.parent}`,
          { found: child, hint: "an atom has one parent at most" },
        );
      parentOf.set(child, split.parent);
    });
  });
}

function reportCycle(atoms: readonly Atom[], cycle: readonly string[], report: Report): void {
  const start = atoms.findIndex((atom) => atom.id === cycle[0]);
  report("cycle", ["atoms", start], `the graph has a cycle: ${cycle.join(" -> ")}`, {
    found: cycle.join(" -> "),
    hint: "remove one of these dependencies or decompositions: together they must form a DAG",
  });
}

function isAmbiguous(atoms: readonly Atom[], id: string): boolean {
  return atoms.filter((atom) => atom.id === id).length > 1;
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
