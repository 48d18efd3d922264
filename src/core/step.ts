/**
 * The reducer: what an event does to a loop, and what the world has to do next. No clock, no I/O; the
 * same loop and event give the same step. Replaying a journal's events gives the loop again.
 *
 * The invariants are in the headers of the files that keep them: converge, progress, backtrack, schedule, apply-redirect,
 * verdict, fate.
 */
import { advance } from "./advance.ts";
import { handleAttempt, isTimely, reverted } from "./attempt-end.ts";
import { advised } from "./question.ts";
import { checked, replanned } from "./base-case-end.ts";
import type { Event } from "./event.ts";
import { requestRedirect } from "./interruption.ts";
import { charged, tokensOf, type Loop, type Step } from "./loop.ts";
import { start } from "./start.ts";
import { setControl, setRun, openDraft, type StepDraft } from "./step-draft.ts";

/** SPEC section 4: all transitions are functions of (loop, event); the event carries the time. */
export function step(loop: Loop, event: Event): Step {
  if (loop.run.halted !== null && event.type !== "run_started") return { loop, effects: [], facts: [] };
  const draft = openDraft(loop, event.at);
  handle(draft, event);
  advance(draft);
  return { loop: draft.loop, effects: draft.effects, facts: draft.facts };
}

function handle(draft: StepDraft, event: Event): void {
  if ("usage" in event) {
    const { cost_usd, tokens } = draft.loop.run;
    setRun(draft, { cost_usd: charged(cost_usd, event.usage), tokens: tokens + tokensOf(event.usage) });
  }
  if ("attempt" in event) {
    const running = draft.loop.run.attempts.find((candidate) => candidate.attempt.id === event.attempt);
    if (running !== undefined && isTimely(running, event)) handleAttempt(draft, running, event);
    return;
  }
  switch (event.type) {
    case "run_started":
      return start(draft, event);
    case "work_reverted":
      return reverted(draft, event.lost);
    case "base_case_checked":
      return checked(draft, event);
    case "replanned":
      return replanned(draft, event);
    case "advised":
      return advised(draft, event);
    case "background_aborted":
      return setRun(draft, { background: { kind: "none" } });
    case "stop_requested":
      return setControl(draft, {
        stop_requested: true,
        stop_reason: event.reason === "" ? draft.loop.state.control.stop_reason : event.reason,
      });
    case "redirect_requested":
      return requestRedirect(draft, event.redirect);
    case "hold_changed":
      return setRun(draft, { held: event.held });
    case "tampered":
      return setRun(draft, { background: { kind: "none" }, tampered: event.files });
    case "time_passed":
      return;
  }
}
