/** What an atom waits for, in words: the deadlock report (SPEC section 3) and `aot status`. */
import { deadGroupOf, isCounted, isMet } from "./fate.ts";
import { idAt, isContainer, listAt, NONE, numberAt, type Graph } from "./graph.ts";
import type { State } from "./state.ts";
import { at } from "./vec.ts";

/** Each unresolved atom with what it waits for; at most `most` of them. */
export function explainDeadlock(state: State, graph: Graph, most = 10): string {
  const stuck = graph.ids.flatMap((_, index) =>
    isCounted(state, graph, index) && deadGroupOf(state, graph, index) === NONE ? [index] : [],
  );
  const shown = stuck
    .slice(0, most)
    .map((index) => `${idAt(graph, index)} waits for ${waitsFor(state, graph, index).join(", ") || "nothing"}`);
  const rest = stuck.length > most ? `, and ${stuck.length - most} more` : "";
  return `${shown.join("; ")}${rest}`;
}

/** Names of what is not met yet: the atom's own dependencies and those of the containers above it. */
export function waitsFor(state: State, graph: Graph, index: number): readonly string[] {
  const names: string[] = [];
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    for (const dependency of listAt(graph.dependencies, here)) {
      if (!isMet(state, graph, dependency)) names.push(describe(state, graph, dependency));
    }
  }
  if (isContainer(graph, index))
    for (const child of listAt(graph.children, index))
      if (!isMet(state, graph, child)) names.push(describe(state, graph, child));
  return [...new Set(names)];
}

function describe(state: State, graph: Graph, index: number): string {
  const id = idAt(graph, index);
  const own = numberAt(graph.groupOf, index);
  const dead = deadGroupOf(state, graph, index);
  const groupIndex = dead === NONE ? own : dead;
  if (groupIndex === NONE) return id;
  const group = at(state.or_groups, groupIndex);
  return group.selected === id ? id : `${id} (by way of ${group.selected} in ${group.name})`;
}
