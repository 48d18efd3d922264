/**
 * Asking the planner about an atom that is to blame, before stalls stop the run (SPEC section 4).
 *
 * QUESTION-1 about each atom once, of those that may be attempted again, and only where there is fuel left for another
 *    iteration and the base case is not met;
 * QUESTION-2 what is asked about is not attempted meanwhile; everything else goes on;
 * QUESTION-3 advice that was taken buys one iteration at most: the stall count falls below its limit, by no more than that.
 */
import { applyAdvice } from "./apply-advice.ts";
import type { Fact } from "./effect.ts";
import { failuresOf } from "./blame.ts";
import type { Advice, Event } from "./event.ts";
import { isContainer } from "./graph.ts";
import { currentVerdict, isAskedAbout, limitsIn, memoryOf, type Loop, type Question } from "./loop.ts";
import { describeProblems } from "./problem.ts";
import { budgetSpent } from "./schedule.ts";
import { applyChange, credit, setControl, setRun, type StepDraft } from "./step-draft.ts";
import type { Atom, State } from "./state.ts";
import { at } from "./vec.ts";

/** The atom failed: at the second time for the same reason the planner is asked. */
export function askOfFailure(draft: StepDraft, atom: string): void {
  const failures = failuresOf(memoryOf(draft.loop.run, atom), atom).map(({ reason }) => gist(reason));
  const last = failures.at(-1);
  if (failures.slice(0, -1).some((earlier) => earlier === last))
    question(draft, { atom, why: "it failed twice for the same reason" });
}

/** An iteration without progress is held against this atom. */
export function askOfStall(draft: StepDraft, atom: string): void {
  question(draft, { atom, why: "an iteration made no progress, and this atom is to blame" });
}

/** What differs from one failure to the next says nothing: numbers, times, case, white space. */
function gist(reason: string): string {
  return reason
    .toLowerCase()
    .replaceAll(/[0-9a-f]{7,}|\d+/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_GIST);
}

/** Characters. */
const LONGEST_GIST = 400;

/** QUESTION-1. */
function question(draft: StepDraft, request: Question): void {
  const { run } = draft.loop;
  if (run.settings.planner !== true || isAskedAbout(run, request.atom) || !isWorthAsking(draft.loop, request)) return;
  setRun(draft, { questions: [...run.questions, request] });
}

function isWorthAsking(loop: Loop, { atom }: Question): boolean {
  const { state, run, view } = loop;
  const index = view.graph.indexOf.get(atom);
  if (index === undefined || isContainer(view.graph, index) || at(state.atoms, index).status !== "pending")
    return false;
  if (state.control.stop_requested || run.tampered.length > 0 || (run.unavailable ?? run.needs_person) !== null)
    return false;
  if (currentVerdict(run)?.passed === true) return false;
  if (view.exhausted.length > 0 || (state.control.asked ?? []).includes(atom)) return false;
  return state.control.iteration < limitsIn(loop).max_iterations && budgetSpent(loop) === null;
}

/** Asks the first question that is still worth it, if the planner is free. */
export function askNext(draft: StepDraft): void {
  if (draft.loop.run.questions.length === 0 || draft.loop.run.planner !== null) return;
  const [first, ...rest] = draft.loop.run.questions.filter((request) => isWorthAsking(draft.loop, request));
  setRun(draft, { questions: rest });
  if (first === undefined) return;
  const { atom, why } = first;
  setRun(draft, { planner: { kind: "asking", atom } });
  draft.facts.push({ fact: "planner_asked", atom, why });
  draft.effects.push({ type: "ask_planner", atom, why, nogoods: memoryOf(draft.loop.run, atom).nogoods });
}

export function advised(draft: StepDraft, event: Extract<Event, { type: "advised" }>): void {
  const { planner } = draft.loop.run;
  if (planner?.kind !== "asking" || planner.atom !== event.atom) return;
  setRun(draft, { planner: null });
  const { asked = [] } = draft.loop.state.control;
  setControl(draft, { asked: [...asked, event.atom] });
  if (planner.aborting === true) return;
  if (event.unavailable !== undefined) return setRun(draft, { unavailable: event.unavailable });
  if (event.needs_person !== undefined) return setRun(draft, { needs_person: event.needs_person });
  if (event.advice === null)
    return void draft.facts.push({ fact: "advice_refused", atom: event.atom, reason: event.reason });
  take(draft, event.atom, event.advice, event.reason);
}

function take(draft: StepDraft, atom: string, advice: Advice, reason: string): void {
  const result = applyAdvice(draft.loop.state, atom, advice, { reason, now: draft.now });
  if (!result.ok)
    return void draft.facts.push({ fact: "advice_refused", atom, reason: describeProblems(result.problems) });
  const before = draft.loop.view.measure;
  const { added, measure } = result.value;
  const said = reportedOf(draft.loop.state, result.value.state, atom);
  draft.facts.push({ fact: "advice_taken", atom, advice: advice.kind, added, ...said, reason, measure });
  applyChange(draft, result.value, reason);
  // What the planner adds is held against nobody.
  if (draft.loop.view.measure > before) credit(draft, draft.loop.view.measure - before);
  // QUESTION-3.
  const { control, objective } = draft.loop.state;
  const most = objective.constraints.max_stall_count - 1;
  setControl(draft, { stall_count: Math.min(control.stall_count, most) });
}

/** What of the atom is another than before, for those who want it back as it was. */
function reportedOf(
  before: State,
  after: State,
  id: string,
): Pick<Extract<Fact, { fact: "advice_taken" }>, "group" | "was"> {
  const find = (state: State): Atom | undefined => state.atoms.find((atom) => atom.id === id);
  const [old, now] = [find(before), find(after)];
  if (old === undefined || now === undefined) return {};
  const { description, depends_on } = old;
  const was = {
    ...(description === now.description ? {} : { description }),
    ...(depends_on === now.depends_on ? {} : { depends_on }),
  };
  return {
    ...(old.or_group === now.or_group || now.or_group === undefined ? {} : { group: now.or_group }),
    ...(Object.keys(was).length === 0 ? {} : { was }),
  };
}
