/**
 * What a planner's answer about an atom changes (SPEC section 4).
 *
 * APPLY-ADVICE-1 what would leave an invalid state, or nothing changed, is refused with the reason;
 * APPLY-ADVICE-2 an alternative takes over at once: the atom that is to blame is given up as a failed choice would be;
 * APPLY-ADVICE-3 an atom that is hopeless is given up with the nearest choice above it; without one it is a group of its
 *    own that is exhausted.
 */
import { withNewAtom } from "./add-atom.ts";
import { giveUp, type Cause, type Change } from "./backtrack.ts";
import { decompose, freeGroupNames, nameAtoms, protectedProblems } from "./decompose.ts";
import type { Advice, ProposedAtom } from "./event.ts";
import { isLive, isRacing } from "./fate.ts";
import { choiceAbove, graphOf, indexIn, isContainer, NONE, numberAt } from "./graph.ts";
import { checkInvariants } from "./invariants.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { State, TrailEntry } from "./state.ts";
import { at, withAt } from "./vec.ts";
import { measureOf, withAtom } from "./view.ts";

/** What the advice makes of a state. */
export interface Advised extends Change {
  /** New atoms, by id. */
  readonly added: readonly string[];
  /** `M` with them, before anything is given up. */
  readonly measure: number;
}

const NOTHING: Omit<Change, "state"> = { facts: [], reset: [], revert: [] };

function changed(change: Change, grown: State = change.state, added: readonly string[] = []): Result<Advised> {
  return accepted({ ...change, added, measure: measureOf(grown, graphOf(grown)) });
}

/** @param id of the atom that is to blame */
export function applyAdvice(state: State, id: string, advice: Advice, cause: Cause): Result<Advised> {
  const graph = graphOf(state);
  const index = graph.indexOf.get(id);
  if (index === undefined || at(state.atoms, index).status !== "pending" || isContainer(graph, index))
    return refused(`${id} is not open any more`, "advise on atoms that are open");
  if (!isLive(state, graph, index) && !isRacing(state, graph, index))
    return refused(`${id} is at or below a choice that is not selected`, "advise on atoms that are worked");
  const advised = draftOf(state, index, advice, cause);
  if (!advised.ok) return advised;
  const { state: after, added } = advised.value;
  const problems = [...checkInvariants(after), ...protectedProblems(after, added)];
  return problems.length > 0 ? { ok: false, problems } : advised;
}

function draftOf(state: State, index: number, advice: Advice, cause: Cause): Result<Advised> {
  const atom = at(state.atoms, index);
  switch (advice.kind) {
    case "reword":
      return advice.description.trim() === atom.description.trim()
        ? refused(`${atom.id} is described so already`, "say it in another way")
        : changed({ ...NOTHING, state: withAtom(state, index, { description: advice.description }) });
    case "split": {
      const split = decompose(state, atom.id, advice.atoms, cause);
      return split.ok ? changed({ ...NOTHING, state: split.value.state }, split.value.state, split.value.ids) : split;
    }
    case "alternative":
      return withAlternative(state, index, advice.atom, cause);
    case "reorder": {
      const depends_on = [...new Set([...atom.depends_on, ...advice.depends_on])];
      return depends_on.length === atom.depends_on.length
        ? refused(`${atom.id} waits for ${depends_on.join(", ") || "nothing else"} already`, "name other atoms")
        : changed({ ...NOTHING, state: withAtom(state, index, { depends_on }) });
    }
    case "hopeless":
      return changed(hopeless(state, index, cause), state);
  }
}

/** APPLY-ADVICE-2. */
function withAlternative(state: State, index: number, proposal: ProposedAtom, cause: Cause): Result<Advised> {
  const grouped = asChoice(state, index, cause);
  const { id, depends_on, or_group } = at(grouped.atoms, index);
  const { or_group: _, ...plain } = proposal;
  const [named] = nameAtoms(grouped, [{ ...plain, depends_on: [...depends_on, ...(plain.depends_on ?? [])] }]);
  if (named === undefined || or_group === undefined) return refused(`${id} gets no alternative`, "name one");
  const grown = withNewAtom(grouped, { ...named, depends_on: [...new Set(named.depends_on)], or_group });
  const graph = graphOf(grown);
  return changed(giveUp(grown, graph, indexIn(graph, id), cause), grown, [named.id]);
}

/** APPLY-ADVICE-3. */
function hopeless(state: State, index: number, cause: Cause): Change {
  const graph = graphOf(state);
  const { id } = at(state.atoms, index);
  const above = numberAt(graph.groupOf, index) === NONE ? choiceAbove(graph, index) : index;
  if (above !== NONE && isLive(state, graph, above))
    return giveUp(state, graph, above, { ...cause, reason: `${id} is hopeless: ${cause.reason}` });
  const grouped = asChoice(state, index, cause);
  return giveUp(grouped, graphOf(grouped), index, cause);
}

/** The atom as a choice: of the group that it has, or of one that is made of it. */
function asChoice(state: State, index: number, { reason, now }: Cause): State {
  const { id, or_group } = at(state.atoms, index);
  if (or_group !== undefined) return state;
  const name = freeGroupNames(state, [id]).get(id) ?? id;
  const reported: TrailEntry = {
    or_group: name,
    selected: id,
    reason: `a group is made of it: ${reason}`,
    timestamp: now,
  };
  return {
    ...state,
    atoms: withAt(state.atoms, index, { ...at(state.atoms, index), or_group: name }),
    or_groups: [...state.or_groups, { name, choices: [id], selected: id, failed: [] }],
    trail: [...state.trail, reported],
  };
}
