/**
 * Taking work out of the integration branch is one commit and one line of the journal (SPEC sections 7 and 8). A run that
 * dies between the two leaves atoms that the state calls resolved although their work is gone: they are found here.
 */
import type { AdoptedWork, Revert } from "./event.ts";
import type { Recollection } from "./journal.ts";
import type { State } from "./state.ts";

/**
 * Reverts of which the journal does not tell: a run died between the commit and the line. Without a crash, and without
 * work that was to be taken out before a run, there are none.
 */
export function untold(known: Recollection, reverts: readonly Revert[]): readonly Revert[] {
  if (known.unfinished === null && known.reverts_due.length === 0) return [];
  return reverts.filter(({ commit }) => !known.reverted.has(commit));
}

/**
 * The atoms whose work is to be taken out before a run starts. The line stands in the journal before the redirect stands
 * in the state: one that died between the two was not made, and nothing is taken out for it.
 */
export function revertsDue(known: Recollection, { corrections }: Pick<State, "corrections">): readonly string[] {
  const made = new Set(corrections.map(({ timestamp }) => timestamp));
  return [...new Set(known.reverts_due.flatMap(({ at, atoms }) => (made.has(at) ? atoms : [])))];
}

/** The atoms that lost their work with these reverts, and did not get it back since. */
export function lostWith(reverts: readonly Revert[], found: readonly AdoptedWork[]): readonly string[] {
  const there = new Set(found.map((work) => work.atom));
  return [...new Set(reverts.flatMap(({ lost }) => lost))].filter((atom) => !there.has(atom));
}
