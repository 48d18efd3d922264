/** A redirect of a loop at work (SPEC section 8): what is at work is killed first, then the change is applied. */
import { applyRedirect } from "./apply-redirect.ts";
import { abandon } from "./attempt-end.ts";
import { describeProblems, type Problem } from "./problem.ts";
import type { Redirect } from "./redirect.ts";
import { askRevert, restructure, setControl, setRun, type Turn } from "./turn.ts";

/**
 * A person asks for another course. What the state as it stands refuses is refused at once, and interrupts
 * nothing. Behind a redirect that waits it is only queued: what the state will be then is not known yet.
 */
export function requestRedirect(turn: Turn, wish: Redirect): void {
  const { redirects } = turn.loop.run;
  if (redirects.length === 0) {
    const tried = applyRedirect(turn.loop.state, wish, turn.now);
    if (!tried.ok) return tellRefused(turn, tried.problems);
  }
  setControl(turn, { redirect_requested: true });
  setRun(turn, { redirects: [...redirects, wish] });
}

/** Kills what is at work, and applies the redirects once nothing is. True: the loop goes on. */
export function interrupt(turn: Turn): boolean {
  for (const running of turn.loop.run.attempts) {
    if (running.discarded || running.phase === "integrating") continue;
    abandon(turn, running, "redirected");
  }
  const { background } = turn.loop.run;
  if (background.kind !== "none" && background.aborting !== true) {
    turn.effects.push({ type: "abort_background" });
    setRun(turn, { background: { ...background, aborting: true } });
  }
  if (turn.loop.run.attempts.length > 0 || turn.loop.run.background.kind !== "none" || turn.loop.run.reverting > 0)
    return false;
  for (const wish of turn.loop.run.redirects) apply(turn, wish);
  // What was interrupted is no iteration to judge, and work that a person added or took away is no expansion:
  // the next judgement compares with what the redirect left.
  setRun(turn, { redirects: [], iterations: [], checked: null, integrations: turn.loop.run.integrations + 1 });
  const { prev_pending_count } = turn.loop.state.control;
  const compared = prev_pending_count < 0 ? prev_pending_count : turn.loop.view.measure;
  setControl(turn, { redirect_requested: false, prev_pending_count: compared });
  return true;
}

/** It may be refused here, too: what landed during the interruption can stand in its way. */
function apply(turn: Turn, wish: Redirect): void {
  const result = applyRedirect(turn.loop.state, wish, turn.now);
  if (!result.ok) return tellRefused(turn, result.problems);
  restructure(turn, result.value.state);
  turn.facts.push(...result.value.facts);
  if (result.value.revert.length > 0) askRevert(turn, result.value.revert, result.value.description);
}

function tellRefused(turn: Turn, problems: readonly Problem[]): void {
  turn.facts.push({ fact: "redirect_refused", reason: describeProblems(problems), problems });
}
