import type { State } from "./state.ts";

/**
 * Whether a change has to be in the state file before anything follows from it: structure, selections and the status,
 * which the journal alone could not bring back (SPEC section 8). Statuses of atoms and counters may follow.
 */
export function isUrgent(before: State, after: State): boolean {
  return (
    before.or_groups !== after.or_groups ||
    before.decompositions !== after.decompositions ||
    before.trail !== after.trail ||
    before.corrections !== after.corrections ||
    before.objective !== after.objective ||
    before.atoms.length !== after.atoms.length ||
    before.control.asked !== after.control.asked ||
    before.control.fewest_failing !== after.control.fewest_failing ||
    before.control.status !== after.control.status ||
    before.control.stop_requested !== after.control.stop_requested ||
    before.control.redirect_requested !== after.control.redirect_requested
  );
}
