/** What the end of an attempt does to a loop: success, failure, a split, a race won, work taken out (SPEC section 7). */
import { failAtom, reopenAtom, resetSubtree, select } from "./backtrack.ts";
import { countDeath } from "./breaker.ts";
import { decompose } from "./decompose.ts";
import type { Event, FailureKind } from "./event.ts";
import { isTaken } from "./fate.ts";
import { idAt, indexIn, numberAt, subtreeOf } from "./graph.ts";
import type { RunningAttempt } from "./loop.ts";
import { askOfFailure } from "./question.ts";
import { isSplitCredited } from "./blame.ts";
import { isSpent, rivalsOf } from "./schedule.ts";
import type { Binding } from "./state.ts";
import {
  addNogood,
  applyChange,
  credit,
  discard,
  putBack,
  replaceAttempt,
  restructure,
  setMemory,
  setRun,
  setState,
  settle,
  type StepDraft,
} from "./step-draft.ts";
import { offered, resolveAtom } from "./view.ts";
import { at } from "./vec.ts";

export type AttemptEvent = Extract<Event, { attempt: string }>;

/** An agent is heard while it works, the workspace while it integrates; what comes later changes nothing. */
export function isTimely(running: RunningAttempt, event: AttemptEvent): boolean {
  if (event.type === "attempt_failed") return running.phase !== "held";
  return running.phase === (event.type === "attempt_integrated" ? "integrating" : "working");
}

export function handleAttempt(turn: StepDraft, running: RunningAttempt, event: AttemptEvent): void {
  countDeath(turn, event);
  if (running.discarded) return dropped(turn, running, event);
  switch (event.type) {
    case "work_succeeded":
      return replaceAttempt(turn, running, {
        attempt: running.attempt,
        phase: "held",
        discarded: false,
        summary: event.summary,
        artifacts: event.artifacts,
      });
    case "attempt_integrated":
      return integrated(turn, running, event.artifacts);
    case "attempt_failed":
      return failed(turn, running, event.kind, event.reason);
    case "work_split":
      return split(turn, running, event);
    case "probe_feasible":
      release(turn, running, "probed");
      return setMemory(turn, running.attempt.atom, { findings: event.findings });
    case "attempt_aborted":
      return release(turn, running, "aborted");
    case "agent_unavailable":
      release(turn, running, event.reason);
      return setRun(turn, { unavailable: event.reason });
  }
}

/** The end of an attempt whose result does not count any more. */
function dropped(turn: StepDraft, running: RunningAttempt, event: AttemptEvent): void {
  settle(turn, running);
  if (event.type !== "attempt_integrated")
    turn.effects.push({ type: "shelve", attempt: running.attempt, reason: "discarded" });
}

/** The attempt ends without a result and without blame; the atom waits for its next one. */
function release(turn: StepDraft, running: RunningAttempt, reason: string): void {
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt: running.attempt, reason });
  putBack(turn, running.attempt.atom);
}

function integrated(turn: StepDraft, running: RunningAttempt, artifacts: readonly string[]): void {
  settle(turn, running);
  turn.loop.run.integrations++;
  resolve(turn, indexIn(turn.loop.view.graph, running.attempt.atom), {
    summary: running.summary,
    artifacts,
  });
}

/** Resolves an atom; the winner of a race is selected first, and its rivals are discarded. */
export function resolve(turn: StepDraft, index: number, binding: Binding): void {
  const { graph } = turn.loop.view;
  const id = idAt(graph, index);
  if (!isTaken(turn.loop.state, graph, index)) winRace(turn, index, id);
  const { board, resolved } = resolveAtom(turn.loop, index, binding);
  turn.loop.state = board.state;
  turn.loop.view = board.view;
  for (const done of resolved) {
    turn.facts.push({
      fact: "atom_resolved",
      atom: idAt(graph, done),
      measure: board.view.measure,
    });
    const rivals = rivalsOf(turn.loop, done);
    if (rivals.length === 0) continue;
    const beside = new Set(rivals.flatMap((rival) => subtreeOf(graph, rival)));
    for (const running of turn.loop.run.attempts) {
      const other = graph.indexOf.get(running.attempt.atom);
      if (other !== undefined && beside.has(other)) abandon(turn, running, `${idAt(graph, done)} was adopted`);
    }
  }
}

