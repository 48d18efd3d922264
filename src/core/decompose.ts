/** Adding atoms: a split of one, a planner's proposals, a person's addition (SPEC sections 6 and 7). */
import { checkInvariants } from "./invariants.ts";
import type { ProposedAtom } from "./event.ts";
import { accepted, refused, type Problem, type Result } from "./problem.ts";
import type { Atom, State } from "./state.ts";
import { toArray, vecOf } from "./vec.ts";

/** What adding gave: the new state and the ids of the new atoms, in the order proposed. */
export interface Added {
  readonly state: State;
  readonly ids: readonly string[];
}

/**
 * Splits an atom: each child takes over the parent's dependencies, the parent stays pending and becomes
 * a container. Refused if the atom is resolved or split already, or the result would be no valid graph.
 */
export function decompose(
  state: State,
  parentId: string,
  children: readonly ProposedAtom[],
  reason: string,
): Result<Added> {
  const parent = toArray(state.atoms).find((atom) => atom.id === parentId);
  if (parent === undefined) return refused(`there is no atom ${parentId}`, "list the atoms with `aot status`");
  if (parent.status === "resolved")
    return refused(`${parentId} is resolved already`, "only unresolved atoms are decomposed");
  if (children.length === 0)
    return refused(`${parentId} was split into nothing`, "name at least one child with a description");
  if (state.decompositions.some((split) => split.parent === parentId))
    return refused(`${parentId} is decomposed already`, "decompose one of its children instead");
  const named = nameAtoms(state, children);
  const atoms = named.map((child): Atom => ({
    id: child.id,
    description: child.description,
    status: "pending",
    depends_on: [...new Set([...parent.depends_on, ...child.depends_on])],
    ...touching(child),
  }));
  const ids = named.map((child) => child.id);
  const pending = toArray(state.atoms).map((atom): Atom =>
    atom.id === parentId && atom.status === "in_progress" ? { ...atom, status: "pending" } : atom,
  );
  return valid(
    {
      ...state,
      atoms: vecOf([...pending, ...atoms]),
      decompositions: [...state.decompositions, { parent: parentId, children: ids, reason }],
    },
    ids,
  );
}

/** Adds atoms on their own (a planner's answer to a failed base case). */
export function addAtoms(state: State, proposals: readonly ProposedAtom[]): Result<Added> {
  const named = nameAtoms(state, proposals);
  const atoms = named.map((atom): Atom => ({
    id: atom.id,
    description: atom.description,
    status: "pending",
    depends_on: atom.depends_on,
    ...touching(atom),
  }));
  return valid(
    { ...state, atoms: vecOf([...toArray(state.atoms), ...atoms]) },
    named.map((atom) => atom.id),
  );
}

function touching({ touches }: NamedAtom): { readonly touches?: readonly string[] } {
  return touches === undefined ? {} : { touches };
}

function valid(state: State, ids: readonly string[]): Result<Added> {
  const problems = [...checkInvariants(state), ...protectedProblems(state, ids)];
  return problems.length > 0 ? { ok: false, problems } : accepted({ state, ids });
}

interface NamedAtom {
  readonly id: string;
  readonly description: string;
  readonly depends_on: readonly string[];
  readonly touches?: readonly string[];
}

/**
 * Work on protected files is thrown away (SPEC section 6): an atom that says it is for them is not taken up.
 * @param ids of the new atoms
 */
export function protectedProblems({ objective, atoms }: State, ids: readonly string[]): readonly Problem[] {
  const globs = objective.protected ?? [];
  if (globs.length === 0) return [];
  const added = new Set(ids);
  return toArray(atoms).flatMap(({ id, touches = [] }) => {
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

/** Gives each proposal an id that is free (A1, A2, ... as in the schema) and lets siblings find each other. */
function nameAtoms(state: State, proposals: readonly ProposedAtom[]): readonly NamedAtom[] {
  const taken = new Set(toArray(state.atoms).map((atom) => atom.id));
  const renamed = new Map<string, string>();
  let number = nextNumber(taken);
  const ids = proposals.map((proposal) => {
    const wish = proposal.id;
    let id = wish !== undefined && wish !== "" && !taken.has(wish) ? wish : `A${number++}`;
    while (taken.has(id)) id = `A${number++}`;
    taken.add(id);
    if (wish !== undefined && !renamed.has(wish)) renamed.set(wish, id);
    return id;
  });
  return proposals.map((proposal, index) => ({
    id: ids[index] ?? "",
    description: proposal.description,
    depends_on: (proposal.depends_on ?? []).map((name) => renamed.get(name) ?? name),
    ...(proposal.touches === undefined ? {} : { touches: proposal.touches }),
  }));
}

function nextNumber(taken: ReadonlySet<string>): number {
  let highest = 0;
  for (const id of taken) {
    const match = /^A(\d{1,9})$/.exec(id);
    if (match !== null) highest = Math.max(highest, Number(match[1]));
  }
  return highest + 1;
}
