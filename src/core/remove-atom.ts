/** A person takes an atom out that is not resolved and that nothing needs (SPEC section 8). */
import type { Cause } from "./backtrack.ts";
import { idAt, NONE, numberAt, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { OrGroup, State } from "./state.ts";
import { at, toArray, vecOf } from "./vec.ts";

/** @param going everything that is removed with it: a container leaves together with all its children, ahead of them */
export function removeAtom(
  state: State,
  graph: Graph,
  id: string,
  { reason, now, going }: Cause & { readonly going: ReadonlySet<string> },
): Result<Draft> {
  const index = graph.indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const hindrance = whyNotRemovable(state, graph, index, going);
  if (hindrance !== null) return refused(`${id} cannot be removed: ${hindrance[0]}`, hindrance[1]);
  const without = (ids: readonly string[]): readonly string[] => ids.filter((other) => other !== id);
  const groups = toArray(state.or_groups).map((group): OrGroup => ({
    ...group,
    choices: without(group.choices),
    failed: without(group.failed),
  }));
  // Who stood in a container by a rival's name alone goes on standing there.
  const heir = heirOf(state, graph, index);
  const description = `removed ${id}`;
  const next: State = {
    ...state,
    atoms: vecOf(toArray(state.atoms).filter((atom) => atom.id !== id)),
    decompositions: state.decompositions
      .filter((split) => split.parent !== id)
      .map((split) =>
        split.children.includes(id)
          ? { ...split, children: split.children.flatMap((child) => (child === id ? heir : [child])) }
          : split,
      ),
    or_groups: vecOf(groups),
    trail: [...state.trail, note(withReason(description, reason), now)],
  };
  return accepted({ state: next, description });
}

/** The rival that takes the place of a choice among the children of its container; none where another is named there. */
function heirOf(state: State, graph: Graph, index: number): readonly string[] {
  const groupIndex = numberAt(graph.groupOf, index);
  if (groupIndex === NONE) return [];
  const { choices, selected } = at(state.or_groups, groupIndex);
  const rivals = choices.filter((choice) => choice !== idAt(graph, index));
  const named = new Set(state.decompositions.flatMap(({ children }) => children));
  return rivals.some((rival) => named.has(rival)) ? [] : [selected];
}

function whyNotRemovable(
  state: State,
  graph: Graph,
  index: number,
  going: ReadonlySet<string>,
): readonly [string, string] | null {
  const id = idAt(graph, index);
  const atom = at(state.atoms, index);
  if (atom.status === "resolved")
    return [
      "it is resolved",
      "its work is integrated; have it done again with `aot redirect redo`, or overwrite its binding with `aot redirect rebind`",
    ];
  const { children = [] } = state.decompositions.find(({ parent }) => parent === id) ?? {};
  if (!children.every((child) => going.has(child)))
    return [
      "it is decomposed",
      "remove its children with it, in one transaction: `aot redirect edit` or `--from FILE`",
    ];
  const dependants = graph.dependants[index] ?? [];
  if (dependants.length > 0)
    return [whoDepends(dependants.map((dependant) => idAt(graph, dependant))), "remove what depends on it first"];
  const split = state.decompositions.find((one) => one.children.includes(id));
  if (split !== undefined && split.children.length === 1)
    return [`it is the only child of ${split.parent}`, `remove ${split.parent} too, or add another child first`];
  const groupIndex = numberAt(graph.groupOf, index);
  if (groupIndex === NONE) return null;
  const group = at(state.or_groups, groupIndex);
  if (group.choices.length === 1) return [`it is the only choice of ${group.name}`, "add another choice first"];
  if (group.selected === id)
    return [
      `it is the selected choice of ${group.name}`,
      `choose another first: \`aot redirect choose ${group.name} ATOM\``,
    ];
  return null;
}

/** "A depends on it", "A and B depend on it", "A, B and C depend on it". */
function whoDepends(ids: readonly string[]): string {
  if (ids.length < 2) return `${ids.join("")} depends on it`;
  return `${ids.slice(0, -1).join(", ")} and ${ids.at(-1) ?? ""} depend on it`;
}
