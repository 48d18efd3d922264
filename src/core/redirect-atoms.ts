/** A person changes, takes out or has done again a single atom (SPEC section 8). */
import type { Cause } from "./backtrack.ts";
import { PERSON, type Nogood } from "./event.ts";
import { idAt, subtreeOf, transitiveDependants, graphOf, NONE, numberAt, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import { marksOf, type Atom, type State, type OrGroup, type Binding } from "./state.ts";
import { at, withAt } from "./vec.ts";
import type { Change } from "./redirect.ts";
import { unbound } from "./view.ts";

/** Characters of the rejected result's summary. */
const SUMMARY = 1_000;

function lessonOf({ id, binding }: Atom, reason: string): Nogood {
  const evidence = binding === undefined ? {} : { evidence: `It had reported: ${binding.summary.slice(0, SUMMARY)}` };
  return { atom: id, attempt: PERSON, reason: `resolved before, and to be done again: ${reason.trim()}`, ...evidence };
}

/**
 * The atom, what is below it and what was built on them are pending again, without bindings. The work of all of these is
 * taken out: the next attempt starts from a tree that holds nothing of what a person rejected, nor of what rests on it.
 */
export function redoAtom(state: State, graph: Graph, id: string, { reason, now }: Cause): Result<Draft> {
  const index = graph.indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const { status } = at(state.atoms, index);
  if (status !== "resolved")
    return refused(`${id} is ${status}: there is nothing to do again`, "only a resolved atom can be done again");
  const own = subtreeOf(graph, index);
  const again = new Set([...own, ...transitiveDependants(graph, own)]);
  const ids = [...again].map((each) => idAt(graph, each));
  const others = ids.filter((other) => other !== id).join(", ");
  const description = others === "" ? `${id}: to be done again` : `${id}: to be done again, and with it: ${others}`;
  return accepted({
    state: { ...reopened(state, again), trail: [...state.trail, note(withReason(description, reason), now)] },
    description,
    revert: ids,
    lessons: reason.trim() === "" ? [] : [lessonOf(at(state.atoms, index), reason)],
  });
}

const CHANGEABLE = ["description", "depends_on", "probe", "touches", "criteria"] as const;

/** @param change what it does not name stays as it is */
export function changeAtom(
  state: State,
  change: Extract<Change, { kind: "change" }>,
  { reason, now }: { readonly reason: string; readonly now: string },
): Result<Draft> {
  const { id, description, depends_on } = change;
  const index = graphOf(state).indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const atom = at(state.atoms, index);
  if (atom.status === "resolved")
    return refused(
      `${id} is resolved: its work was done as it was described`,
      `have it done again with \`aot redirect redo ${id}\`; both can be one transaction (--from FILE, \`aot redirect edit\`)`,
    );
  const names = CHANGEABLE.filter((field) => change[field] !== undefined);
  if (names.length === 0)
    return refused(`nothing about ${id} is to change`, `give it another ${CHANGEABLE.join(", ")}`);
  const { probe: _, touches: __, criteria: ___, ...rest } = atom;
  const next: Atom = {
    ...rest,
    description: description ?? atom.description,
    depends_on: depends_on === undefined || isSame(depends_on, atom.depends_on) ? atom.depends_on : depends_on,
    ...marksOf({ ...atom, ...change }),
  };
  const what = `${id}: ${names.join(", ")} changed`;
  return accepted({
    state: {
      ...state,
      atoms: withAt(state.atoms, index, next),
      trail: [...state.trail, note(withReason(what, reason), now)],
    },
    description: what,
  });
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, place) => id === other[place]);
}

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
  const groups = state.or_groups.map((group): OrGroup => ({
    ...group,
    choices: without(group.choices),
    failed: without(group.failed),
  }));
  // Who stood in a container by a rival's name alone goes on standing there.
  const heir = heirOf(state, graph, index);
  const description = `removed ${id}`;
  const next: State = {
    ...state,
    atoms: state.atoms.filter((atom) => atom.id !== id),
    decompositions: state.decompositions
      .filter((split) => split.parent !== id)
      .map((split) =>
        split.children.includes(id)
          ? { ...split, children: split.children.flatMap((child) => (child === id ? heir : [child])) }
          : split,
      ),
    or_groups: groups,
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

/** These atoms are pending again, without bindings. */
export function reopened(state: State, indices: Iterable<number>): State {
  let { atoms } = state;
  for (const index of indices) {
    const atom = at(atoms, index);
    if (atom.status !== "pending") atoms = withAt(atoms, index, { ...unbound(atom), status: "pending" });
  }
  return { ...state, atoms };
}

/** Overwrites the binding of a resolved atom: its transitive dependants are pending again, without bindings and without their groups' trail entries. */
export function rebind(state: State, graph: Graph, id: string, binding: Binding): Result<Draft> {
  const index = graph.indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const atom = at(state.atoms, index);
  if (atom.status !== "resolved")
    return refused(`${id} is ${atom.status}: there is no binding to overwrite`, "only a resolved atom has a binding");
  const affected = transitiveDependants(graph, [index]);
  const groups = new Set([...affected].map((each) => at(state.atoms, each).or_group));
  const opened = reopened(state, affected);
  const next: State = {
    ...opened,
    atoms: withAt(opened.atoms, index, { ...atom, binding }),
    trail: state.trail.filter((entry) => !("or_group" in entry && groups.has(entry.or_group))),
  };
  const again = [...affected].map((each) => idAt(graph, each)).join(", ");
  return accepted({
    state: next,
    description: again === "" ? `${id}: binding overwritten` : `${id}: binding overwritten, to be done again: ${again}`,
  });
}
