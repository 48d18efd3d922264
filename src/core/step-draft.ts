/**
 * One step in the making: the loop so far, and what it asks and tells. Local to one call of `step`.
 *
 * The loop in it is the step's own copy, and is changed in place: an event changes a dozen fields of it. What the
 * fields hold is immutable and shared with the loop before.
 */
import type { Change } from "./backtrack.ts";
import type { Attempt, Effect, Fact } from "./effect.ts";
import type { BackgroundCall, Nogood } from "./event.ts";
import { idAt, indexIn } from "./graph.ts";
import {
  lastNogoods,
  memoryOf,
  remembering,
  withState,
  type AtomMemory,
  type Loop,
  type OpenIteration,
  type Run,
  type RunningAttempt,
} from "./loop.ts";
import { moveCompared, moveOpen } from "./progress.ts";
import type { Control, State } from "./state.ts";
import { withAtom, type View } from "./view.ts";

type DraftRun = { -readonly [K in keyof Run]: Run[K] };

/** A loop that nobody else has. Once `step` has answered with it, it is a `Loop` and changes no more. */
interface Draft extends Loop {
  state: State;
  view: View;
  run: DraftRun;
}

export interface StepDraft {
  readonly loop: Draft;
  readonly now: string;
  readonly effects: Effect[];
  readonly facts: Fact[];
  /** `run.attempts`, once it is a list that this turn made. */
  attempts: RunningAttempt[] | null;
}

export function openDraft({ state, view, run }: Loop, now: string): StepDraft {
  return { loop: { state, view, run: { ...run, now } }, now, effects: [], facts: [], attempts: null };
}

export function setRun(draft: StepDraft, change: Partial<Run>): void {
  Object.assign(draft.loop.run, change);
}

export function setControl(draft: StepDraft, change: Partial<Control>): void {
  const { state } = draft.loop;
  draft.loop.state = { ...state, control: { ...state.control, ...change } };
}

/** Credits new work (PROGRESS-2). @param by how much `M` is larger with it */
export function credit(draft: StepDraft, by: number): void {
  setControl(draft, moveCompared(draft.loop.state.control, by));
  setRun(draft, { iterations: draft.loop.run.iterations.map((open) => ({ ...moveOpen(open, by), credited: true })) });
}

/** Another state of the same structure in which only statuses changed that the view does not count. */
export function setState(draft: StepDraft, state: State): void {
  draft.loop.state = state;
}

/** A state whose structure or selections changed: everything that follows is computed again. */
export function restructure(draft: StepDraft, state: State): void {
  Object.assign(draft.loop, withState(draft.loop, state));
}

export function setMemory(draft: StepDraft, atom: string, change: Partial<AtomMemory>): void {
  draft.loop.run = remembering(draft.loop.run, atom, change);
}

export function addNogood(draft: StepDraft, nogood: Nogood): void {
  setMemory(draft, nogood.atom, { nogoods: lastNogoods(memoryOf(draft.loop.run, nogood.atom).nogoods, nogood) });
}

/** The list of attempts as this turn's own. Whoever goes through it may find one replaced in its place, never moved. */
function ownAttempts(draft: StepDraft): RunningAttempt[] {
  if (draft.attempts === null || draft.attempts !== draft.loop.run.attempts) {
    draft.attempts = draft.loop.run.attempts.slice();
    draft.loop.run.attempts = draft.attempts;
  }
  return draft.attempts;
}

/** One more is under way, in the open iteration. */
export function addAttempt(draft: StepDraft, attempt: Attempt): void {
  ownAttempts(draft).push({ attempt, phase: "working", discarded: false, summary: "", artifacts: [] });
  inIteration(draft, attempt, (open) => ({
    ...open,
    issued: open.issued + 1,
    running: open.running + 1,
    atoms: [...open.atoms, attempt.atom],
  }));
}

function inIteration(draft: StepDraft, { iteration }: Attempt, change: (open: OpenIteration) => OpenIteration): void {
  const { run } = draft.loop;
  run.iterations = run.iterations.map((open) => (open.number === iteration ? change(open) : open));
}

/** The attempt is over: its slot is free and its iteration has one less under way. */
export function settle(draft: StepDraft, running: RunningAttempt): void {
  const { run } = draft.loop;
  // A list of its own: who goes through the attempts may settle one of them.
  const left = run.attempts.slice();
  const place = left.indexOf(running);
  if (place >= 0) left.splice(place, 1);
  draft.attempts = left;
  run.attempts = left;
  inIteration(draft, running.attempt, (open) => ({ ...open, running: open.running - 1 }));
}

/** @param next the same attempt, further on */
export function replaceAttempt(draft: StepDraft, running: RunningAttempt, next: RunningAttempt): void {
  const own = ownAttempts(draft);
  const place = own.indexOf(running);
  if (place >= 0) own[place] = next;
}

/** The atom waits for its next attempt. */
export function putBack(draft: StepDraft, atom: string): void {
  const { graph } = draft.loop.view;
  const index = indexIn(graph, atom);
  setState(draft, withAtom(draft.loop.state, index, { status: "pending" }));
}

/**
 * The attempt's result does not count any more. Its agent is killed; one that has ended already is put
 * aside; what is being integrated goes through, and is taken out again by the revert behind it.
 */
export function discard(draft: StepDraft, running: RunningAttempt, reason: string): void {
  if (running.discarded) return;
  const { attempt } = running;
  draft.facts.push({ fact: "attempt_discarded", attempt: attempt.id, atom: attempt.atom, reason });
  if (running.phase === "held") {
    settle(draft, running);
    draft.effects.push({ type: "shelve", attempt, reason });
    return;
  }
  replaceAttempt(draft, running, { ...running, discarded: true });
  if (running.phase === "working") draft.effects.push({ type: "abort_attempt", attempt });
}

/** A check or a planner call has become pointless: it is killed, and what it answers all the same does not count. */
export function endCall(draft: StepDraft, call: BackgroundCall): void {
  const { run } = draft.loop;
  const running = run[call];
  if (running === null || running.aborting === true) return;
  draft.effects.push({ type: "abort_background", call });
  Object.assign(run, { [call]: { ...running, aborting: true } });
}

/** A redirect ends the attempt: nothing that it did is held against its iteration. */
export function interrupt(draft: StepDraft, running: RunningAttempt): void {
  inIteration(draft, running.attempt, (open) => ({ ...open, interrupted: open.interrupted + 1 }));
  discard(draft, running, "redirected");
}

/** Takes over a change of backtracking: aborts what is below it, asks for the revert, tells the facts. */
export function applyChange(draft: StepDraft, change: Change, reason: string): void {
  const { graph } = draft.loop.view;
  const gone = new Set(change.reset.map((index) => idAt(graph, index)));
  for (const running of draft.loop.run.attempts) if (gone.has(running.attempt.atom)) discard(draft, running, reason);
  restructure(draft, change.state);
  draft.facts.push(...change.facts);
  if (change.revert.length > 0) askRevert(draft, change.revert, reason);
}

export function askRevert(draft: StepDraft, atoms: readonly string[], reason: string): void {
  draft.effects.push({ type: "revert", atoms, reason });
  setRun(draft, { reverting: draft.loop.run.reverting + 1, integrations: draft.loop.run.integrations + 1 });
}
