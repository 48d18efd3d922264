/**
 * The reducer: what an event does to a loop, and what the world has to do next. No clock, no I/O; the
 * same loop and event give the same step. Replaying a journal's events gives the loop again.
 *
 * The invariants are in the headers of the files that keep them: converge, progress, backtrack, schedule, apply-redirect,
 * verdict, fate.
 */
import { advance } from "./advance.ts";
import { handleAttempt, isTimely, reverted, reopenLost, resolve } from "./attempt-end.ts";
import { advised } from "./question.ts";
import { checked, replanned } from "./base-case-end.ts";
import type { Event, AdoptedWork } from "./event.ts";
import { requestRedirect } from "./interruption.ts";
import { charged, createRun, tokensOf, remembered, type Loop, type Step } from "./loop.ts";
import { setControl, setRun, openDraft, endCall, askRevert, restructure, type StepDraft } from "./step-draft.ts";
import { isLive, isRacing } from "./fate.ts";
import { isContainer } from "./graph.ts";
import { wakeAtDeadline } from "./schedule.ts";
import { INITIAL_CONTROL, type Atom } from "./state.ts";
import { settleContainers } from "./view.ts";
import { at } from "./vec.ts";
import type { Effect } from "./effect.ts";
import { linesOf, type JournalLine, type Mark } from "./journal-line.ts";

/** SPEC section 4: all transitions are functions of (loop, event); the event carries the time. */
export function step(loop: Loop, event: Event): Step {
  const begins = event.type === "run_started";
  if (loop.run.halted !== null && !begins) return { loop, effects: [], facts: [] };
  const draft = openDraft(begins ? { ...loop, run: createRun() } : loop, event.at);
  handle(draft, event);
  advance(draft);
  return { loop: draft.loop, effects: draft.effects, facts: draft.facts };
}

function handle(draft: StepDraft, event: Event): void {
  if ("usage" in event) {
    const { cost_usd, tokens } = draft.loop.run;
    setRun(draft, { cost_usd: charged(cost_usd, event.usage), tokens: tokens + tokensOf(event.usage) });
  }
  if ("attempt" in event) {
    const running = draft.loop.run.attempts.find((candidate) => candidate.attempt.id === event.attempt);
    if (running !== undefined && isTimely(running, event)) handleAttempt(draft, running, event);
    return;
  }
  switch (event.type) {
    case "run_started":
      return start(draft, event);
    case "work_reverted":
      return reverted(draft, event.lost);
    case "base_case_checked":
      return checked(draft, event);
    case "replanned":
      return replanned(draft, event);
    case "advised":
      return advised(draft, event);
    case "background_aborted":
      return setRun(draft, event.call === "check" ? { check: null } : { planner: null });
    case "stop_requested":
      // A stop goes before a verdict: nobody waits for one that comes too late.
      endCall(draft, "check");
      return setControl(draft, {
        stop_requested: true,
        stop_reason: event.reason === "" ? draft.loop.state.control.stop_reason : event.reason,
      });
    case "redirect_requested":
      return requestRedirect(draft, event.redirect);
    case "hold_changed":
      return setRun(draft, { held: event.held });
    case "tampered":
      return setRun(draft, { check: null, tampered: event.files });
    case "time_passed":
      return;
  }
}

function start(draft: StepDraft, event: Extract<Event, { type: "run_started" }>): void {
  const { state } = draft.loop;
  const cleared =
    event.from === "halted" ? { stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 } : {};
  const control = {
    ...INITIAL_CONTROL,
    ...state.control,
    ...cleared,
    status: "running" as const,
    redirect_requested: false,
  };
  const next = { ...state, atoms: withoutOrphans(state.atoms), control };
  restructure(draft, settleContainers(next).board.state);
  setRun(draft, {
    ...remembered(event.memory, draft.loop),
    ...(event.forget_answers === true ? { answers: [], judged: [] } : {}),
    id: event.run,
    settings: event.settings,
    started_at: event.at,
  });
  reopenLost(draft, event.lost ?? []);
  if (event.revert !== undefined) askRevert(draft, event.revert, "given up before this run");
  for (const work of event.integrated ?? []) adopt(draft, work);
  wakeAtDeadline(draft);
}

/** An orphan of a run that died is pending again (SPEC section 8). */
function withoutOrphans(atoms: readonly Atom[]): readonly Atom[] {
  return atoms.map((atom) => (atom.status === "in_progress" ? { ...atom, status: "pending" } : atom));
}

/**
 * Work that the integration branch holds although the state did not say so: a crash came between the two.
 * That of a choice given up meanwhile is taken out (BACKTRACK-2): its revert was asked for and not done.
 */
function adopt(draft: StepDraft, { atom, summary, artifacts, stale }: AdoptedWork): void {
  const { state, view } = draft.loop;
  const index = view.graph.indexOf.get(atom);
  if (index === undefined || at(state.atoms, index).status === "resolved" || isContainer(view.graph, index)) return;
  if (stale !== true && (isLive(state, view.graph, index) || isRacing(state, view.graph, index)))
    return resolve(draft, index, { summary, artifacts });
  askRevert(draft, [atom], `${atom} is at or below a choice that was given up`);
}

// The machine of a loop: something comes in; the loop, the lines of its journal and what the world has to do come out. Its hosts
// (`loop/coordinator.ts`, `session.ts`, `loop/hosted-loop.ts`) decide nothing.

export interface Moved {
  readonly loop: Loop;
  readonly lines: readonly JournalLine[];
  readonly effects: readonly Effect[];
}

/**
 * Takes in an event, or a mark for the journal.
 * @param at time of a mark, ISO 8601; an event has its own
 */
export function moved(loop: Loop, entry: Event | Mark, at: string): Moved {
  if ("event" in entry) {
    const line = { time: at, run: loop.run.id, iteration: loop.state.control.iteration, ...entry };
    return { loop, lines: [line], effects: [] };
  }
  const next = step(loop, entry);
  return { loop: next.loop, lines: linesOf(loop, entry, next), effects: next.effects };
}
