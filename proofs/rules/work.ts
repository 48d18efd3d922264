/** Rules about the work: what counts, what is in the branch, what the journal and the state file hold. */
import { checkInvariants } from "../../src/core/invariants.ts";
import { memoryOf } from "../../src/core/loop.ts";
import { executableOf } from "../../src/core/view.ts";
import type { Correction, State, TrailEntry } from "../../src/core/state.ts";
import { boardOf } from "../oracle.ts";
import { recall } from "../../world/world.ts";
import { touchedBy } from "../touched.ts";
import {
  appliedIn,
  breach,
  isRedirected,
  keptUnless,
  redirectsIn,
  wasRedirected,
  type Finding,
  type Observed,
  type Rule,
} from "./rule.ts";

export const WORK: readonly Rule[] = [
  {
    id: "VALID",
    of: "worlds",
    says: "no transition leaves an invalid state, in memory or in the state file",
    source: "SPEC 2",
    check({ after }) {
      const problem = checkInvariants(after.loop.state)[0] ?? checkInvariants(after.file)[0];
      return keptUnless(problem === undefined ? null : problem.message);
    },
  },
  {
    id: "MEASURE",
    of: "transitions",
    says: "M is what SPEC 3 says, and it falls on each resolution and on each alternative that is given up",
    source: "SPEC 3, FATE-2",
    check(observed) {
      const { after, stepped } = observed;
      const { view, state } = after.loop;
      if (view.measure !== boardOf(state).measure) return breach(`M is ${view.measure}, not ${boardOf(state).measure}`);
      return stepped === null ? "idle" : fallsIn(observed);
    },
  },
  {
    id: "VIEW",
    of: "transitions",
    says: "what the loop goes by is what follows from the state: who may run, which groups are exhausted",
    source: "SPEC 3, FATE-1",
    check({ after }) {
      if (after.phase !== "up") return "idle";
      const { view, state } = after.loop;
      const board = boardOf(state);
      if (view.exhausted.join() !== board.exhausted.join()) return breach(`exhausted: ${view.exhausted.join()}`);
      const ready = executableOf(state, view.graph).map((index) => view.graph.ids[index]);
      const missing = board.executable.filter((atom) => !ready.includes(atom));
      return keptUnless(missing.length === 0 ? null : `${missing.join(", ")} may run and is not found`);
    },
  },
  {
    id: "TRAIL",
    of: "transitions",
    says: "the trail only grows unless a redirect says otherwise, and no selection changes without an entry before it",
    source: "SPEC 7 and 8, BACKTRACK-1, APPLY-REDIRECT-3",
    check({ stepped }) {
      if (stepped === null) return "idle";
      const { before, after } = stepped;
      if (isRedirected(before.state, after.state)) return keptUnless(wrongTrail(before.state, after.state));
      if (!startsWith(after.state.trail, before.state.trail)) return breach("the trail lost entries");
      return keptUnless(untoldSwitch(before.state, after.state));
    },
  },
  {
    id: "BRANCH",
    of: "worlds",
    says: "when the workspace has nothing left to do, all that is resolved stands in the branch, and nothing of a choice that was given up",
    source: "SPEC 7, BACKTRACK-2",
    check({ after }) {
      if (after.queue.length > 0 || (after.phase !== "up" && after.phase !== "halted")) return "idle";
      const board = boardOf(after.loop.state);
      const ids = new Set(board.atoms.map((atom) => atom.id));
      const dead = after.branch.find((work) => ids.has(work.atom) && !board.isLive(work.atom));
      if (dead !== undefined) return breach(`${dead.attempt} is in the branch and its choice is not live`);
      const held = new Set(after.branch.map((work) => work.atom));
      const lost = board.atoms.find(
        (atom) => atom.status === "resolved" && !board.isContainer(atom.id) && !held.has(atom.id),
      );
      if (lost !== undefined) return breach(`${lost.id} is resolved and its work is not in the branch`);
      return after.branch.length === 0 ? "idle" : "kept";
    },
  },
  {
    id: "ONCE",
    of: "worlds",
    says: "without a redirect, what is integrated stays integrated, once: each work in the branch is that of a resolved atom",
    source: "SPEC 8",
    check(observed) {
      const { after } = observed;
      if (after.queue.length > 0 || after.branch.length === 0 || wasRedirected(observed)) return "idle";
      if (after.phase !== "up" && after.phase !== "halted") return "idle";
      const atoms = after.branch.map((work) => work.atom);
      if (new Set(atoms).size < atoms.length) return breach(`integrated twice: ${atoms.join(", ")}`);
      const open = boardOf(after.loop.state).atoms.find(
        (atom) => atom.status !== "resolved" && atoms.includes(atom.id),
      );
      return keptUnless(open === undefined ? null : `${open.id} is in the branch and ${open.status}`);
    },
  },
  {
    id: "JOURNAL",
    of: "transitions",
    says: "the journal remembers what the run remembers: attempts, findings, the iteration; and at the end of a run nothing beside the state file",
    source: "SPEC 8, JOURNAL-1",
    check({ before, move, after }) {
      if (move.kind !== "end" || before.phase !== "halted") return "idle";
      const known = recall(after.journal);
      const { state, run } = before.loop;
      const attempts = state.atoms.map(({ id }) => [id, memoryOf(run, id)] as const);
      const wrong = attempts.find(
        ([id, memory]) =>
          (known.memory.attempts[id] ?? 0) !== memory.attempts || known.memory.probed[id] !== memory.findings,
      );
      if (wrong !== undefined) return breach(`what is known of ${wrong[0]} differs`);
      if (known.unfinished !== null || known.judged !== null) return breach("the journal has more than the state file");
      const left = [
        ...known.integrated.map((work) => work.atom),
        ...known.reset,
        ...known.reverts_due.flatMap(({ atoms }) => atoms),
      ];
      if (left.length > 0) return breach(`the journal has more than the state file: ${left.join(", ")}`);
      return keptUnless(known.iteration === state.control.iteration ? null : `iteration ${known.iteration}`);
    },
  },
  {
    id: "RESUME",
    of: "transitions",
    says: "resuming after a halt clears the stop, its reason, the outcome and the stall count; after a crash nothing; the iteration goes on",
    source: "SPEC 8",
    check({ before, stepped, after }) {
      if (stepped?.event.type !== "run_started" || after.phase === "down") return "idle";
      const { control } = stepped.after.state;
      if (control.iteration < before.paid.iteration)
        return breach(`iteration ${control.iteration} after ${before.paid.iteration}`);
      const known = recall(before.journal);
      const from = before.file.control;
      const halted = from.status === "stopped";
      const stalls = halted ? 0 : (known.judged?.stall_count ?? from.stall_count);
      if (after.phase === "up" && control.stop_requested !== (halted ? false : from.stop_requested))
        return breach("the stop");
      const judged = stepped.facts.some((fact) => fact.fact === "iteration_judged");
      return keptUnless(
        judged || control.stall_count === stalls ? null : `stall count ${control.stall_count}, not ${stalls}`,
      );
    },
  },
  {
    id: "REDIRECT",
    of: "transitions",
    says: "each redirect is recorded in corrections or refused with a reason, once, and what is refused changes nothing of the work",
    source: "SPEC 8, APPLY-REDIRECT-1, APPLY-REDIRECT-2",
    check({ stepped }) {
      if (stepped === null) return "idle";
      const { before, after, facts, event } = stepped;
      const asked =
        before.run.redirects.length + (event.type === "redirect_requested" ? 1 : 0) - after.run.redirects.length;
      const applied = facts.filter((fact) => fact.fact === "redirected").length;
      const refused = facts.filter((fact) => fact.fact === "redirect_refused").length;
      const recorded = after.state.corrections.length - before.state.corrections.length;
      if (recorded !== applied) return breach(`${applied} applied, ${recorded} recorded`);
      if (applied + refused !== asked) return breach(`${asked} asked for, ${applied} applied, ${refused} refused`);
      return asked === 0 ? "idle" : "kept";
    },
  },
  {
    id: "REJECTED",
    of: "transitions",
    says: "what a person rejects is work again, and every role is given the reason",
    source: "SPEC 8",
    check(observed) {
      const { before, after, stepped } = observed;
      const rejected = redirectsIn(observed).filter(({ kind }) => kind === "reject");
      if (rejected.length === 0) return "idle";
      const [was, is] = stepped === null ? [before.file, after.file] : [stepped.before.state, stepped.after.state];
      const said = (is.objective.clarifications ?? []).length - (was.objective.clarifications ?? []).length;
      if (said !== rejected.length) return breach(`${rejected.length} rejected, and agents are given ${said} reasons`);
      return keptUnless(boardOf(is).measure > 0 ? null : "nothing is left to do");
    },
  },
  {
    id: "GOES_ON",
    of: "transitions",
    says: "a redirect ends the attempts that it touches, none that is landing, and nobody else; it tells which",
    source: "SPEC 8, TOUCHED-1, INTERRUPTION-1",
    check: (observed) => endedBy(observed),
  },
];

