/**
 * Going on (SPEC sections 4 and 8): everything that can be done now is asked for, or the loop halts.
 *
 * ADVANCE-1 a check of the base case and the planner's question about an atom never wait for each other; of each at most
 *    one is under way.
 */
import { askNext, askOfStall } from "./question.ts";
import { abandon } from "./attempt-end.ts";
import { failAtom } from "./backtrack.ts";
import { failingNow } from "./base-case-end.ts";
import { decide } from "./converge.ts";
import { isExecutable } from "./fate.ts";
import { applyRedirects } from "./interruption.ts";
import { currentVerdict, limitsIn, type Loop, type OpenIteration } from "./loop.ts";
import { isPatient } from "./redirect.ts";
import { fillSlots, isSpent, releaseHeld, standingOf, startable, isIn } from "./schedule.ts";
import type { Outcome } from "./state.ts";
import { applyChange, endCall, setControl, setRun, type StepDraft } from "./step-draft.ts";
import { executableOf } from "./view.ts";
import { blamedOf, isPatienceLeft } from "./blame.ts";
import { isStall, judgeIteration, type Movement } from "./progress.ts";
import { takeBackClaim } from "./wrong-claim.ts";

/** Everything that can be done now is asked for; if nothing can and nothing is under way, the loop halts. */
export function advance(draft: StepDraft): void {
  if (draft.loop.run.redirects.length > 0 && !applyRedirects(draft)) return landBefore(draft);
  // A stop ends a hold.
  if (draft.loop.run.held && !draft.loop.state.control.stop_requested) return land(draft);
  judgeSettled(draft, false);
  askNext(draft);
  if (draft.loop.run.check !== null || draft.loop.run.planner?.kind === "replanning") return;
  const midway = decide(standingOf(draft.loop, false));
  if (midway.kind === "halt" && isVerdict(draft.loop, midway.outcome)) {
    // Nothing may be integrated behind the verdict.
    for (const running of draft.loop.run.attempts)
      if (!running.discarded) abandon(draft, running, "the base case is met");
    endCall(draft, "planner");
  } else if (!draft.loop.run.check_due || !isCheckDue(draft.loop)) releaseHeld(draft);
  else if (canCheck(draft.loop)) return startCheck(draft);
  // What starts now must not be on what is being taken out (SPEC section 7).
  if (midway.kind === "continue" && draft.loop.run.reverting === 0) fillSlots(draft);
  if (draft.loop.run.attempts.length > 0 || draft.loop.run.reverting > 0) return;
  if (draft.loop.run.planner === null) settleIdle(draft);
  else if (isCheckDue(draft.loop)) startCheck(draft);
}

/** What succeeded lands while a redirect lets attempts end first; behind any other it may have to be discarded. */
function landBefore(draft: StepDraft): void {
  const [first] = draft.loop.run.redirects;
  if (first !== undefined && isPatient(first)) land(draft);
}

function land(draft: StepDraft): void {
  const { check, reverting } = draft.loop.run;
  if (check === null && reverting === 0) releaseHeld(draft);
}

/** Nothing is running: judge what is open, check the base case when everything is resolved, decide. */
function settleIdle(draft: StepDraft): void {
  judgeSettled(draft, true);
  askNext(draft);
  if (isCheckDue(draft.loop)) return startCheck(draft);
  if (draft.loop.run.planner !== null) return;
  const decision = decide(standingOf(draft.loop, true));
  if (decision.kind === "halt") {
    if (decision.outcome === "budget" && giveUpSpent(draft)) return advance(draft);
    return halt(draft, decision.outcome, decision.message);
  }
  if (draft.loop.view.measure === 0) {
    if (takeBackClaim(draft)) return askNext(draft);
    setRun(draft, { planner: { kind: "replanning" } });
    draft.effects.push({ type: "replan", failing: failingNow(draft.loop) });
    return;
  }
  fillSlots(draft);
  if (draft.loop.run.attempts.length === 0) throw new Error("the loop can neither go on nor halt");
}

/** What a verdict says; a planner may want a person, too. */
function isVerdict({ run }: Loop, outcome: Outcome): boolean {
  if (outcome === "verified") return true;
  return outcome === "needs_confirmation" && (run.needs_person === null || currentVerdict(run)?.passed === true);
}

function canCheck(loop: Loop): boolean {
  return loop.run.reverting === 0 && loop.run.attempts.every((running) => running.phase !== "integrating");
}