/** Discards a rival's attempt; its atom is pending again (an alternative that was not needed). */
export function abandon(turn: StepDraft, running: RunningAttempt, reason: string): void {
  discard(turn, running, reason);
  putBack(turn, running.attempt.atom);
}

function winRace(turn: StepDraft, index: number, id: string): void {
  const { graph } = turn.loop.view;
  const group = at(turn.loop.state.or_groups, numberAt(graph.groupOf, index));
  const former = indexIn(graph, group.selected);
  applyChange(turn, resetSubtree(turn.loop.state, graph, former, turn.now), `${id} was adopted`);
  const selection = select(
    turn.loop.state,
    graph,
    { groupName: group.name, choice: id },
    { reason: `${id} won the race`, now: turn.now },
  );
  restructure(turn, selection.state);
  turn.facts.push(...selection.facts);
}

function failed(turn: StepDraft, running: RunningAttempt, kind: FailureKind, reason: string): void {
  const { attempt } = running;
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt, reason });
  addNogood(turn, { atom: attempt.atom, attempt: attempt.id, reason });
  const index = indexIn(turn.loop.view.graph, attempt.atom);
  const change = failAtom(turn.loop.state, turn.loop.view.graph, index, {
    reason,
    retry: kind === "conflict",
    spent: isSpent(turn.loop, index),
    now: turn.now,
  });
  if (change.facts.length > 0) return applyChange(turn, change, reason);
  setState(turn, change.state);
  turn.loop.view = offered(turn.loop.view, index);
  askOfFailure(turn, attempt.atom);
}

function split(turn: StepDraft, running: RunningAttempt, event: Extract<Event, { type: "work_split" }>): void {
  const { attempt } = running;
  const added = decompose(turn.loop.state, attempt.atom, event.children, { reason: event.reason, now: turn.now });
  if (!added.ok) {
    const reason = `its split was not usable: ${added.problems.map((problem) => problem.message).join("; ")}`;
    turn.facts.push({ fact: "split_refused", attempt: attempt.id, atom: attempt.atom, reason });
    return failed(turn, running, "unreadable", reason);
  }
  settle(turn, running);
  turn.effects.push({ type: "shelve", attempt, reason: "decomposed" });
  const { measure } = turn.loop.view;
  const isCredited = isSplitCredited(turn.loop, indexIn(turn.loop.view.graph, attempt.atom));
  restructure(turn, added.value.state);
  if (isCredited) credit(turn, turn.loop.view.measure - measure);
  turn.facts.push({
    fact: "atom_decomposed",
    atom: attempt.atom,
    children: added.value.ids,
    measure: turn.loop.view.measure,
  });
}

/** Atoms whose integrated work could not stand without what was reverted are to be done again. */
export function reverted(turn: StepDraft, lost: readonly string[]): void {
  if (turn.loop.run.reverting === 0) return;
  setRun(turn, { reverting: turn.loop.run.reverting - 1 });
  reopenLost(turn, lost);
}

export function reopenLost(turn: StepDraft, lost: readonly string[]): void {
  for (const atom of lost) {
    const index = turn.loop.view.graph.indexOf.get(atom);
    if (index === undefined || at(turn.loop.state.atoms, index).status !== "resolved") continue;
    restructure(turn, reopenAtom(turn.loop.state, turn.loop.view.graph, index));
    turn.facts.push({
      fact: "atom_reset",
      atom,
      reason: "its work was built on a choice that was given up",
    });
  }
}
