/** A person forces an alternative (SPEC section 8). */
import { resetSubtree, select, type Cause } from "./backtrack.ts";
import { isGroupResolved } from "./fate.ts";
import { indexIn, subtreeOf, transitiveDependants, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { reopened } from "./redirect-atoms.ts";
import type { Draft } from "./redirect-draft.ts";
import type { OrGroup, State } from "./state.ts";
import { at, withAt } from "./vec.ts";

/** The group of that name, which has that choice. */
export function groupWith(
  state: State,
  graph: Graph,
  groupName: string,
  choice: string,
): Result<{ readonly group: OrGroup; readonly groupIndex: number }> {
  const groupIndex = graph.groupIndexOf.get(groupName);
  if (groupIndex === undefined)
    return refused(
      `there is no OR group ${groupName}`,
      graph.groupNames.length === 0 ? "this loop has no OR groups" : `the groups are ${graph.groupNames.join(", ")}`,
    );
  const group = at(state.or_groups, groupIndex);
  if (!group.choices.includes(choice))
    return refused(`${choice} is no choice of ${groupName}`, `its choices are ${group.choices.join(", ")}`);
  return accepted({ group, groupIndex });
}

/**
 * Forces a choice: nothing of the former one stays, and what was built on it or on a part of it is done again. A race
 * is over with it: what a person chose cannot be overtaken.
 */
export function chooseOption(
  state: State,
  graph: Graph,
  { groupName, choice }: { readonly groupName: string; readonly choice: string },
  { reason, now }: Cause,
): Result<Draft> {
  const found = groupWith(state, graph, groupName, choice);
  if (!found.ok) return found;
  const { group, groupIndex } = found.value;
  const races = group.speculative === true && !isGroupResolved(state, graph, groupIndex);
  const holds = group.selected === choice && !group.failed.includes(choice);
  if (holds && !races) return refused(`${choice} is already selected in ${groupName}`, "nothing to change");
  const former = indexIn(graph, group.selected);
  const replaced = new Set(holds ? [] : subtreeOf(graph, former));
  const built = [...transitiveDependants(graph, [...replaced])].filter((index) => !replaced.has(index));
  const opened = reopened(state, built);
  const cleared = holds ? { state: opened, revert: [] } : resetSubtree(opened, graph, former, now);
  const failed = group.failed.filter((other) => other !== choice);
  const open: State = {
    ...cleared.state,
    or_groups: withAt(cleared.state.or_groups, groupIndex, {
      ...at(cleared.state.or_groups, groupIndex),
      failed,
      ...(races ? { speculative: false } : {}),
    }),
  };
  const selection = select(
    open,
    graph,
    { groupName, choice },
    { reason: reason === "" ? "forced by a human" : reason, now },
  );
  return accepted({
    state: selection.state,
    description: `${groupName}: ${holds ? "" : `${group.selected} -> `}${choice}${races ? ", the race is over" : ""}`,
    facts: selection.facts,
    revert: cleared.revert,
  });
}
