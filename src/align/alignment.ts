/**
 * What a person settles before a loop begins, as far as it is known yet, and the state that follows from it
 * (SPEC sections 2 and 6). Pure.
 */
import { checkTypeRow } from "../core/check-types.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import {
  DEFAULT_CONSTRAINTS,
  INITIAL_CONTROL,
  ALL_CHECKS,
  marksOf,
  type Atom,
  type BaseCase,
  type Check,
  type ChecklistItem,
  type Constraints,
  type Decomposition,
  type Objective,
  type OrGroup,
  type State,
  UNSTATED,
} from "../core/state.ts";
import { describeCheck } from "../core/verdict.ts";
import { protectedProblems } from "../core/decompose.ts";
import type { ProposedAtom } from "../core/event.ts";
import { checkInvariants } from "../core/invariants.ts";

/** Without an id it is the next of A1, A2, ... */
export type WantedAtom = ProposedAtom;

export interface Alignment {
  readonly goal?: string;
  /** What the person typed; absent: the goal. */
  readonly original_prompt?: string;
  readonly base_case?: BaseCase;
  readonly background_intent?: string;
  readonly deliverables?: string;
  readonly definition_of_done?: string;
  readonly constraints?: Partial<Constraints>;
  readonly clarifications?: NonNullable<Objective["clarifications"]>;
  readonly scope?: NonNullable<Objective["scope"]>;
  readonly protected?: readonly string[];
  readonly atoms?: readonly WantedAtom[];
  readonly or_groups?: readonly OrGroup[];
  readonly decompositions?: readonly Decomposition[];
}

/** The item of a checklist that one check makes; `invariant`: it already passes and has to stay so. */
export function itemOf(check: Check, invariant: boolean): ChecklistItem {
  const item = check.type !== "quality" && checkTypeRow(check.type).names_item ? check.value : describeCheck(check);
  return { item, check: invariant ? { ...check, baseline: "pass" } : check };
}

/** `A2: description <- A1, A0`; id and dependencies may be left out. */
export function parseAtom(text: string): Result<WantedAtom> {
  const [before, after] = splitLast(text, "<-");
  const match = /^([A-Za-z_][\w.-]*)\s*:(?:\s+([\s\S]*))?$/.exec(before.trim());
  const description = (match === null ? before : (match[2] ?? "")).trim();
  if (description === "")
    return refused(`the atom ${JSON.stringify(text)} has no description`, "write ID: DESCRIPTION <- ID, ID");
  const depends_on = (after ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  return accepted({
    ...(match?.[1] === undefined ? {} : { id: match[1] }),
    description,
    ...(depends_on.length === 0 ? {} : { depends_on }),
  });
}

function splitLast(text: string, mark: string): readonly [string, string?] {
  const at = text.lastIndexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** What is still needed: empty when a state can be made of it. */
export function missingParts(alignment: Alignment): readonly ("goal" | "base_case")[] {
  return [
    ...(isBlank(alignment.goal) ? (["goal"] as const) : []),
    ...(alignment.base_case === undefined ? (["base_case"] as const) : []),
  ];
}

/** The state of a loop that has not begun. A text that was left open says so: it is not invented. */
export function alignedState(alignment: Alignment, alignedCommit: string | null): Result<State> {
  const { goal = "", base_case, clarifications, scope } = alignment;
  if (isBlank(goal)) return refused("there is no goal", 'say it: `aot align "..."`');
  if (base_case === undefined)
    return refused("there is no base case", 'say how a machine sees that the goal is reached: --check "command: ..."');
  const objective: Objective = {
    goal,
    original_prompt: orElse(alignment.original_prompt, goal),
    base_case,
    background_intent: orElse(alignment.background_intent, UNSTATED),
    deliverables: orElse(alignment.deliverables, UNSTATED),
    definition_of_done: orElse(alignment.definition_of_done, ALL_CHECKS),
    constraints: { ...DEFAULT_CONSTRAINTS, ...alignment.constraints },
    ...(clarifications === undefined ? {} : { clarifications }),
    ...(scope === undefined ? {} : { scope }),
    ...((alignment.protected ?? []).length === 0 ? {} : { protected: alignment.protected ?? [] }),
    ...(alignedCommit === null ? {} : { aligned_commit: alignedCommit }),
  };
  const atoms = namedAtoms((alignment.atoms ?? []).length === 0 ? [{ description: goal }] : (alignment.atoms ?? []));
  const state: State = {
    objective,
    control: INITIAL_CONTROL,
    atoms,
    decompositions: alignment.decompositions ?? [],
    or_groups: groupsOf(atoms, alignment.or_groups ?? []),
    trail: [],
    corrections: [],
  };
  const ids = atoms.map((atom) => atom.id);
  const problems = [...checkInvariants(state), ...protectedProblems(state, ids)].map(({ path: _, ...rest }) => rest);
  return problems.length > 0 ? { ok: false, problems } : accepted(state);
}

function namedAtoms(wanted: readonly WantedAtom[]): Atom[] {
  const taken = new Set(wanted.flatMap((atom) => (atom.id === undefined ? [] : [atom.id])));
  let next = 1;
  const free = (): string => {
    while (taken.has(`A${next}`)) next++;
    const id = `A${next}`;
    taken.add(id);
    return id;
  };
  return wanted.map(({ id, description, depends_on, or_group, ...marks }) => ({
    id: id ?? free(),
    description,
    status: "pending",
    depends_on: depends_on ?? [],
    ...(or_group === undefined ? {} : { or_group }),
    ...marksOf(marks),
  }));
}

/** Groups that atoms name without saying more about them have their atoms as choices, in the order they stand. */
function groupsOf(atoms: readonly Atom[], given: readonly OrGroup[]): readonly OrGroup[] {
  const known = new Set(given.map((group) => group.name));
  const implied = new Map<string, string[]>();
  for (const { id, or_group } of atoms) {
    if (or_group === undefined || known.has(or_group)) continue;
    implied.set(or_group, [...(implied.get(or_group) ?? []), id]);
  }
  const groups = [...implied].map(([name, choices]) => ({ name, choices, selected: choices[0] ?? "", failed: [] }));
  return [...given, ...groups];
}

function orElse(text: string | undefined, otherwise: string): string {
  return isBlank(text) ? otherwise : (text ?? otherwise);
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
