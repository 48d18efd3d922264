/**
 * The circuit breaker (SPEC section 9, `agent_unavailable`): an agent that dies again and again is no failure of the
 * atoms, and is not called until the fuel is gone.
 */
import type { Event } from "./event.ts";
import { setRun, type StepDraft } from "./step-draft.ts";

type AttemptEvent = Extract<Event, { attempt: string }>;

/** Counts the attempts in a row whose agent died; an answer, good or bad, begins anew. */
export function countDeath(draft: StepDraft, event: AttemptEvent): void {
  const { deaths, settings } = draft.loop.run;
  if (isAnswer(event)) {
    draft.loop.run.deaths = 0;
    return;
  }
  if (event.type !== "attempt_failed" || event.died !== true) return;
  setRun(draft, { deaths: deaths + 1 });
  if (settings.max_deaths === undefined || deaths + 1 < settings.max_deaths) return;
  const times = deaths === 0 ? "once" : `${deaths + 1} times in a row`;
  setRun(draft, {
    unavailable: `it ended ${times} without an answer, the last time: ${event.reason}; try it by hand, then run again`,
  });
}

/** A time-out and what the workspace says of the work tell nothing of the agent. */
function isAnswer(event: AttemptEvent): boolean {
  if (event.type === "attempt_failed")
    return (
      event.died !== true && (event.kind === "failed" || event.kind === "infeasible" || event.kind === "unreadable")
    );
  return event.type === "work_succeeded" || event.type === "work_split" || event.type === "probe_feasible";
}
