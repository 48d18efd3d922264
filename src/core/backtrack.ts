/**
 * Backtracking (SPEC section 7): what a failure changes, and which alternative takes over.
 *
 * BACKTRACK-1 the trail entry is before the switch it tells of;
 * BACKTRACK-2 nothing of a choice that was given up stays: bindings gone, atoms pending, their work reverted;
 * BACKTRACK-3 the loop backs out at the nearest group that still has an alternative, and marks nothing above
 *    the exhausted group as failed if there is none.
 */
import type { Fact } from "./effect.ts";
import { isLive } from "./fate.ts";
import { choiceAbove, idAt, NONE, numberAt, subtreeOf, type Graph } from "./graph.ts";
import type { OrGroup, State, TrailEntry } from "./state.ts";
import { measureOf, unbound } from "./view.ts";
import { at, withAt } from "./vec.ts";

/** A new state and what has to follow from it outside. */
export interface Change {
  readonly state: State;
  readonly facts: readonly Fact[];
  /** Atoms that stand at or below something given up: attempts on them are aborted. */
  readonly reset: readonly number[];
  /**
   * Atoms of which nothing may stay in the integration branch, by id. Whether they integrated anything is
   * the workspace's to know: an atom that is pending may have, before a redirect opened it again.
   */
  readonly revert: readonly string[];
}

function unchanged(state: State): Change {
  return { state, facts: [], reset: [], revert: [] };
}

/** Why something is done, and when. */
export interface Cause {
  readonly reason: string;
  readonly now: string;
}

/** Gives up a choice: the first choice that has not failed takes over, here or at the nearest group above. */
export function giveUp(state: State, graph: Graph, choice: number, { reason, now }: Cause): Change {
  const groupIndex = numberAt(graph.groupOf, choice);
  const group = at(state.or_groups, groupIndex);
  const id = idAt(graph, choice);
  const failed = group.failed.includes(id) ? group.failed : [...group.failed, id];
  const without = resetSubtree(state, graph, choice, now);
  const marked = { ...without.state, or_groups: withAt(without.state.or_groups, groupIndex, { ...group, failed }) };
  const given: Fact = {
    fact: "choice_given_up",
    or_group: group.name,
    choice: id,
    reason,
    measure: measureOf(marked, graph),
  };
  const next = group.choices.find((candidate) => !failed.includes(candidate));
  if (next === undefined)
    return backOut(marked, graph, { choice, groupName: group.name, reason, now }, { ...without, facts: [given] });
  if (group.selected !== id) return { ...without, state: marked, facts: [given] };
  const selection = select(
    marked,
    graph,
    { groupName: group.name, choice: next },
    { reason: `${id} failed: ${reason}`, now },
  );
  return { ...without, state: selection.state, facts: [given, ...selection.facts] };
}

/** BACKTRACK-3: the exhausted group's enclosing choice is given up if that leads to an alternative. */
function backOut(
  state: State,
  graph: Graph,
  {
    choice,
    groupName,
    reason,
    now,
  }: { readonly choice: number; readonly groupName: string; readonly reason: string; readonly now: string },
  so: Change,
): Change {
  const exhausted: Fact = { fact: "group_exhausted", or_group: groupName };
  if (!hasAlternativeAbove(state, graph, choice)) return { ...so, state, facts: [...so.facts, exhausted] };
  const above = giveUp(state, graph, choiceAbove(graph, choice), {
    reason: `OR group ${groupName} exhausted (${reason})`,
    now,
  });
  return {
    state: above.state,
    facts: [...so.facts, exhausted, ...above.facts],
    reset: [...so.reset, ...above.reset],
    revert: [...new Set([...so.revert, ...above.revert])],
  };
}

function hasAlternativeAbove(state: State, graph: Graph, choice: number): boolean {
  for (let above = choiceAbove(graph, choice); above !== NONE; above = choiceAbove(graph, above)) {
    const group = at(state.or_groups, numberAt(graph.groupOf, above));
    const id = idAt(graph, above);
    if (group.choices.some((candidate) => candidate !== id && !group.failed.includes(candidate))) return true;
  }
  return false;
}

