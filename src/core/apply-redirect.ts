/**
 * What a person may change of a loop, and what follows (SPEC section 8).
 *
 * APPLY-REDIRECT-1 a redirect that would leave an invalid state is refused with the reason;
 * APPLY-REDIRECT-2 every redirect is recorded in `corrections`;
 * APPLY-REDIRECT-3 a new objective clears the trail, a new limit keeps it, a change of the graph adds to it, an
 *    overwritten binding takes out what it affects;
 * APPLY-REDIRECT-4 work that a person adds or takes away is neither expansion nor progress: what the next judgement
 *    compares with moves along with the measure.
 */
import { addAtom } from "./add-atom.ts";
import { chooseOption } from "./choose-option.ts";
import type { Fact } from "./effect.ts";
import { graphOf, type Graph } from "./graph.ts";
import { checkInvariants } from "./invariants.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { moveCompared } from "./progress.ts";
import { rebind, reopened } from "./rebind.ts";
import { withReason, type Draft } from "./redirect-draft.ts";
import { PERSON, type Nogood } from "./event.ts";
import { REDIRECTS, type ObjectiveField, type Redirect } from "./redirect.ts";
import { redoAtom } from "./redo-atom.ts";
import { removeAtom } from "./remove-atom.ts";
import { setLimit } from "./set-limit.ts";
import type { BaseCase, Correction, Objective, State } from "./state.ts";
import { touchedBy, type Touched } from "./touched.ts";
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

/**
 * Applies a redirect (SPEC section 8). What is in progress stays so unless it is touched.
 * @param state as it is worked on
 * @param now ISO 8601
 */
export function applyRedirect(state: State, redirect: Redirect, now: string): Result<Redirected> {
  if (state.control.status === "completed")
    return refused("the loop is completed, which is final", "align a new goal with `aot align`");
  const draft = draftOf(state, graphOf(state), redirect, now);
  if (!draft.ok) return draft;
  const { description, facts = [], revert = [] } = draft.value;
  const { correction: type } = REDIRECTS[redirect.kind];
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
  const {
    state: after,
    view: { graph, measure },
  } = settleContainers(next).board;
  const touched = touchedBy(state, after);
  const ended = touched.atoms.flatMap((id) => graph.indexOf.get(id) ?? []);
  const moved = measure - measureOf(state, graphOf(state));
  return accepted({
    state: withCompared(reopened(after, ended), state.objective, moved),
    description: correction.description,
    facts: [{ fact: "redirected", description: correction.description, measure, ...lessonOf(redirect) }, ...facts],
    revert,
    touched,
    moved,
  });
}

/** What the next attempt has to know. */
function lessonOf(redirect: Redirect): { readonly lesson?: Nogood } {
  if (redirect.kind !== "redo" || redirect.reason.trim() === "") return {};
  const reason = `resolved before, and to be done again: ${redirect.reason.trim()}`;
  return { lesson: { atom: redirect.id, attempt: PERSON, reason } };
}

/** APPLY-REDIRECT-4. @param moved by how much the measure is larger than before the redirect */
function withCompared(state: State, { base_case }: Objective, moved: number): State {
  const { fewest_failing, ...control } = moveCompared(state.control, moved);
  // Of other checks the verdicts so far say nothing.
  const known = fewest_failing === undefined || base_case !== state.objective.base_case ? {} : { fewest_failing };
  return { ...state, control: { ...control, ...known } };
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
      return removeAtom(state, graph, redirect.id, { reason: redirect.reason, now });
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
    description: `${field} changed`,
  });
}
