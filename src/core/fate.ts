/**
 * What an atom's place among alternatives means for it (SPEC section 3).
 *
 * FATE-1 below a failed or unselected choice nothing is executed and nothing is waited for by itself:
 *    a dependency on it waits for the group of the outermost such choice;
 * FATE-2 a leaf counts in the measure unless it is resolved, is at or below a failed choice, or stands
 *    at or below an unselected choice of a group that is resolved. So an alternative that was not tried
 *    yet counts with everything below it, and giving up a choice can only make the measure smaller.
 */
import type { OrGroup, State } from "./state.ts";
import { isContainer, listAt, NONE, numberAt, type Graph } from "./graph.ts";
import { at } from "./vec.ts";

function isResolved(state: State, index: number): boolean {
  return at(state.atoms, index).status === "resolved";
}

/** The group whose selected choice is resolved; a failed selection resolves nothing. */
export function isGroupResolved(state: State, graph: Graph, groupIndex: number): boolean {
  const group = at(state.or_groups, groupIndex);
  if (group.failed.includes(group.selected)) return false;
  const selected = graph.indexOf.get(group.selected);
  return selected !== undefined && isResolved(state, selected);
}

export function isExhausted(group: OrGroup): boolean {
  return group.choices.every((choice) => group.failed.includes(choice));
}

/** Live groups of which every choice failed. */
export function exhaustedGroups(state: State, graph: Graph): readonly string[] {
  return graph.choices.flatMap((choices, groupIndex) => {
    const group = at(state.or_groups, groupIndex);
    const above = numberAt(graph.parent, choices[0] ?? NONE);
    const isOver = choices.length > 0 && isExhausted(group) && (above === NONE || isLive(state, graph, above));
    return isOver ? [group.name] : [];
  });
}

/** Whether a choice is the one its group works on. True for an atom outside any group. */
export function isTaken(state: State, graph: Graph, index: number): boolean {
  const groupIndex = numberAt(graph.groupOf, index);
  if (groupIndex === NONE) return true;
  const group = at(state.or_groups, groupIndex);
  const id = at(state.atoms, index).id;
  return group.selected === id && !group.failed.includes(id);
}

/** FATE-1: the group of the outermost failed or unselected choice at or above an atom; NONE if it is live. */
export function deadGroupOf(state: State, graph: Graph, index: number): number {
  let dead = NONE;
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    if (!isTaken(state, graph, here)) dead = numberAt(graph.groupOf, here);
  }
  return dead;
}

export function isLive(state: State, graph: Graph, index: number): boolean {
  return deadGroupOf(state, graph, index) === NONE;
}

/** Whether a dependency that names this atom is met. */
export function isMet(state: State, graph: Graph, index: number): boolean {
  const dead = deadGroupOf(state, graph, index);
  return dead === NONE ? isResolved(state, index) : isGroupResolved(state, graph, dead);
}

/** FATE-2. */
export function isCounted(state: State, graph: Graph, index: number): boolean {
  if (isContainer(graph, index) || isResolved(state, index)) return false;
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    const groupIndex = numberAt(graph.groupOf, here);
    if (groupIndex === NONE) continue;
    const group = at(state.or_groups, groupIndex);
    const id = at(state.atoms, here).id;
    if (group.failed.includes(id)) return false;
    if (group.selected !== id && isGroupResolved(state, graph, groupIndex)) return false;
  }
  return true;
}

/** A leaf choice of a speculative group may run beside the selected one while the group is open. */
export function isRacing(state: State, graph: Graph, index: number): boolean {
  const groupIndex = numberAt(graph.groupOf, index);
  if (groupIndex === NONE || isContainer(graph, index)) return false;
  const group = at(state.or_groups, groupIndex);
  if (group.speculative !== true || group.failed.includes(at(state.atoms, index).id)) return false;
  const above = numberAt(graph.parent, index);
  return (above === NONE || isLive(state, graph, above)) && !isGroupResolved(state, graph, groupIndex);
}

/** Whether two atoms stand at or below different choices of one group: no state has work of both. */
export function areRivals(graph: Graph, left: number, right: number): boolean {
  if (graph.choices.length === 0) return false;
  const chosen = new Map<number, number>();
  for (let here = left; here !== NONE; here = numberAt(graph.parent, here)) {
    const group = numberAt(graph.groupOf, here);
    if (group !== NONE) chosen.set(group, here);
  }
  for (let here = right; here !== NONE; here = numberAt(graph.parent, here)) {
    const choice = chosen.get(numberAt(graph.groupOf, here));
    if (choice !== undefined && choice !== here) return true;
  }
  return false;
}

/** Own dependencies that are not met yet. */
function unmetDependencies(state: State, graph: Graph, index: number): readonly number[] {
  return listAt(graph.dependencies, index).filter((dependency) => !isMet(state, graph, dependency));
}

/** Whether an atom may run now, statuses and structure alone considered (SPEC section 3, executable). */
export function isExecutable(state: State, graph: Graph, index: number): boolean {
  if (at(state.atoms, index).status !== "pending" || isContainer(graph, index)) return false;
  if (!isLive(state, graph, index) && !isRacing(state, graph, index)) return false;
  for (let here = index; here !== NONE; here = numberAt(graph.parent, here)) {
    if (unmetDependencies(state, graph, here).length > 0) return false;
  }
  return true;
}
