/**
 * A redirect of a running loop (SPEC section 8): what it touches is ended, the rest goes on.
 *
 * INTERRUPTION-1 a redirect is applied in one step with the end of what it touches. It waits for nothing but a touched
 *    attempt that is being integrated, which lands first (for any touched attempt where that was asked for), and for work
 *    that is being taken out; meanwhile nothing is started.
 */
import { applyRedirect, lessonsIn, type Redirected } from "./apply-redirect.ts";
import { describeProblems, type Problem } from "./problem.ts";
import { moveOpen } from "./progress.ts";
import { changesOf, isPatient, type Redirect } from "./redirect.ts";
import { wakeAtDeadline } from "./schedule.ts";
import type { Touched } from "./touched.ts";
import { addNogood, askRevert, interrupt, restructure, setControl, setRun, type StepDraft } from "./step-draft.ts";

/**
 * A person asks for another course. What the state as it is refuses is refused at once. Behind a redirect that waits it
 * is only queued: what the state will be then is not known yet.
 */
export function requestRedirect(turn: StepDraft, wish: Redirect): void {
  const { redirects } = turn.loop.run;
  if (redirects.length === 0) {
    const tried = applyRedirect(turn.loop.state, wish, turn.now);
    if (!tried.ok) return tellRefused(turn, tried.problems);
  }
  setControl(turn, { redirect_requested: true });
  setRun(turn, { redirects: [...redirects, wish] });
}

/** INTERRUPTION-1. Applies the redirects that wait. True: none is left, and the loop goes on. */
export function applyRedirects(turn: StepDraft): boolean {
  for (let wish = turn.loop.run.redirects[0]; wish !== undefined; wish = turn.loop.run.redirects[0]) {
    if (turn.loop.run.reverting > 0) return false;
    const result = applyRedirect(turn.loop.state, wish, turn.now);
    if (result.ok && isWaitedFor(turn, wish, result.value.touched)) return false;
    setRun(turn, { redirects: turn.loop.run.redirects.slice(1) });
    if (result.ok) take(turn, wish, result.value);
    // What landed meanwhile can be in its way.
    else tellRefused(turn, result.problems);
  }
  setControl(turn, { redirect_requested: false });
  return true;
}

function isWaitedFor(turn: StepDraft, wish: Redirect, { atoms }: Touched): boolean {
  return turn.loop.run.attempts.some(
    ({ phase, discarded, attempt }) =>
      (isPatient(wish) || phase === "integrating") && !discarded && atoms.includes(attempt.atom),
  );
}

function take(
  turn: StepDraft,
  wish: Redirect,
  { state, facts, revert, description, touched, moved }: Redirected,
): void {
  const counting = turn.loop.run.attempts.filter((running) => !running.discarded);
  const ended = counting.filter(({ attempt }) => touched.atoms.includes(attempt.atom));
  for (const running of ended) interrupt(turn, running);
  endBackground(turn, touched);
  restructure(turn, state);
  // APPLY-REDIRECT-4: of an iteration that is open, too.
  const isKnown = state.control.fewest_failing !== undefined;
  const iterations = turn.loop.run.iterations.map((open) => ({
    ...moveOpen(open, moved),
    failing: isKnown ? open.failing : null,
  }));
  for (const lesson of lessonsIn(facts)) addNogood(turn, lesson);
  setRun(turn, { iterations, ...(touched.plan ? { checked: null } : {}) });
  const interrupted = ended.map(({ attempt }) => attempt.id);
  const going_on = counting.filter((running) => !ended.includes(running)).map(({ attempt }) => attempt.id);
  const told = { interrupted, going_on, ...(revert.length === 0 ? {} : { revert }) };
  turn.facts.push(...facts.map((fact) => (fact.fact === "redirected" ? { ...fact, ...told } : fact)));
  if (changesOf(wish).some((change) => change.kind === "limit" && change.constraint === "max_duration"))
    wakeAtDeadline(turn);
  if (revert.length > 0) askRevert(turn, revert, description);
}

function endBackground(turn: StepDraft, touched: Touched): void {
  const { background } = turn.loop.run;
  if (background.kind === "none" || background.aborting === true) return;
  if (!(background.kind === "checking" ? touched.check : touched.plan)) return;
  turn.effects.push({ type: "abort_background" });
  setRun(turn, { background: { ...background, aborting: true } });
}

function tellRefused(turn: StepDraft, problems: readonly Problem[]): void {
  turn.facts.push({ fact: "redirect_refused", reason: describeProblems(problems), problems });
}
