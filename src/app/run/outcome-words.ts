import type { Outcome } from "../../core/state.ts";

/** Each outcome as a person is told of it (SPEC section 9). */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  verified: "Verified: the base case holds",
  stop_requested: "Stopped on request",
  stalled: "Stopped: no progress",
  max_iterations: "Stopped: the iterations are spent",
  budget: "Stopped: the budget is spent",
  or_group_exhausted: "Stopped: no alternative is left",
  deadlock: "Stopped: nothing can run",
  needs_confirmation: "Stopped: a person or a judge has to decide",
  agent_unavailable: "Stopped: the agent is not available",
  tampered: "Stopped: protected files were changed",
};
