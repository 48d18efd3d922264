/**
 * One step in the making: the loop so far, and what it asks and tells. Local to one call of `step`.
 *
 * The loop in it is the step's own copy, and is changed in place: an event changes a dozen fields of it. What the
 * fields hold is immutable and shared with the loop before.
 */
import type { Change } from "./backtrack.ts";
import type { Attempt, Effect, Fact } from "./effect.ts";
import type { Nogood } from "./event.ts";
import { idAt, indexIn } from "./graph.ts";
import {
  lastNogoods,
  memoryOf,
  withState,
  type AtomMemory,
  type Loop,
  type OpenIteration,
  type Run,
  type RunningAttempt,
} from "./loop.ts";
import { moveCompared, moveOpen } from "./progress.ts";
import type { Control, State } from "./state.ts";
import { offered, withAtom, type View } from "./view.ts";
import { at, withAt } from "./vec.ts";
import type { Whole } from "./whole.ts";

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

export function turnOf({ state, view, run }: Loop, now: string): StepDraft {
  return { loop: { state, view, run: draftOf(run, now) }, now, effects: [], facts: [], attempts: null };
}

/** Written out: a spread of so many fields takes twenty times as long, and every event makes one. */
function draftOf(run: Run, now: string): DraftRun {
  return {
    id: run.id,
    settings: run.settings,
    started_at: run.started_at,
    earlier_ms: run.earlier_ms,
    now,
    cost_usd: run.cost_usd,
    tokens: run.tokens,
    deaths: run.deaths,
    memory: run.memory,
    gone: run.gone,
    iterations: run.iterations,
    attempts: run.attempts,
    background: run.background,
    questions: run.questions,
    check_due: run.check_due,
    checked: run.checked,
    answers: run.answers,
    plans: run.plans,
    integrations: run.integrations,
    reverting: run.reverting,
    redirects: run.redirects,
    tampered: run.tampered,
    unavailable: run.unavailable,
    halted: run.halted,
  } satisfies Whole<Run>;
}

export function setRun(turn: StepDraft, change: Partial<Run>): void {
  Object.assign(turn.loop.run, change);
}

export function setControl(turn: StepDraft, change: Partial<Control>): void {
  const { state } = turn.loop;
  turn.loop.state = { ...state, control: { ...state.control, ...change } };
}

/** Credits new work (PROGRESS-2). @param by how much `M` is larger with it */
export function credit(turn: StepDraft, by: number): void {
  setControl(turn, moveCompared(turn.loop.state.control, by));
  setRun(turn, {
    iterations: turn.loop.run.iterations.map((open) => ({ ...moveOpen(open, by), credited: true })),
  });
}

/** Another state of the same structure in which only statuses changed that the view does not count. */
export function setState(turn: StepDraft, state: State): void {
  turn.loop.state = state;
}

/** A state whose structure or selections changed: everything that follows is computed again. */
export function restructure(turn: StepDraft, state: State): void {
  Object.assign(turn.loop, withState(turn.loop, state));
}

export function setMemory(turn: StepDraft, atom: string, change: Partial<AtomMemory>): void {
  const index = indexIn(turn.loop.view.graph, atom);
  setRun(turn, {
    memory: withAt(turn.loop.run.memory, index, { ...at(turn.loop.run.memory, index), ...change }),
  });
}

export function addNogood(turn: StepDraft, nogood: Nogood): void {
  setMemory(turn, nogood.atom, {
    nogoods: lastNogoods(memoryOf(turn.loop, nogood.atom).nogoods, nogood),
  });
}

/** The list of attempts as this turn's own. Whoever goes through it may find one replaced in its place, never moved. */
function ownAttempts(turn: StepDraft): RunningAttempt[] {
  if (turn.attempts === null || turn.attempts !== turn.loop.run.attempts) {
    turn.attempts = turn.loop.run.attempts.slice();
    turn.loop.run.attempts = turn.attempts;
  }
  return turn.attempts;
}

/** One more is under way, in the open iteration. */
export function addAttempt(turn: StepDraft, attempt: Attempt): void {
  ownAttempts(turn).push({ attempt, phase: "working", discarded: false, summary: "", artifacts: [] });
  inIteration(turn, attempt, (open) => ({
    ...open,
    issued: open.issued + 1,
    running: open.running + 1,
    atoms: [...open.atoms, attempt.atom],
  }));
}

function inIteration(turn: StepDraft, { iteration }: Attempt, change: (open: OpenIteration) => OpenIteration): void {
  const { run } = turn.loop;
  run.iterations = run.iterations.map((open) => (open.number === iteration ? change(open) : open));
}

/** The attempt is over: its slot is free and its iteration has one less under way. */
export function settle(turn: StepDraft, running: RunningAttempt): void {
  const { run } = turn.loop;
  // A list of its own: who goes through the attempts may settle one of them.
  const left = run.attempts.slice();
  const place = left.indexOf(running);
  if (place >= 0) left.splice(place, 1);
  turn.attempts = left;
  run.attempts = left;
  inIteration(turn, running.attempt, (open) => ({ ...open, running: open.running - 1 }));
}

/** @param next the same attempt, further on */
export function replaceAttempt(turn: StepDraft, running: RunningAttempt, next: RunningAttempt): void {
  const own = ownAttempts(turn);
  const place = own.indexOf(running);
  if (place >= 0) own[place] = next;
}

/** The atom waits for its next attempt. */
export function putBack(turn: StepDraft, atom: string): void {
  const { graph } = turn.loop.view;
  const index = indexIn(graph, atom);
  setState(turn, withAtom(turn.loop.state, index, { status: "pending" }));
  turn.loop.view = offered(turn.loop.view, index);
}

/**
 * The attempt's result does not count any more. Its agent is killed; one that has ended already is put
 * aside; what is being integrated goes through, and is taken out again by the revert behind it.
 */
export function discard(turn: StepDraft, running: RunningAttempt, reason: string): void {
  if (running.discarded) return;
  const { attempt } = running;
  turn.facts.push({ fact: "attempt_discarded", attempt: attempt.id, atom: attempt.atom, reason });
  if (running.phase === "held") {
    settle(turn, running);
    turn.effects.push({ type: "shelve", attempt, reason });
    return;
  }
  replaceAttempt(turn, running, { ...running, discarded: true });
  if (running.phase === "working") turn.effects.push({ type: "abort_attempt", attempt });
}

/** A redirect ends the attempt: nothing that it did is held against its iteration. */
export function interrupt(turn: StepDraft, running: RunningAttempt): void {
  inIteration(turn, running.attempt, (open) => ({ ...open, interrupted: open.interrupted + 1 }));
  discard(turn, running, "redirected");
}

/** Takes over a change of backtracking: aborts what is below it, asks for the revert, tells the facts. */
export function applyChange(turn: StepDraft, change: Change, reason: string): void {
  const { graph } = turn.loop.view;
  const gone = new Set(change.reset.map((index) => idAt(graph, index)));
  for (const running of turn.loop.run.attempts) if (gone.has(running.attempt.atom)) discard(turn, running, reason);
  restructure(turn, change.state);
  turn.facts.push(...change.facts);
  if (change.revert.length > 0) askRevert(turn, change.revert, reason);
}

export function askRevert(turn: StepDraft, atoms: readonly string[], reason: string): void {
  turn.effects.push({ type: "revert", atoms, reason });
  setRun(turn, {
    reverting: turn.loop.run.reverting + 1,
    integrations: turn.loop.run.integrations + 1,
  });
}
