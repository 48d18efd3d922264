/** What the end of an attempt does to a loop: success, failure, a split, a race won, work taken out (SPEC section 7). */
import { failAtom, reopenAtom, resetSubtree, select } from "./backtrack.ts";
import { decompose } from "./decompose.ts";
import type { Event } from "./event.ts";
import { isTaken } from "./fate.ts";
import { idAt, indexIn, numberAt, subtreeOf } from "./graph.ts";
import { nogoodOf, type RunningAttempt } from "./loop.ts";
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
import { resolveAtom, withAtom } from "./view.ts";
import { at } from "./vec.ts";

type AttemptEvent = Extract<Event, { attempt: string }>;

/** An agent is heard while it works, the workspace while it integrates; what comes later changes nothing. */
export function isTimely(running: RunningAttempt, event: AttemptEvent): boolean {
  if (event.type === "attempt_failed") return running.phase !== "held";
  return running.phase === (event.type === "attempt_integrated" ? "integrating" : "working");
}

export function handleAttempt(draft: StepDraft, running: RunningAttempt, event: AttemptEvent): void {
  countDeath(draft, event);
  if (running.discarded) return dropped(draft, running, event);
  switch (event.type) {
    case "work_succeeded": {
      const { type: _, at: __, attempt: ___, usage: ____, ...work } = event;
      return replaceAttempt(draft, running, { ...running, ...work, phase: "held" });
    }
    case "attempt_integrated":
      return integrated(draft, running, event.artifacts);
    case "attempt_failed":
      return failed(draft, running, event);
    case "work_split":
      return split(draft, running, event);
    case "probe_feasible":
      release(draft, running, "probed");
      return setMemory(draft, running.attempt.atom, { findings: event.findings });
    case "attempt_aborted":
      return release(draft, running, "aborted");
    case "agent_unavailable":
      release(draft, running, event.reason);
      return setRun(draft, { unavailable: event.reason });
  }
}

/** The end of an attempt whose result does not count any more. */
function dropped(draft: StepDraft, running: RunningAttempt, event: AttemptEvent): void {
  settle(draft, running);
  if (event.type !== "attempt_integrated")
    draft.effects.push({ type: "shelve", attempt: running.attempt, reason: "discarded" });
}

/** The attempt ends without a result and without blame; the atom waits for its next one. */
function release(draft: StepDraft, running: RunningAttempt, reason: string): void {
  settle(draft, running);
  draft.effects.push({ type: "shelve", attempt: running.attempt, reason });
  putBack(draft, running.attempt.atom);
}

function integrated(draft: StepDraft, running: RunningAttempt, artifacts: readonly string[]): void {
  settle(draft, running);
  draft.loop.run.integrations++;
  resolve(draft, indexIn(draft.loop.view.graph, running.attempt.atom), { summary: running.summary, artifacts });
}

/** Resolves an atom; the winner of a race is selected first, and its rivals are discarded. */
export function resolve(draft: StepDraft, index: number, binding: Binding): void {
  const { graph } = draft.loop.view;
  const id = idAt(graph, index);
  if (!isTaken(draft.loop.state, graph, index)) winRace(draft, index, id);
  const { board, resolved } = resolveAtom(draft.loop, index, binding);
  draft.loop.state = board.state;
  draft.loop.view = board.view;
  for (const done of resolved) {
    draft.facts.push({ fact: "atom_resolved", atom: idAt(graph, done), measure: board.view.measure });
    const rivals = rivalsOf(draft.loop, done);
    if (rivals.length === 0) continue;
    const beside = new Set(rivals.flatMap((rival) => subtreeOf(graph, rival)));
    for (const running of draft.loop.run.attempts) {
      const other = graph.indexOf.get(running.attempt.atom);
      if (other !== undefined && beside.has(other)) abandon(draft, running, `${idAt(graph, done)} was adopted`);
    }
  }
}