/** BACKTRACK-1: selects a choice and tells so in the trail first. */
export function select(
  state: State,
  graph: Graph,
  { groupName, choice }: { readonly groupName: string; readonly choice: string },
  { reason, now }: Cause,
): { readonly state: State; readonly facts: readonly Fact[] } {
  const groupIndex = graph.groupIndexOf.get(groupName);
  if (groupIndex === undefined) throw new RangeError(`no OR group ${groupName}`);
  const entry: TrailEntry = { or_group: groupName, selected: choice, reason, timestamp: now };
  const group: OrGroup = { ...at(state.or_groups, groupIndex), selected: choice };
  return {
    state: { ...state, trail: [...state.trail, entry], or_groups: withAt(state.or_groups, groupIndex, group) },
    facts: [{ fact: "choice_selected", or_group: groupName, choice, reason }],
  };
}

/**
 * BACKTRACK-2: an atom and all below it are pending again, without bindings; groups below start afresh, and where that
 * changes what is selected the trail tells it (BACKTRACK-1).
 */
export function resetSubtree(state: State, graph: Graph, top: number, now: string): Change {
  const change = cleared(state, graph, top);
  const afresh = [...new Set(change.reset.map((index) => numberAt(graph.groupOf, index)))].flatMap((groupIndex) => {
    if (groupIndex === NONE) return [];
    const { name, selected } = at(change.state.or_groups, groupIndex);
    if (selected === at(state.or_groups, groupIndex).selected) return [];
    const reason = `starts afresh: ${idAt(graph, top)} was given up`;
    return [{ or_group: name, selected, reason, timestamp: now }];
  });
  if (afresh.length === 0) return change;
  return { ...change, state: { ...change.state, trail: [...state.trail, ...afresh] } };
}

function cleared(state: State, graph: Graph, top: number): Change {
  const reset = subtreeOf(graph, top);
  let atoms = state.atoms;
  let groups = state.or_groups;
  for (const index of reset) {
    const atom = at(atoms, index);
    if (atom.status !== "pending" || atom.binding !== undefined)
      atoms = withAt(atoms, index, { ...unbound(atom), status: "pending" });
    const groupIndex = numberAt(graph.groupOf, index);
    if (index === top || groupIndex === NONE || at(groups, groupIndex).failed.length === 0) continue;
    const group = at(groups, groupIndex);
    groups = withAt(groups, groupIndex, { ...group, failed: [], selected: group.choices[0] ?? group.selected });
  }
  return {
    state: { ...state, atoms, or_groups: groups },
    facts: [],
    reset,
    revert: reset.map((index) => idAt(graph, index)),
  };
}

/** An atom whose work is gone is to be done again; a container above it is open again, too. */
export function reopenAtom(state: State, graph: Graph, index: number): State {
  const opened = cleared(state, graph, index).state;
  let { atoms } = opened;
  for (let above = numberAt(graph.parent, index); above !== NONE; above = numberAt(graph.parent, above)) {
    const atom = at(atoms, above);
    if (atom.status === "resolved") atoms = withAt(atoms, above, { ...unbound(atom), status: "pending" });
  }
  return { ...opened, atoms };
}

/**
 * A failure of an atom (SPEC section 7): pending again without its binding; a choice is given up at
 * once, an atom below one when its attempts are spent. `retry`: the approach is not to blame (a merge
 * conflict), so a choice is tried again.
 */
export function failAtom(
  state: State,
  graph: Graph,
  index: number,
  failure: Cause & { readonly retry: boolean; readonly spent: boolean },
): Change {
  const { now } = failure;
  const atom = at(state.atoms, index);
  const pending: State = { ...state, atoms: withAt(state.atoms, index, { ...unbound(atom), status: "pending" }) };
  const isChoice = numberAt(graph.groupOf, index) !== NONE;
  if (isChoice && (!failure.retry || failure.spent))
    return giveUp(pending, graph, index, { reason: failure.reason, now });
  const above = choiceAbove(graph, index);
  if (failure.spent && above !== NONE && isLive(pending, graph, above)) {
    return giveUp(pending, graph, above, { reason: `${atom.id} spent its attempts: ${failure.reason}`, now });
  }
  return unchanged(pending);
}
