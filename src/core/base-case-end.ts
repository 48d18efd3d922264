/** What the end of a check does to a loop, and of the planning that follows a failed one (SPEC section 6). */
import { failuresOf } from "./blame.ts";
import { addAtoms } from "./decompose.ts";
import { BASE_CASE, type Event, type Nogood, type ProposedAtom } from "./event.ts";
import { graphOf, indexIn } from "./graph.ts";
import { withJudged } from "./judged.ts";
import { planOf } from "./journal.ts";
import { lastPlans, memoryOf, type Loop } from "./loop.ts";
import type { State } from "./state.ts";
import { addNogood, credit, restructure, setControl, setRun, type StepDraft } from "./step-draft.ts";
import { evidenceText } from "./telling.ts";
import { believed, groundsOf } from "./believed.ts";
import { withAnswered } from "./tree-answers.ts";
import { at } from "./vec.ts";
import { describeCheck, failingLeaves, type ChecklistVerdict, type LeafVerdict } from "./verdict.ts";

export function checked(draft: StepDraft, event: Extract<Event, { type: "base_case_checked" }>): void {
  const { check } = draft.loop.run;
  if (check === null) return;
  const asked = event.asked === undefined ? {} : { asked: event.asked };
  const strayed = event.strayed === undefined ? {} : { strayed: event.strayed };
  const { answers: known, settings } = draft.loop.run;
  const earlier = withAnswered(known, event.before ?? {});
  const grounds = groundsOf(event.verdict, { tree: event.tree, trust: settings.trust ?? 0, answers: earlier });
  const { answers } = grounds;
  const verdict = believed(event.verdict, grounds);
  setRun(draft, {
    check: null,
    answers,
    judged: withJudged(draft.loop.run.judged, event),
    unavailable: event.unavailable ?? draft.loop.run.unavailable,
  });
  if (check.aborting === true) return;
  const progress = event.unavailable === undefined && countFailing(draft, verdict) ? { progress: true as const } : {};
  const { integrations } = check;
  setRun(draft, { checked: { verdict, commit: event.commit, ...asked, ...strayed, ...progress, integrations } });
}

/** True: fewer leaves fail than at every verdict before (SPEC section 4). An undecided leaf is not green. */
function countFailing(draft: StepDraft, verdict: ChecklistVerdict): boolean {
  const failing = failingLeaves(verdict).length + verdict.skipped.length;
  const { fewest_failing: fewest = Infinity } = draft.loop.state.control;
  if (failing < fewest) setControl(draft, { fewest_failing: failing });
  return failing < fewest && fewest !== Infinity;
}

/** New atoms for a base case that is not met: the planner's, or one per failing leaf (SPEC section 6). */
export function replanned(draft: StepDraft, event: Extract<Event, { type: "replanned" }>): void {
  const { planner } = draft.loop.run;
  if (planner?.kind !== "replanning") return;
  setRun(draft, { planner: null, unavailable: event.unavailable ?? draft.loop.run.unavailable });
  if (planner.aborting === true || event.unavailable !== undefined) return;
  if (event.needs_person !== undefined) return setRun(draft, { needs_person: event.needs_person });
  const failing = failingNow(draft.loop);
  const planned = event.atoms.length > 0 ? addAtoms(draft.loop.state, event.atoms, event.reason, draft.now) : null;
  const added = planned?.ok === true ? planned : addAtoms(draft.loop.state, failing.map(repairOf), "", draft.now);
  if (!added.ok) return;
  const { state, ids } = added.value;
  const lessons =
    planned?.ok === true
      ? ids.flatMap((id) => failing.slice(0, MOST_LESSONS).map((leaf) => verdictLesson(leaf, id, SHORT_EVIDENCE)))
      : failing.flatMap((leaf, at) => lessonsFor(draft.loop, leaf, ids[at] ?? ""));
  asNewWork(draft, () => {
    restructure(draft, state);
    for (const lesson of lessons) addNogood(draft, lesson);
  });
  const fact = {
    fact: "atoms_added" as const,
    atoms: ids.map((id) => proposalOf(state, id)),
    reason: planned?.ok === true ? event.reason : `one atom for each check that fails${because(event.reason)}`,
    measure: draft.loop.view.measure,
    failing: failing.map(({ item }) => item),
    ...(lessons.length === 0 ? {} : { lessons }),
  };
  draft.facts.push(fact);
  setRun(draft, { plans: lastPlans(draft.loop.run.plans, planOf(fact)) });
}