/** Discards a rival's attempt; its atom is pending again (an alternative that was not needed). */
export function abandon(draft: StepDraft, running: RunningAttempt, reason: string): void {
  discard(draft, running, reason);
  putBack(draft, running.attempt.atom);
}

function winRace(draft: StepDraft, index: number, id: string): void {
  const { graph } = draft.loop.view;
  const group = at(draft.loop.state.or_groups, numberAt(graph.groupOf, index));
  const former = indexIn(graph, group.selected);
  applyChange(draft, resetSubtree(draft.loop.state, graph, former, draft.now), `${id} was adopted`);
  const selection = select(
    draft.loop.state,
    graph,
    { groupName: group.name, choice: id },
    { reason: `${id} won the race`, now: draft.now },
  );
  restructure(draft, selection.state);
  draft.facts.push(...selection.facts);
}

function failed(draft: StepDraft, running: RunningAttempt, failure: Extract<Event, { type: "attempt_failed" }>): void {
  const [{ attempt }, { kind, reason, files }] = [running, failure];
  settle(draft, running);
  draft.effects.push({ type: "shelve", attempt, reason });
  addNogood(draft, nogoodOf(attempt.atom, failure));
  const index = indexIn(draft.loop.view.graph, attempt.atom);
  if (files !== undefined) {
    const touches = [...new Set([...(at(draft.loop.state.atoms, index).touches ?? []), ...files])];
    setState(draft, withAtom(draft.loop.state, index, { touches }));
  }
  const change = failAtom(draft.loop.state, draft.loop.view.graph, index, {
    reason,
    retry: kind === "conflict",
    spent: isSpent(draft.loop, index),
    now: draft.now,
  });
  if (change.facts.length > 0) return applyChange(draft, change, reason);
  setState(draft, change.state);
  askOfFailure(draft, attempt.atom);
}

function split(draft: StepDraft, running: RunningAttempt, event: Extract<Event, { type: "work_split" }>): void {
  const { attempt } = running;
  const added = decompose(draft.loop.state, attempt.atom, event.children, { reason: event.reason, now: draft.now });
  if (!added.ok) {
    const reason = `its split was not usable: ${added.problems.map((problem) => problem.message).join("; ")}`;
    draft.facts.push({ fact: "split_refused", attempt: attempt.id, atom: attempt.atom, reason });
    return failed(draft, running, { ...event, type: "attempt_failed", kind: "unreadable", reason });
  }
  settle(draft, running);
  draft.effects.push({ type: "shelve", attempt, reason: "decomposed" });
  const { measure } = draft.loop.view;
  const isCredited = isSplitCredited(draft.loop, indexIn(draft.loop.view.graph, attempt.atom));
  restructure(draft, added.value.state);
  if (isCredited) credit(draft, draft.loop.view.measure - measure);
  draft.facts.push({
    fact: "atom_decomposed",
    atom: attempt.atom,
    children: added.value.ids,
    measure: draft.loop.view.measure,
  });
}

/** Atoms whose integrated work could not stand without what was reverted are to be done again. */
export function reverted(draft: StepDraft, lost: readonly string[]): void {
  if (draft.loop.run.reverting === 0) return;
  setRun(draft, { reverting: draft.loop.run.reverting - 1 });
  reopenLost(draft, lost);
}

export function reopenLost(draft: StepDraft, lost: readonly string[]): void {
  for (const atom of lost) {
    const index = draft.loop.view.graph.indexOf.get(atom);
    if (index === undefined || at(draft.loop.state.atoms, index).status !== "resolved") continue;
    restructure(draft, reopenAtom(draft.loop.state, draft.loop.view.graph, index));
    draft.facts.push({ fact: "atom_reset", atom, reason: "its work was built on a choice that was given up" });
  }
}

/** Counts the attempts in a row whose agent died; an answer, good or bad, begins anew. */
function countDeath(draft: StepDraft, event: AttemptEvent): void {
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