/** Each attempt that counted before goes on unless a redirect that was applied touches it, and none besides. */
function endedBy({ stepped }: Observed): Finding {
  if (stepped === null) return "idle";
  const { before, after, event, facts } = stepped;
  const reported = facts.filter((fact) => fact.fact === "redirected");
  const applied = appliedIn(stepped);
  if (applied.length === 0) return "idle";
  const ends = applied.map((redirect) => touchedBy(before.state, redirect));
  const own = "attempt" in event ? event.attempt : null;
  // What the same step brought about before it: an attempt that ended, a race that was lost.
  const lost = facts.flatMap((fact) =>
    fact.fact === "attempt_discarded" && fact.reason !== "redirected" ? [fact.attempt] : [],
  );
  const counting = before.run.attempts.filter(
    ({ discarded, attempt: { id } }) => !discarded && id !== own && !lost.includes(id),
  );
  const interrupted = reported.flatMap((fact) => fact.interrupted ?? []);
  for (const { attempt, phase } of counting) {
    const isTouched = ends.some((isIn) => isIn(attempt.atom));
    if (isTouched !== interrupted.includes(attempt.id))
      return breach(`${attempt.id} is ${isTouched ? "touched and goes on" : "ended and not touched"}`);
    if (isTouched && phase === "integrating") return breach(`${attempt.id} is ended while it lands`);
    const goesOn = after.run.attempts.some((one) => one.attempt.id === attempt.id && !one.discarded);
    if (goesOn === isTouched)
      return breach(`${attempt.id} ${goesOn ? "goes on" : "is ended"}, and the contrary is told`);
  }
  return "kept";
}

