/** A person overwrites the binding of a resolved atom (SPEC section 8). */
import { idAt, transitiveDependants, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { Draft } from "./redirect-draft.ts";
import type { Binding, State } from "./state.ts";
import { at, withAt } from "./vec.ts";
import { unbound } from "./view.ts";

/** These atoms are pending again, without bindings. */
export function reopened(state: State, indices: Iterable<number>): State {
  let { atoms } = state;
  for (const index of indices) {
    const atom = at(atoms, index);
    if (atom.status !== "pending") atoms = withAt(atoms, index, { ...unbound(atom), status: "pending" });
  }
  return { ...state, atoms };
}

/** Its transitive dependants are pending again, without bindings and without their groups' trail entries. */
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
