/** Adding atoms: a split of one, a planner's proposals, a person's addition (SPEC sections 6 and 7). */
import type { Cause } from "./backtrack.ts";
import { checkInvariants } from "./invariants.ts";
import type { ProposedAtom } from "./event.ts";
import { accepted, refused, type Problem, type Result } from "./problem.ts";
import { marksOf, type Atom, type OrGroup, type State, type TrailEntry } from "./state.ts";

/** What adding gave: the new state and the ids of the new atoms, in the order proposed. */
export interface Added {
  readonly state: State;
  readonly ids: readonly string[];
}

/**
 * Splits an atom: each child takes over the parent's dependencies, the parent stays pending and becomes
 * a container. Refused if the atom is resolved or split already, or the result would be no valid graph.
 * @param now ISO 8601
 */
export function decompose(
  state: State,
  parentId: string,
  children: readonly ProposedAtom[],
  { reason, now }: Cause,
): Result<Added> {
  const parent = state.atoms.find((atom) => atom.id === parentId);
  if (parent === undefined) return refused(`there is no atom ${parentId}`, "list the atoms with `aot status`");
  if (parent.status === "resolved")
    return refused(`${parentId} is already resolved`, "only unresolved atoms are decomposed");
  if (children.length === 0)
    return refused(`${parentId} was split into nothing`, "name at least one child with a description");
  if (state.decompositions.some((split) => split.parent === parentId))
    return refused(`${parentId} is already decomposed`, "decompose one of its children instead");
  const atoms = nameAtoms(state, children).map((child): Atom => ({
    ...child,
    depends_on: [...new Set([...parent.depends_on, ...child.depends_on])],
  }));
  const ids = atoms.map((child) => child.id);
  const pending = state.atoms.map((atom): Atom =>
    atom.id === parentId && atom.status === "in_progress" ? { ...atom, status: "pending" } : atom,
  );
  const decompositions = [...state.decompositions, { parent: parentId, children: ids, reason }];
  const grown = { ...state, atoms: [...pending, ...atoms], decompositions };
  return valid(withGroups(grown, atoms, reason, now), ids);
}

/** Adds atoms on their own (a planner's answer to a failed base case). @param now ISO 8601 */
export function addAtoms(state: State, proposals: readonly ProposedAtom[], reason: string, now: string): Result<Added> {
  const atoms = nameAtoms(state, proposals);
  const grown = { ...state, atoms: [...state.atoms, ...atoms] };
  return valid(
    withGroups(grown, atoms, reason, now),
    atoms.map((atom) => atom.id),
  );
}

/** The groups of new atoms: the first choice of each is selected, and the trail tells it (BACKTRACK-1). */
function withGroups(state: State, atoms: readonly Atom[], reason: string, now: string): State {
  const choices = new Map<string, readonly string[]>();
  for (const { id, or_group } of atoms)
    if (or_group !== undefined) choices.set(or_group, [...(choices.get(or_group) ?? []), id]);
  if (choices.size === 0) return state;
  const groups = [...choices].map(([name, ids]): OrGroup => ({
    name,
    choices: ids,
    selected: ids[0] ?? "",
    failed: [],
  }));
  return {
    ...state,
    or_groups: [...state.or_groups, ...groups],
    trail: [...state.trail, ...firstSelections(groups, reason, now)],
  };
}

/** Why each group began with the choice that it has. */
export function firstSelections(groups: readonly OrGroup[], reason: string, now: string): readonly TrailEntry[] {
  return groups.map(({ name, choices, selected }) => {
    const which =
      selected === choices[0] ? `the first of ${choices.join(", ")}` : `${selected} of ${choices.join(", ")}`;
    return { or_group: name, selected, reason: `${which}: ${reason}`, timestamp: now };
  });
}

function valid(state: State, ids: readonly string[]): Result<Added> {
  const problems = [...checkInvariants(state), ...protectedProblems(state, ids)];
  return problems.length > 0 ? { ok: false, problems } : accepted({ state, ids });
}

/**
 * Work on protected files is thrown away (SPEC section 6): an atom that says it is for them is not taken up.
 * @param ids of the new atoms
 */
export function protectedProblems({ objective, atoms }: State, ids: readonly string[]): readonly Problem[] {
  const globs = objective.protected ?? [];
  if (globs.length === 0) return [];
  const added = new Set(ids);
  return atoms.flatMap(({ id, touches = [] }) => {
    const wrong = added.has(id) ? touches.find((touch) => globs.some((glob) => liesWithin(touch, glob))) : undefined;
    if (wrong === undefined) return [];
    const message = `atom ${id} is to change ${wrong}, which is protected (${globs.join(", ")})`;
    return [{ code: "refused", message, hint: "plan work on other files: what decides the verdict stays as it is" }];
  });
}

function withoutDot(text: string): string {
  return text.replace(/^(?:\.\/)+/, "");
}

/** What can be said without looking at files: the same glob, or below a folder that is protected whole. */
function liesWithin(touch: string, glob: string): boolean {
  const [inner, outer] = [withoutDot(touch), withoutDot(glob)];
  if (inner === outer) return true;
  const folder = /^([^*?[\]{}()!]+\/)\*\*(?:\/\*)?$/.exec(outer)?.[1];
  return folder !== undefined && inner.startsWith(folder) && !inner.split("/").includes("..");
}

/**
 * The proposals as atoms: each gets an id that is free (A1, A2, ... as in the schema), siblings find each other, and a group
 * that they name is one of their own.
 */
export function nameAtoms(state: State, proposals: readonly ProposedAtom[]): readonly Atom[] {
  const taken = new Set(state.atoms.map((atom) => atom.id));
  const renamed = new Map<string, string>();
  let number = nextNumber(taken);
  const ids = proposals.map((proposal) => {
    const request = proposal.id;
    let id = request !== undefined && request !== "" && !taken.has(request) ? request : `A${number++}`;
    while (taken.has(id)) id = `A${number++}`;
    taken.add(id);
    if (request !== undefined && !renamed.has(request)) renamed.set(request, id);
    return id;
  });
  const groups = nameGroups(state, proposals);
  return proposals.map(({ description, depends_on = [], or_group, ...marks }, index) => ({
    id: ids[index] ?? "",
    description,
    status: "pending",
    depends_on: depends_on.map((name) => renamed.get(name) ?? name),
    ...(or_group === undefined ? {} : { or_group: groups.get(or_group) ?? or_group }),
    ...marksOf(marks),
  }));
}

/** A group of that name which is there already has choices of its own: the new one gets another name. */
function nameGroups(state: State, proposals: readonly ProposedAtom[]): ReadonlyMap<string, string> {
  const requests = proposals.flatMap(({ or_group }) => or_group ?? []);
  return freeGroupNames(state, requests);
}

/** For each name wished for, one that no group has. */
export function freeGroupNames(state: State, requests: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(state.or_groups.map((group) => group.name));
  const names = new Map<string, string>();
  for (const request of requests) {
    if (names.has(request)) continue;
    let name = request;
    for (let number = 2; taken.has(name); number++) name = `${request}_${number}`;
    taken.add(name);
    names.set(request, name);
  }
  return names;
}

function nextNumber(taken: ReadonlySet<string>): number {
  let highest = 0;
  for (const id of taken) {
    const match = /^A(\d{1,9})$/.exec(id);
    if (match !== null) highest = Math.max(highest, Number(match[1]));
  }
  return highest + 1;
}
