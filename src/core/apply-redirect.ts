/**
 * What a person may change of a loop, and what follows (SPEC section 8).
 *
 * APPLY-REDIRECT-1 a redirect that would leave an invalid state is refused with the reason;
 * APPLY-REDIRECT-2 every redirect is recorded in `corrections`;
 * APPLY-REDIRECT-3 a new objective clears the trail, a new limit keeps it, a change of the graph adds to it, an
 *    overwritten binding takes out what it affects;
 * APPLY-REDIRECT-4 work that a person adds or takes away is neither expansion nor progress: what the next judgement
 *    compares with moves along with the measure;
 * APPLY-REDIRECT-5 a transaction is applied as a whole or refused as a whole, whatever order its changes come in.
 */
import { addAtom } from "./add-atom.ts";
import { changeAtom, redoAtom, removeAtom, rebind, reopened } from "./redirect-atoms.ts";
import { chooseOption } from "./choose-option.ts";
import type { Fact } from "./effect.ts";
import type { Nogood } from "./event.ts";
import type { Spent } from "./fuel.ts";
import { graphOf, numberAt, type Graph } from "./graph.ts";
import { checkInvariants } from "./invariants.ts";
import { BY_HAND, lineOfFact, withGoal, type JournalLine } from "./journal-line.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { moveCompared } from "./progress.ts";
import { confirmItem, rejectItem } from "./persons-word.ts";
import { withReason, type Draft } from "./redirect-draft.ts";
import {
  baseCaseOf,
  changesOf,
  REDIRECTS,
  STRUCTURED_FIELDS,
  type Change,
  type ObjectiveField,
  type ObjectiveValue,
  type Redirect,
} from "./redirect.ts";
import { setLimit } from "./set-limit.ts";
import { changesBetween } from "./state-changes.ts";
import type { Correction, CorrectionType, Objective, State } from "./state.ts";
import { touchedBy, type Touched } from "./touched.ts";
import { at } from "./vec.ts";
import { leavesOf } from "./verdict.ts";
import { measureOf, settleContainers } from "./view.ts";

export interface Redirected {
  readonly state: State;
  readonly description: string;
  readonly facts: readonly Fact[];
  /** Atoms whose integrated work has to be taken out, by id. */
  readonly revert: readonly string[];
  readonly touched: Touched;
  /** By how much the measure is larger than before. */
  readonly moved: number;
}

/** Of a loop that nobody works. */
export interface RedirectedByHand extends Redirected {
  /**
   * In the journal before the state file says that the redirect was made, so that it is made with its revert or not at all
   * (lost-work.ts): nobody has a workspace to take the work out of, the next run does.
   */
  readonly ahead: readonly JournalLine[];
  /** In the journal after it. */
  readonly lines: readonly JournalLine[];
}

/** Applies a redirect to a loop that nobody works. @param now ISO 8601, one that no other redirect of the loop has */
export function redirectByHand(state: State, redirect: Redirect, now: string, spent?: Spent): Result<RedirectedByHand> {
  const applied = applyRedirect(state, redirect, now, spent);
  if (!applied.ok) return applied;
  const { facts, revert } = applied.value;
  const { iteration } = state.control;
  const due: JournalLine = { time: now, run: BY_HAND, iteration, event: "revert_due", atoms: revert };
  return accepted({
    ...applied.value,
    // Before any run there is no work.
    ahead: revert.length === 0 || iteration === 0 ? [] : [due],
    lines: facts.map((fact) => withGoal(lineOfFact(fact, now, BY_HAND, iteration), applied.value.state)),
  });
}

/**
 * Applies a redirect (SPEC section 8). What is in progress stays so unless it is touched.
 * @param state as it is worked on
 * @param now ISO 8601
 */
