/** A run beside a client's session that has the same loop (SPEC section 8: one at a time works it). */
import { accepted, type Result } from "../core/problem.ts";
import type { Entry } from "../project/run-entry.ts";
import { isSessionRun } from "../session/journal.ts";
import { leftBy, sessionOwnerOf, ownerRefusal } from "../project/session-owner.ts";
import { unbind } from "../project/session-record.ts";

export interface TakenOver {
  /** Belongs to no session any more. */
  readonly entry: Entry;
  /** What is reported of the session that had it. */
  readonly notes: readonly string[];
}

/**
 * Takes the loop from the session that had it, if one did. Call it under the run lock.
 * @param take_over a human's decision: even from a session that is running
 * @returns refused: a session works it
 */
export function takeOver(stateFile: string, entry: Entry, take_over: boolean): Result<TakenOver> {
  const { control } = entry.document.state;
  const { unfinished } = entry.known;
  // Of a run that had taken it over and died, the state may still say whose it was before.
  const owner =
    unfinished === null || isSessionRun(unfinished) ? sessionOwnerOf(stateFile, entry.document.state) : null;
  const refusal =
    owner === null || take_over
      ? null
      : ownerRefusal(
          owner,
          control.iteration,
          "`aot run --take-over` takes the loop over and discards what its agents do",
        );
  if (refusal !== null) return refusal;
  if (typeof control.session_id !== "string") return accepted({ entry, notes: [] });
  unbind(stateFile);
  const free = { ...entry.state, control: { ...entry.state.control, session_id: null } };
  return accepted({
    entry: { ...entry, state: free },
    notes: owner === null ? [] : [leftBy(owner, control.iteration)],
  });
}