/** Work that a false verdict makes: the first of a loop is credited, and what follows a verdict that was progress (SPEC section 4). */
export function asNewWork(draft: StepDraft, make: () => void): void {
  const { replans = 0 } = draft.loop.state.control;
  const { measure } = draft.loop.view;
  make();
  setControl(draft, { replans: replans + 1 });
  if (replans === 0 || draft.loop.run.checked?.progress === true) credit(draft, draft.loop.view.measure - measure);
}

function because(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}

/** How the loop itself describes work for a check, of which nobody has said what it will be. */
export const MAKE_PASS = "Make pass: ";

function repairOf({ item }: LeafVerdict): ProposedAtom {
  return { description: `${MAKE_PASS}${item}` };
}

/** Characters of what a check said, and of each report. */
export const LONGEST_EVIDENCE = 1_500;
const LONGEST_REPORT = 300;
const MOST_REPORTS = 4;

/** What an atom that repairs one leaf has to know: the evidence, what was done, and what earlier repairs came to. */
function lessonsFor(loop: Loop, leaf: LeafVerdict, atom: string): readonly Nogood[] {
  const { description } = repairOf(leaf);
  const atoms = loop.state.atoms;
  const earlier = atoms.filter((other) => other.description === description);
  const done = atoms.filter(({ binding }) => binding !== undefined).slice(-MOST_REPORTS);
  const reports = done.map(({ id, binding }) => `- ${id}: ${(binding?.summary ?? "").slice(0, LONGEST_REPORT)}`);
  const verdict = verdictLesson(leaf, atom, LONGEST_EVIDENCE);
  const evidence = [
    verdict.evidence,
    ...(reports.length === 0 ? [] : [`Done before this verdict (reports of the work):\n${reports.join("\n")}`]),
  ].join("\n");
  const tried = earlier.flatMap(({ id, binding }): readonly Nogood[] => [
    // What it had learnt from others is learnt from them.
    ...failuresOf(memoryOf(loop.run, id), id).map((nogood) => ({ ...nogood, atom })),
    ...(binding === undefined
      ? []
      : [{ atom, attempt: id, reason: `it reported success, and the check failed all the same: ${binding.summary}` }]),
  ]);
  return [{ ...verdict, evidence }, ...tried.slice(-MOST_TRIED)];
}

const MOST_TRIED = 3;
/** Of a plan's atoms each gets what these leaves said: which of them it is for is in the planner's words. */
export const MOST_LESSONS = 3;
const SHORT_EVIDENCE = 600;

/**
 * Where one atom is the whole goal: what the goal's commands said before the work, for its first attempt. Of several atoms
 * nobody knows which check is about which.
 */
export function lessonsAtFirst({ atoms }: Pick<State, "atoms">, verdict: ChecklistVerdict): readonly Nogood[] {
  const said = failingLeaves(verdict).filter(({ evidence }) => evidence.kind === "command");
  const shown = atoms.length === 1 ? said.slice(0, MOST_LESSONS) : [];
  const most = Math.max(SHORT_EVIDENCE, Math.floor(LONGEST_EVIDENCE / shown.length));
  return shown.map((leaf) => verdictLesson(leaf, at(atoms, 0).id, most, "did not pass before any work"));
}

function verdictLesson({ check, evidence }: LeafVerdict, atom: string, max: number, what = "does not pass") {
  const reason = `${describeCheck(check)} ${what}`;
  return { atom, attempt: BASE_CASE, reason, evidence: evidenceText(evidence, max) };
}

/** What the first of them said, each in its share of LONGEST_EVIDENCE. */
export function leavesText(failing: readonly LeafVerdict[]): string {
  const shown = failing.slice(0, MOST_LESSONS);
  const most = Math.floor(LONGEST_EVIDENCE / shown.length);
  return shown.map(({ check, evidence }) => `${describeCheck(check)}: ${evidenceText(evidence, most)}`).join("\n");
}

/** The atom as it was taken up: its group may have got another name. */
function proposalOf(state: State, id: string): ProposedAtom {
  const { status: _, ...atom } = at(state.atoms, indexIn(graphOf(state), id));
  return atom;
}

export function failingNow(loop: Loop): readonly LeafVerdict[] {
  return loop.run.checked === null ? [] : failingLeaves(loop.run.checked.verdict);
}
