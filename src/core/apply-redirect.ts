/**
 * What a person may change of a loop, and what follows (SPEC section 8).
 *
 * R1 a redirect that would leave an invalid state is refused with the reason;
 * R2 every redirect is recorded in `corrections`;
 * R3 a new objective clears the trail, a new limit keeps it, a change of the graph adds to it, an
 *    overwritten binding takes out what it affects.
 */
import { resetSubtree, select } from "./backtrack.ts";
import type { Fact } from "./effect.ts";
import { isExhausted, isGroupResolved } from "./fate.ts";
import { parseDuration } from "./fuel.ts";
import { graphOf, idAt, indexIn, isContainer, NONE, numberAt, transitiveDependants, type Graph } from "./graph.ts";
import { checkInvariants } from "./invariants.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { Constraint, NewAtom, ObjectiveField, Redirect } from "./redirect.ts";
import type {
  Atom,
  BaseCase,
  Binding,
  Constraints,
  Correction,
  CorrectionType,
  Objective,
  OrGroup,
  State,
  TrailEntry,
} from "./state.ts";
import { settleContainers, unbound } from "./view.ts";
import { appended, at, toArray, vecOf, withAt } from "./vec.ts";
import { leavesOf } from "./verdict.ts";

export interface Redirected {
  readonly state: State;
  readonly description: string;
  readonly facts: readonly Fact[];
  /** Atoms whose integrated work has to be taken out, by id. */
  readonly revert: readonly string[];
}

interface Draft {
  readonly state: State;
  readonly type: CorrectionType;
  readonly description: string;
  readonly facts?: readonly Fact[];
  readonly revert?: readonly string[];
}

/** Applies a redirect to a state on which nothing is at work (SPEC section 8). */
export function applyRedirect(state: State, redirect: Redirect, now: string): Result<Redirected> {
  if (state.control.status === "completed")
    return refused("the loop is completed, which is final", "align a new goal with `aot align`");
  const draft = draftOf(state, graphOf(state), redirect, now);
  if (!draft.ok) return draft;
  const { type, description, facts = [], revert = [] } = draft.value;
  const clears = type === "objective_change";
  const correction: Correction = {
    timestamp: now,
    type,
    description: withReason(description, redirect.reason),
    trail_cleared: clears,
  };
  const next: State = {
    ...draft.value.state,
    ...(clears ? { trail: [] } : {}),
    corrections: [...state.corrections, correction],
  };
  const problems = checkInvariants(next);
  if (problems.length > 0) return { ok: false, problems };
  const settled = settleContainers(next);
  return accepted({
    state: settled.board.state,
    description: correction.description,
    facts: [{ fact: "redirected", description: correction.description }, ...facts],
    revert,
  });
}

function withReason(description: string, reason: string): string {
  return reason === "" ? description : `${description} (${reason})`;
}

function draftOf(state: State, graph: Graph, redirect: Redirect, now: string): Result<Draft> {
  switch (redirect.kind) {
    case "set":
      return setObjective(state, redirect.field, redirect.value);
    case "limit":
      return setLimit(state, redirect.constraint, redirect.value);
    case "add":
      return addAtom(state, redirect, redirect.reason, now);
    case "remove":
      return removeAtom(state, graph, redirect.id, redirect.reason, now);
    case "choose":
      return chooseOption(state, graph, redirect.group, redirect.atom, redirect.reason, now);
    case "rebind":
      return rebind(state, graph, redirect.id, redirect.binding);
  }
}

function setObjective(state: State, field: ObjectiveField, value: string | BaseCase): Result<Draft> {
  if ((typeof value === "string") === (field === "base_case"))
    return refused(
      `${field} cannot be ${typeof value === "string" ? "a text" : "a base case"}`,
      field === "base_case" ? "give a check or a checklist" : "give a text",
    );
  if (typeof value !== "string" && leavesOf(value).length === 0)
    return refused("a base case without a check is met by nothing", "name at least one check");
  const objective: Objective = { ...state.objective, [field]: value };
  return accepted({
    state: { ...state, objective },
    type: "objective_change",
    description: `${field} changed`,
  });
}

