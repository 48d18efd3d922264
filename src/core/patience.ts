/** Whether a call that waits for its agent is still wanted (SPEC sections 4, 7 and 8). */
import type { Loop } from "./loop.ts";
import { budgetSpent } from "./schedule.ts";

/**
 * Whether an agent may be called once more on behalf of work that is under way. A loop that was asked to stop, that has
 * no agent, or whose budget is spent calls nobody: what waits for a rate limit then waits for nothing.
 * @param now ISO 8601; time passes without events
 */
export function isCallWanted(loop: Loop, now: string): boolean {
  const { state, run } = loop;
  if (run.halted !== null || run.tampered.length > 0 || run.unavailable !== null) return false;
  return !state.control.stop_requested && budgetSpent({ ...loop, run: { ...run, now } }) === null;
}
