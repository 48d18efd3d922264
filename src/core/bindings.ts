/** What replaces the resolved dependencies of an atom (contraction, SPEC sections 1 and 7). */
import { deadGroupOf } from "./fate.ts";
import { listAt, NONE, numberAt, type Graph } from "./graph.ts";
import type { Binding, State } from "./state.ts";
import { at } from "./vec.ts";

const NO_BINDINGS: Readonly<Record<string, Binding>> = {};

/**
 * The bindings of an atom's direct dependencies, by atom id. A dependency that waits for a group (FATE-1) is
 * replaced by the choice that made it.
 */
export function bindingsFor(state: State, graph: Graph, index: number): Readonly<Record<string, Binding>> {
  const dependencies = listAt(graph.dependencies, index);
  if (dependencies.length === 0) return NO_BINDINGS;
  // Without a prototype: keys that no other object has would each give it a shape of its own, which is slow and lasts.
  const bindings: Record<string, Binding> = Object.create(null) as Record<string, Binding>;
  for (const dependency of dependencies) {
    const dead = deadGroupOf(state, graph, dependency);
    const groupIndex = dead === NONE ? numberAt(graph.groupOf, dependency) : dead;
    const chosen = groupIndex === NONE ? dependency : graph.indexOf.get(at(state.or_groups, groupIndex).selected);
    const atom = at(state.atoms, chosen ?? dependency);
    if (atom.binding !== undefined) bindings[atom.id] = atom.binding;
  }
  return bindings;
}