/**
 * An atom that was not blamed for its last attempt (a probe, a crash, a redirect) may have none left. Below a
 * choice that gives up the choice, as a failure would (SPEC section 7). True: something was given up.
 */
function giveUpSpent(draft: StepDraft): boolean {
  const before = draft.facts.length;
  for (const index of executableOf(draft.loop.state, draft.loop.view.graph)) {
    const { state, view } = draft.loop;
    if (!isSpent(draft.loop, index) || !isExecutable(state, view.graph, index)) continue;
    const failure = { reason: "it has no attempts left", retry: true, spent: true, now: draft.now };
    const change = failAtom(state, view.graph, index, failure);
    if (change.facts.length > 0) applyChange(draft, change, failure.reason);
  }
  return draft.facts.length > before;
}

function startCheck(draft: StepDraft): void {
  setRun(draft, { check_due: false, check: { integrations: draft.loop.run.integrations } });
  draft.effects.push({ type: "check_base_case" });
}

function halt(draft: StepDraft, outcome: Outcome, message: string): void {
  const verified = outcome === "verified";
  setControl(draft, { status: verified ? "completed" : "stopped", outcome, stop_reason: verified ? null : message });
  setRun(draft, { halted: outcome });
  draft.facts.push({ fact: "halted", outcome, message });
  draft.effects.push({ type: "halt", outcome, message });
}

/** Judges every iteration whose last attempt has settled; with `all` also those that have attempts left. */
function judgeSettled(draft: StepDraft, all: boolean): void {
  for (const open of draft.loop.run.iterations) {
    if (open.running > 0 || (!all && hasMore(draft.loop, open))) continue;
    // Of what a person ended there is nothing to judge.
    if (open.interrupted === open.issued) close(draft, open);
    else judge(draft, open);
  }
}

/** Whether the iteration has attempts left, and something that may still take them. */
function hasMore(loop: Loop, open: OpenIteration): boolean {
  const { parallel } = limitsIn(loop);
  if (open.issued >= parallel || open.number !== loop.state.control.iteration) return false;
  const free = startable(loop);
  return free.length === 0 || free.some((index) => !isIn(loop, open, index));
}

function close(draft: StepDraft, open: OpenIteration): void {
  setRun(draft, { iterations: draft.loop.run.iterations.filter((other) => other !== open) });
}

function judge(draft: StepDraft, open: OpenIteration): void {
  const { run } = draft.loop;
  const isUnseen = run.settings.verify_each && run.check === null && currentVerdict(run) === null;
  setRun(draft, { check_due: run.check_due || isUnseen });
  const { measure } = draft.loop.view;
  const credited = open.credited || isPatienceLeft(draft.loop, open);
  const { movement, control } = judgeIteration(draft.loop.state.control, { ...open, credited }, measure);
  // The verdict that is to come may be its progress.
  if (isStall(movement) && isVerdictAwaited(draft.loop)) return;
  close(draft, open);
  const blamed = isStall(movement) ? blamedOf(draft.loop, open) : null;
  draft.facts.push({
    fact: "iteration_judged",
    iteration: open.number,
    measure,
    before: open.before,
    movement,
    stall_count: control.stall_count,
    ...(blamed === null ? {} : { blamed }),
    ...(control.stall_count === 1 && isStall(movement) ? { advice: adviceOn(movement, blamed) } : {}),
  });
  setControl(draft, control);
  if (blamed !== null) askOfStall(draft, blamed);
}

function adviceOn(movement: Movement, blamed: string | null): string {
  if (movement === "expansion")
    return `the work grew: merge atoms that overlap, or choose another approach for ${blamed ?? "what was added"}`;
  if (blamed === null) return "the work did not shrink, and no atom failed: look at what fails with `aot verify`";
  return `the work did not shrink: look at the failures with \`aot logs ${blamed} --events\`, split ${blamed}, or give it an alternative (an OR group)`;
}

function isVerdictAwaited(loop: Loop): boolean {
  return loop.run.check !== null || isCheckDue(loop);
}

/** When everything that counts is resolved, and with verify_each after every iteration. */
function isCheckDue({ run, state, view }: Loop): boolean {
  if (state.control.stop_requested || run.tampered.length > 0 || currentVerdict(run) !== null) return false;
  return run.check_due || (view.measure === 0 && run.attempts.length === 0);
}
