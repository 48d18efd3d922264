/**
 * A redirect of a running loop (SPEC section 8): what it touches is ended, the rest goes on.
 *
 * INTERRUPTION-1 a redirect is applied in one step with the end of what it touches. It waits for nothing but a touched
 *    attempt that is being integrated, which lands first (for any touched attempt where that was asked for), and for work
 *    that is being taken out; meanwhile nothing is started.
 */
import { applyRedirect, lessonsIn, type Redirected } from "./apply-redirect.ts";
import { spentBy } from "./loop.ts";
import { describeProblems, type Problem } from "./problem.ts";
import { moveOpen } from "./progress.ts";
import { changesOf, isPatient, type Redirect } from "./redirect.ts";
import { wakeAtDeadline } from "./schedule.ts";
import type { Touched } from "./touched.ts";
import {
  addNogood,
  askRevert,
  endCall,
  interrupt,
  restructure,
  setControl,
  setRun,
  type StepDraft,
} from "./step-draft.ts";

/**
 * A person asks for another course. What the state as it is refuses is refused at once. Behind a redirect that waits it
 * is only queued: what the state will be then is not known yet.
 */
export function requestRedirect(draft: StepDraft, request: Redirect): void {
  const { redirects } = draft.loop.run;
  if (redirects.length === 0) {
    const tried = applyRedirect(draft.loop.state, request, draft.now, spentBy(draft.loop));
    if (!tried.ok) return tellRefused(draft, tried.problems);
  }
  setControl(draft, { redirect_requested: true });
  setRun(draft, { redirects: [...redirects, request] });
}

/** INTERRUPTION-1. Applies the redirects that wait. True: none is left, and the loop goes on. */
export function applyRedirects(draft: StepDraft): boolean {
  for (let request = draft.loop.run.redirects[0]; request !== undefined; request = draft.loop.run.redirects[0]) {
    if (draft.loop.run.reverting > 0) return false;
    const result = applyRedirect(draft.loop.state, request, draft.now, spentBy(draft.loop));
    if (result.ok && isWaitedFor(draft, request, result.value.touched)) return false;
    setRun(draft, { redirects: draft.loop.run.redirects.slice(1) });
    if (result.ok) take(draft, request, result.value);
    // What landed meanwhile can be in its way.
    else tellRefused(draft, result.problems);
  }
  setControl(draft, { redirect_requested: false });
  return true;
}

function isWaitedFor(draft: StepDraft, request: Redirect, { atoms }: Touched): boolean {
  return draft.loop.run.attempts.some(
    ({ phase, discarded, attempt }) =>
      (isPatient(request) || phase === "integrating") && !discarded && atoms.includes(attempt.atom),
  );
}

function take(
  draft: StepDraft,
  request: Redirect,
  { state, facts, revert, description, touched, moved }: Redirected,
): void {
  const counting = draft.loop.run.attempts.filter((running) => !running.discarded);
  const ended = counting.filter(({ attempt }) => touched.atoms.includes(attempt.atom));
  for (const running of ended) interrupt(draft, running);
  if (touched.check) endCall(draft, "check");
  if (touched.plan) endCall(draft, "planner");
  restructure(draft, state);
  // APPLY-REDIRECT-4: of an iteration that is open, too.
  const isKnown = state.control.fewest_failing !== undefined;
  const iterations = draft.loop.run.iterations.map((open) => ({
    ...moveOpen(open, moved),
    failing: isKnown ? open.failing : null,
  }));
  for (const lesson of lessonsIn(facts)) addNogood(draft, lesson);
  setRun(draft, { iterations, ...(touched.plan ? { checked: null } : {}) });
  const interrupted = ended.map(({ attempt }) => attempt.id);
  const going_on = counting.filter((running) => !ended.includes(running)).map(({ attempt }) => attempt.id);
  const reported = { interrupted, going_on, ...(revert.length === 0 ? {} : { revert }) };
  draft.facts.push(...facts.map((fact) => (fact.fact === "redirected" ? { ...fact, ...reported } : fact)));
  if (changesOf(request).some((change) => change.kind === "limit" && change.constraint === "max_duration"))
    wakeAtDeadline(draft);
  if (revert.length > 0) askRevert(draft, revert, description);
}

function tellRefused(draft: StepDraft, problems: readonly Problem[]): void {
  draft.facts.push({ fact: "redirect_refused", reason: describeProblems(problems), problems });
}
