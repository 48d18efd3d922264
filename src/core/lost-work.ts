/**
 * What the integration branch holds and what was taken out of it, where state file or journal do not say so yet.
 *
 * Taking work out of the branch is one commit and one line of the journal (SPEC sections 7 and 8). A run that
 * dies between the two leaves atoms that the state calls resolved although their work is gone: they are found here.
 */
import type { AdoptedWork, Revert } from "./event.ts";
import { isLive } from "./fate.ts";
import type { Recollection } from "./journal.ts";
import type { State } from "./state.ts";
import { at } from "./vec.ts";
import { boardOf } from "./view.ts";

/**
 * Reverts of which the journal does not tell: a run died between the commit and the line. Without a crash, and without
 * work that was to be taken out before a run, there are none.
 */
export function untold(known: Recollection, reverts: readonly Revert[]): readonly Revert[] {
  if (known.unfinished === null && known.reverts_due.length === 0) return [];
  return reverts.filter(({ commit }) => !known.reverted.has(commit));
}

/**
 * The atoms whose work is to be taken out before a run starts. The line is in the journal before the redirect stands
 * in the state: one that died between the two was not made, and nothing is taken out for it.
 */
export function revertsDue(known: Recollection, { corrections }: Pick<State, "corrections">): readonly string[] {
  const made = new Set(corrections.map(({ timestamp }) => timestamp));
  return [...new Set(known.reverts_due.flatMap(({ at, atoms }) => (at === null || made.has(at) ? atoms : [])))];
}

/** The atoms that lost their work with these reverts, and did not get it back since. */
export function lostWith(reverts: readonly Revert[], found: readonly AdoptedWork[]): readonly string[] {
  const there = new Set(found.map((work) => work.atom));
  return [...new Set(reverts.flatMap(({ lost }) => lost))].filter((atom) => !there.has(atom));
}

/**
 * Work that the integration branch holds and the state does not: journaled after the state file was last
 * written, or integrated and not journaled any more; and work of choices that were given up, whose revert
 * was not done any more (the reducer has it taken out). In a race such a choice could be worked still: its work is
 * `stale`. Latest per atom, without what the run takes out before anything starts. A line that tells of a commit which the branch does not hold is not believed.
 * @param found what the workspace found in the integration branch
 */
export function toAdopt(state: State, known: Recollection, found: readonly AdoptedWork[]): readonly AdoptedWork[] {
  const { graph } = boardOf(state).view;
  const isIdle = (atom: string): boolean => {
    const index = graph.indexOf.get(atom);
    return index !== undefined && !isLive(state, graph, index);
  };
  const isThere = (work: AdoptedWork): boolean =>
    work.commit === null || found.some(({ attempt, commit }) => attempt === work.attempt && commit === work.commit);
  const due = new Set(revertsDue(known, state));
  const integrated = known.integrated.filter(isThere);
  const unsaved = new Set(integrated.map((work) => work.attempt));
  const unrecorded = found.flatMap((work): AdoptedWork[] => {
    if (!known.started.has(work.attempt) || unsaved.has(work.attempt)) return [];
    if (!known.settled.has(work.attempt)) return [work];
    return isIdle(work.atom) ? [{ ...work, stale: true }] : [];
  });
  const latest = new Map([...integrated, ...unrecorded].map((work) => [work.atom, work]));
  return [...latest.values()].filter((work) => {
    const index = graph.indexOf.get(work.atom);
    return index !== undefined && at(state.atoms, index).status !== "resolved" && !due.has(work.atom);
  });
}