export function applyRedirect(
  state: State,
  redirect: Redirect,
  now: string,
  spent: Spent = NOTHING_SPENT,
): Result<Redirected> {
  if (state.control.status === "completed")
    return refused("the loop is completed, which is final", "align a new goal with `aot align`");
  const drafted = draftAll(state, redirect, { now, spent });
  if (!drafted.ok) return drafted;
  const { description, facts = [], revert = [], lessons = [] } = drafted.value;
  const correction = correctionOf(state, redirect, drafted.value, now);
  const next: State = {
    ...drafted.value.state,
    ...(correction.trail_cleared ? { trail: [] } : {}),
    corrections: [...state.corrections, correction],
  };
  const problems = checkInvariants(next);
  if (problems.length > 0) return { ok: false, problems };
  const {
    state: after,
    view: { graph, measure },
  } = settleContainers(next).board;
  const touched = touchedBy(state, after);
  const ended = touched.atoms.flatMap((id) => graph.indexOf.get(id) ?? []);
  const moved = measure - measureOf(state, graphOf(state));
  return accepted({
    state: withCompared(reopened(after, ended), state.objective, moved),
    description,
    facts: [{ fact: "redirected", description, measure, ...(lessons.length === 0 ? {} : { lessons }) }, ...facts],
    revert,
    touched,
    moved,
  });
}

const NOTHING_SPENT: Spent = { cost_usd: 0, active_ms: 0, attempts: () => 0 };

/** What the next attempts have to know of a redirect. */
export function lessonsIn(facts: readonly Fact[]): readonly Nogood[] {
  return facts.flatMap((fact) => (fact.fact === "redirected" ? (fact.lessons ?? []) : []));
}

/** APPLY-REDIRECT-2. */
function correctionOf(
  before: State,
  redirect: Redirect,
  { state, description, confirmed }: Draft,
  timestamp: string,
): Correction {
  const types = new Set(changesOf(redirect).map(({ kind }) => REDIRECTS[kind].correction));
  const type = FARTHEST_FIRST.find((one) => types.has(one)) ?? "dag_adjustment";
  const trail_cleared = types.has("objective_change");
  const changes = changesBetween(before, trail_cleared ? { ...state, trail: [] } : state);
  return {
    timestamp,
    type,
    description,
    trail_cleared,
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(changes.length === 0 ? {} : { changes }),
  };
}

/** A transaction is recorded as what it changes most. */
const FARTHEST_FIRST: readonly CorrectionType[] = [
  "objective_change",
  "bindings_override",
  "dag_adjustment",
  "constraint_change",
  "confirmation",
];

/**
 * The order in which changes of one transaction are made, whatever order they came in: what is open again can be changed,
 * what was added can be depended on and chosen, and what nothing needs any more can be removed.
 */
const ORDER: readonly Change["kind"][] = [
  "set",
  "limit",
  "redo",
  "add",
  "change",
  "remove",
  "rebind",
  "choose",
  "reject",
  "confirm",
];
/** Before the first of these the changes so far have to make a valid state: they walk the graph. */
const WALKS_GRAPH: ReadonlySet<Change["kind"]> = new Set(["remove", "rebind", "choose", "confirm"]);

/** APPLY-REDIRECT-5. */
function draftAll(state: State, redirect: Redirect, when: Omit<Making, "going">): Result<Draft> {
  const changes = inOrder(changesOf(redirect));
  if (changes.length === 0)
    return refused("a transaction without a change changes nothing", "name at least one change");
  const making = { ...when, going: removedBy(changes) };
  let draft: Draft = { state, description: "" };
  let isSound = true;
  for (let change = nextOf(changes, state); change !== undefined; change = nextOf(changes, draft.state)) {
    if (WALKS_GRAPH.has(change.kind) && !isSound) {
      const problems = checkInvariants(draft.state);
      if (problems.length > 0) return { ok: false, problems };
    }
    isSound = WALKS_GRAPH.has(change.kind);
    const reason = change.reason === "" ? redirect.reason : change.reason;
    const made = draftOf(draft.state, graphOf(draft.state), { ...change, reason }, making);
    if (!made.ok) return made;
    const own =
      change.reason === redirect.reason ? made.value.description : withReason(made.value.description, change.reason);
    draft = {
      state: made.value.state,
      description: draft.description === "" ? own : `${draft.description}; ${own}`,
      facts: [...(draft.facts ?? []), ...(made.value.facts ?? [])],
      ...(made.value.confirmed === undefined ? {} : { confirmed: made.value.confirmed }),
      revert: [...new Set([...(draft.revert ?? []), ...(made.value.revert ?? [])])],
      lessons: [...(draft.lessons ?? []), ...(made.value.lessons ?? [])],
    };
  }
  return accepted({ ...draft, description: withReason(draft.description, redirect.reason) });
}

