/** Going on (SPEC sections 4 and 8): everything that can be done now is asked for, or the loop halts. */
import { askNext } from "./question.ts";
import { abandon } from "./attempt-end.ts";
import { failAtom } from "./backtrack.ts";
import { failingNow } from "./base-case-end.ts";
import { decide } from "./converge.ts";
import { isExecutable } from "./fate.ts";
import { applyRedirects } from "./interruption.ts";
import type { Loop } from "./loop.ts";
import { isCheckDue, judgeSettled } from "./judge-settled.ts";
import { isPatient } from "./redirect.ts";
import { fillSlots, isSpent, releaseHeld, standingOf } from "./schedule.ts";
import type { Outcome } from "./state.ts";
import { applyChange, setControl, setRun, type StepDraft } from "./step-draft.ts";
import { executableOf } from "./view.ts";

/** Everything that can be done now is asked for; if nothing can and nothing is under way, the loop halts. */
export function advance(turn: StepDraft): void {
  if (turn.loop.run.redirects.length > 0 && !applyRedirects(turn)) return landBefore(turn);
  judgeSettled(turn, false);
  if (turn.loop.run.background.kind === "none") askNext(turn);
  const { background } = turn.loop.run;
  const isAsking = background.kind === "asking";
  if (background.kind !== "none" && !isAsking) return;
  const midway = decide(standingOf(turn.loop, false));
  if (midway.kind === "halt" && isVerdict(midway.outcome)) {
    // Nothing may be integrated behind the verdict.
    for (const running of turn.loop.run.attempts)
      if (!running.discarded) abandon(turn, running, "the base case is met");
  } else if (!turn.loop.run.check_due || !isCheckDue(turn.loop)) releaseHeld(turn);
  else if (!isAsking && canCheck(turn.loop)) return startCheck(turn);
  // What starts now must not be on what is being taken out (SPEC section 7).
  if (midway.kind === "continue" && turn.loop.run.reverting === 0) fillSlots(turn);
  if (turn.loop.run.attempts.length > 0 || turn.loop.run.reverting > 0 || isAsking) return;
  settleIdle(turn);
}

/** What succeeded lands while a redirect lets attempts end first; behind any other it may have to be discarded. */
function landBefore(turn: StepDraft): void {
  const { redirects, background, reverting } = turn.loop.run;
  if (redirects[0] !== undefined && isPatient(redirects[0]) && background.kind === "none" && reverting === 0)
    releaseHeld(turn);
}

/** Nothing is running: judge what is open, check the base case when everything is resolved, decide. */
function settleIdle(turn: StepDraft): void {
  judgeSettled(turn, true);
  askNext(turn);
  if (turn.loop.run.background.kind === "asking") return;
  if (isCheckDue(turn.loop)) return startCheck(turn);
  const decision = decide(standingOf(turn.loop, true));
  if (decision.kind === "halt") {
    if (decision.outcome === "budget" && giveUpSpent(turn)) return advance(turn);
    return halt(turn, decision.outcome, decision.message);
  }
  if (turn.loop.view.measure === 0) {
    setRun(turn, { background: { kind: "replanning" } });
    turn.effects.push({ type: "replan", failing: failingNow(turn.loop) });
    return;
  }
  fillSlots(turn);
  if (turn.loop.run.attempts.length === 0) throw new Error("the loop can neither go on nor halt");
}

/** Both outcomes of a true verdict (CONVERGE-2). */
function isVerdict(outcome: Outcome): boolean {
  return outcome === "verified" || outcome === "needs_confirmation";
}

function canCheck(loop: Loop): boolean {
  return loop.run.reverting === 0 && loop.run.attempts.every((running) => running.phase !== "integrating");
}

/**
 * An atom that was not blamed for its last attempt (a probe, a crash, a redirect) may have none left. Below a
 * choice that gives up the choice, as a failure would (SPEC section 7). True: something was given up.
 */
function giveUpSpent(turn: StepDraft): boolean {
  const before = turn.facts.length;
  for (const index of executableOf(turn.loop.state, turn.loop.view.graph)) {
    const { state, view } = turn.loop;
    if (!isSpent(turn.loop, index) || !isExecutable(state, view.graph, index)) continue;
    const failure = { reason: "it has no attempts left", retry: true, spent: true, now: turn.now };
    const change = failAtom(state, view.graph, index, failure);
    if (change.facts.length > 0) applyChange(turn, change, failure.reason);
  }
  return turn.facts.length > before;
}

function startCheck(turn: StepDraft): void {
  setRun(turn, {
    check_due: false,
    background: { kind: "checking", integrations: turn.loop.run.integrations },
  });
  turn.effects.push({ type: "check_base_case" });
}

function halt(turn: StepDraft, outcome: Outcome, message: string): void {
  const verified = outcome === "verified";
  setControl(turn, {
    status: verified ? "completed" : "stopped",
    outcome,
    stop_reason: verified ? null : message,
  });
  setRun(turn, { halted: outcome });
  turn.facts.push({ fact: "halted", outcome, message });
  turn.effects.push({ type: "halt", outcome, message });
}