/** Each fact that tells a resolution or a choice given up names a smaller M than the one before it. */
function fallsIn({ stepped }: Observed): "idle" | "kept" | { readonly breach: string } {
  if (stepped === null) return "idle";
  let last = stepped.before.view.measure;
  let reported = false;
  // A leaf and the containers that resolve with it are reported with one M.
  let resolving: number | null = null;
  for (const fact of stepped.facts) {
    // Work that was lost is work again; by how much M rose is not reported.
    if (fact.fact === "atom_reset") last = Infinity;
    if (!("measure" in fact)) continue;
    const falls = fact.fact === "atom_resolved" || fact.fact === "choice_given_up";
    const follows =
      fact.fact === "atom_resolved" &&
      resolving === fact.measure &&
      boardOf(stepped.after.state).isContainer(fact.atom);
    if (falls && !follows && fact.measure >= last) return { breach: `${fact.fact}: M ${last} -> ${fact.measure}` };
    if (falls) reported = true;
    resolving = fact.fact === "atom_resolved" ? fact.measure : null;
    last = fact.measure;
  }
  return reported ? "kept" : "idle";
}

function startsWith(after: readonly TrailEntry[], before: readonly TrailEntry[]): boolean {
  return after.length >= before.length && before.every((entry, index) => after[index] === entry);
}

/** APPLY-REDIRECT-3. */
function wrongTrail(before: State, after: State): string | null {
  const added: readonly Correction[] = after.corrections.slice(before.corrections.length);
  const type = added[0]?.type;
  if (added.length !== 1 || type === undefined) return null;
  const grown = startsWith(after.trail, before.trail);
  switch (type) {
    case "objective_change":
      return after.trail.length === 0 ? null : "a new objective keeps the trail";
    case "confirmation":
    case "constraint_change":
      return grown ? null : "a new limit changes the trail";
    case "dag_adjustment":
      return grown && after.trail.length > before.trail.length ? null : "a change of the graph is not in the trail";
    case "bindings_override":
      return after.trail.every((entry, index) => before.trail.includes(entry) || index >= before.trail.length)
        ? null
        : "an overwritten binding added to the trail";
  }
}

/** BACKTRACK-1. */
function untoldSwitch(before: State, after: State): string | null {
  const fresh = after.trail.slice(before.trail.length);
  for (const group of after.or_groups) {
    const former = before.or_groups.find((one) => one.name === group.name);
    if (former === undefined || former.selected === group.selected) continue;
    if (
      !fresh.some((entry) => "or_group" in entry && entry.or_group === group.name && entry.selected === group.selected)
    )
      return `${group.name} switched to ${group.selected} without an entry`;
  }
  return null;
}