function inOrder(changes: readonly Change[]): Change[] {
  return [...changes].sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}

/** Takes the next change out of the list: of those to remove, what others of them need, or contain, comes last. */
function nextOf(changes: Change[], state: State): Change | undefined {
  if (changes[0]?.kind !== "remove") return changes.shift();
  const graph = graphOf(state);
  const ids = removedBy(changes);
  const isNeeded = (id: string): boolean =>
    (graph.dependants[graph.indexOf.get(id) ?? -1] ?? []).some((index) => ids.has(at(state.atoms, index).id));
  const isInside = (id: string): boolean => {
    const above = numberAt(graph.parent, graph.indexOf.get(id) ?? -1);
    return above >= 0 && ids.has(at(state.atoms, above).id);
  };
  const free = changes.findIndex((change) => change.kind === "remove" && !isNeeded(change.id) && !isInside(change.id));
  return changes.splice(Math.max(0, free), 1)[0];
}

function removedBy(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.flatMap((change) => (change.kind === "remove" ? [change.id] : [])));
}

/** APPLY-REDIRECT-4. @param moved by how much the measure is larger than before the redirect */
function withCompared(state: State, { base_case }: Objective, moved: number): State {
  const { fewest_failing, ...control } = moveCompared(state.control, moved);
  // Of other checks the verdicts so far say nothing.
  const known = fewest_failing === undefined || base_case !== state.objective.base_case ? {} : { fewest_failing };
  return { ...state, control: { ...control, ...known } };
}

/** What a change is made with. `going`: all that the transaction removes. */
interface Making {
  readonly now: string;
  readonly spent: Spent;
  readonly going: ReadonlySet<string>;
}

function draftOf(state: State, graph: Graph, redirect: Change, { now, going, spent }: Making): Result<Draft> {
  switch (redirect.kind) {
    case "set":
      return setObjective(state, redirect.field, redirect.value);
    case "limit":
      return setLimit(state, redirect.constraint, redirect.value, spent);
    case "add":
      return addAtom(state, redirect, redirect.reason, now);
    case "change":
      return changeAtom(state, redirect, { reason: redirect.reason, now });
    case "confirm":
      return confirmItem(state, redirect.item);
    case "reject":
      return rejectItem(state, redirect.item, redirect.reason, now);
    case "remove":
      return removeAtom(state, graph, redirect.id, { reason: redirect.reason, now, going });
    case "redo":
      return redoAtom(state, graph, redirect.id, { reason: redirect.reason, now });
    case "choose":
      return chooseOption(
        state,
        graph,
        { groupName: redirect.group, choice: redirect.atom },
        { reason: redirect.reason, now },
      );
    case "rebind":
      return rebind(state, graph, redirect.id, redirect.binding);
  }
}

function setObjective(state: State, field: ObjectiveField, value: ObjectiveValue): Result<Draft> {
  const structured = STRUCTURED_FIELDS.includes(field);
  const given = baseCaseOf(value);
  if ((typeof value === "string") === structured)
    return refused(
      `${field} cannot be ${structured ? "a text" : given === null ? "a list" : "a base case"}`,
      field === "base_case" ? "give a check or a checklist" : structured ? "give it as YAML" : "give a text",
    );
  if (field === "base_case" && (given === null || leavesOf(given).length === 0))
    return refused("a base case without a check is met by nothing", "name at least one check");
  const objective: Objective = { ...state.objective, [field]: value };
  return accepted({ state: { ...state, objective }, description: `${field} changed` });
}