function setLimit(state: State, constraint: Constraint, value: string | number): Result<Draft> {
  const right = whatLimitIs(constraint);
  if (!right.holds(value)) return refused(`${constraint} cannot be ${JSON.stringify(value)}`, `give ${right.words}`);
  const before = state.objective.constraints[constraint];
  const constraints: Constraints = { ...state.objective.constraints, [constraint]: value };
  const description = `${constraint}: ${before ?? "not set"} -> ${value}`;
  return accepted({
    state: { ...state, objective: { ...state.objective, constraints } },
    type: "constraint_change",
    description,
  });
}

interface LimitRule {
  readonly words: string;
  holds(value: string | number): boolean;
}

/** The durations that a state file may hold: `parseDuration` reads others, too. */
const AS_IN_FILE = /^(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/;

/** Type and range of each constraint, as in the schema (SPEC section 2). */
function whatLimitIs(constraint: Constraint): LimitRule {
  switch (constraint) {
    case "max_duration":
      return {
        words: 'a duration such as "90m" or "2h"',
        holds: (value) => typeof value === "string" && AS_IN_FILE.test(value) && parseDuration(value) !== null,
      };
    case "max_cost_usd":
      return {
        words: "a number of USD, 0 or more",
        holds: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
      };
    default:
      return {
        words: "a whole number, 1 or more",
        holds: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
      };
  }
}

/** Adds an atom, perhaps as a choice of a group (a new one if the name is new). */
export function withNewAtom(state: State, atom: NewAtom): State {
  const { id, description, depends_on, or_group } = atom;
  const added: Atom = {
    id,
    description,
    status: "pending",
    depends_on,
    ...(or_group === undefined ? {} : { or_group }),
  };
  const grown = { ...state, atoms: appended(state.atoms, added) };
  if (or_group === undefined) return grown;
  const groupIndex = toArray(state.or_groups).findIndex((group) => group.name === or_group);
  if (groupIndex < 0)
    return {
      ...grown,
      or_groups: appended(state.or_groups, {
        name: or_group,
        choices: [id],
        selected: id,
        failed: [],
      }),
    };
  const group = at(state.or_groups, groupIndex);
  const choices = [...group.choices, id];
  // A choice stands where its rivals stand: below the same container.
  const decompositions = state.decompositions.map((split) =>
    split.children.includes(group.choices[0] ?? "") ? { ...split, children: [...split.children, id] } : split,
  );
  return {
    ...grown,
    decompositions,
    or_groups: withAt(state.or_groups, groupIndex, {
      ...group,
      choices,
      selected: isExhausted(group) ? id : group.selected,
    }),
  };
}

function addAtom(state: State, atom: NewAtom, reason: string, now: string): Result<Draft> {
  if (toArray(state.atoms).some((other) => other.id === atom.id))
    return refused(`there is an atom ${atom.id} already`, "choose an id that is free");
  const grown = withNewAtom(state, atom);
  const description = `added ${atom.id}: ${atom.description}`;
  if (atom.or_group === undefined)
    return accepted({
      state: { ...grown, trail: [...state.trail, note(withReason(description, reason), now)] },
      type: "dag_adjustment",
      description,
    });
  const selected = toArray(grown.or_groups).find((group) => group.name === atom.or_group)?.selected ?? atom.id;
  const entry: TrailEntry = {
    or_group: atom.or_group,
    selected,
    reason: withReason(description, reason),
    timestamp: now,
  };
  return accepted({
    state: { ...grown, trail: [...state.trail, entry] },
    type: "dag_adjustment",
    description: `${description}, a choice of ${atom.or_group}`,
  });
}

function note(reason: string, timestamp: string): TrailEntry {
  return { type: "user_correction", reason, timestamp };
}

function removeAtom(state: State, graph: Graph, id: string, reason: string, now: string): Result<Draft> {
  const index = graph.indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const hindrance = whyNotRemovable(state, graph, index);
  if (hindrance !== null) return refused(`${id} cannot be removed: ${hindrance[0]}`, hindrance[1]);
  const without = (ids: readonly string[]): readonly string[] => ids.filter((other) => other !== id);
  const groups = toArray(state.or_groups).map((group): OrGroup => ({
    ...group,
    choices: without(group.choices),
    failed: without(group.failed),
  }));
  const description = `removed ${id}`;
  const next: State = {
    ...state,
    atoms: vecOf(toArray(state.atoms).filter((atom) => atom.id !== id)),
    decompositions: state.decompositions.map((split) =>
      split.children.includes(id) ? { ...split, children: without(split.children) } : split,
    ),
    or_groups: vecOf(groups),
    trail: [...state.trail, note(withReason(description, reason), now)],
  };
  return accepted({ state: next, type: "dag_adjustment", description });
}

function whyNotRemovable(state: State, graph: Graph, index: number): readonly [string, string] | null {
  const id = idAt(graph, index);
  const atom = at(state.atoms, index);
  if (atom.status === "resolved")
    return ["it is resolved", "its work is integrated; overwrite its binding with `aot redirect rebind` instead"];
  if (isContainer(graph, index)) return ["it is decomposed", "remove its children first, or give it up"];
  const dependants = graph.dependants[index] ?? [];
  if (dependants.length > 0)
    return [`${dependants.map((d) => idAt(graph, d)).join(", ")} depends on it`, "remove what depends on it first"];
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

/** Forces a choice: nothing of the former one stays, and what was built on the group is done again. */
function chooseOption(
  state: State,
  graph: Graph,
  groupName: string,
  choice: string,
  reason: string,
  now: string,
): Result<Draft> {
  const groupIndex = graph.groupIndexOf.get(groupName);
  if (groupIndex === undefined)
    return refused(
      `there is no OR group ${groupName}`,
      graph.groupNames.length === 0 ? "this loop has no OR groups" : `the groups are ${graph.groupNames.join(", ")}`,
    );
  const group = at(state.or_groups, groupIndex);
  if (!group.choices.includes(choice))
    return refused(`${choice} is no choice of ${groupName}`, `its choices are ${group.choices.join(", ")}`);
  if (group.selected === choice && !group.failed.includes(choice))
    return refused(`${choice} is selected in ${groupName} already`, "nothing to change");
  const former = indexIn(graph, group.selected);
  const built = isGroupResolved(state, graph, groupIndex)
    ? [...transitiveDependants(graph, [former])].filter((index) => index !== former)
    : [];
  const cleared = resetSubtree(reopened(state, built), graph, former);
  const failed = group.failed.filter((other) => other !== choice);
  const open: State = {
    ...cleared.state,
    or_groups: withAt(cleared.state.or_groups, groupIndex, {
      ...at(cleared.state.or_groups, groupIndex),
      failed,
    }),
  };
  const selection = select(open, graph, groupName, choice, reason === "" ? "forced by a person" : reason, now);
  return accepted({
    state: selection.state,
    type: "dag_adjustment",
    description: `${groupName}: ${group.selected} -> ${choice}`,
    facts: selection.facts,
    revert: cleared.revert,
  });
}

/** These atoms are pending again, without bindings. */
function reopened(state: State, indices: Iterable<number>): State {
  let { atoms } = state;
  for (const index of indices) {
    const atom = at(atoms, index);
    if (atom.status !== "pending") atoms = withAt(atoms, index, { ...unbound(atom), status: "pending" });
  }
  return { ...state, atoms };
}

function rebind(state: State, graph: Graph, id: string, binding: Binding): Result<Draft> {
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
    type: "bindings_override",
    description: again === "" ? `${id}: binding overwritten` : `${id}: binding overwritten, to be done again: ${again}`,
  });
}
