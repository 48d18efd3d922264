/** A run of a phase loop while it is running, and where it comes to rest (see phases-run.ts). */
import { accepted, type Result } from "../core/problem.ts";
import type { Outcome } from "../core/state.ts";
import { appendByHand } from "../edit/edit-loop.ts";
import { systemClock } from "../project/clock.ts";
import type { Action } from "./core/action.ts";
import { nextOf } from "./next.ts";
import type { PhasesRunOptions, PhasesWatch, WorkedPhase } from "./run-options.ts";
import type { Stopper } from "./stopper.ts";
import { actOnPhases } from "./answer.ts";
import type { NoRun } from "../run/options.ts";

/** One run, and what it has come to so far. */
export interface PhaseRun {
  readonly id: string;
  readonly options: PhasesRunOptions;
  readonly watch: PhasesWatch;
  readonly stopper: Stopper;
  readonly worked: WorkedPhase[];
  readonly notes: string[];
  /** Somebody asked for a pause. */
  paused: boolean;
}

/** Where a run comes to rest. */
export interface Halt {
  readonly ok: true;
  readonly outcome: Outcome;
  readonly message: string;
  readonly next_step: string;
  /** The gate that it is about. */
  readonly gate?: string;
  /** A person's answer to that gate lets it go on. */
  readonly waits?: true;
}

export function halted(outcome: Outcome, message: string, next_step: string = nextOf(outcome)): Halt {
  return { ok: true, outcome, message, next_step };
}

/** Its fuel is used up. */
export function spent({ outcome, message }: { readonly outcome: Outcome; readonly message: string }): Halt {
  return halted(outcome, message, "give it more (a larger --max-...), then `aot phases run`");
}

/** Tells its journal. @returns why that could not be written; empty: it was */
export function tellJournal({ id, options }: PhaseRun, event: object): readonly string[] {
  return appendByHand(options.stateFile, [{ time: systemClock.now(), run: id, iteration: 0, ...event }]);
}

/** Null: it was accepted. */
export async function act(run: PhaseRun, action: Action): Promise<NoRun | null> {
  const choose = (): Result<Action> => accepted(action);
  const done = await actOnPhases(run.options.stateFile, choose, { run: run.id });
  if (!done.ok) return { ok: false, exit_code: 1, problems: done.problems };
  run.notes.push(...done.value.notes);
  return null;
}
