/** What a run of a phase loop is reported, and how it answers (SPEC sections 9 and 11). */
import type { Check, Outcome } from "../core/state.ts";
import type { Autonomy } from "./core/definition.ts";
import type { GateAnswer } from "./core/history.ts";
import type { PhaseLoop } from "./core/state.ts";
import type { NotifyOptions } from "../run/notify.ts";
import type { NoRun, RunOptions, RunWatch } from "../run/options.ts";
import type { Spent } from "./phase-budget.ts";

export interface PhasesRunOptions {
  /** Of the phase loop. */
  readonly stateFile: string;
  /** How each phase is worked; `settings` are limits of all phases and gates together. */
  readonly run: Omit<RunOptions, "stateFile" | "restart" | "notify" | "reports" | "take_over">;
  readonly notify?: Omit<NotifyOptions, "cwd">;
  /** Folders with skills, before the usual ones. */
  readonly skills: readonly string[];
  /** In the place of the definition's own. */
  readonly autonomy?: Autonomy;
  /** Further checks, by gate. */
  readonly checks: ReadonlyMap<string, readonly Check[]>;
  /** What the loop is about, from now on. */
  readonly task?: string;
  /** A human's decision on a loop that is over. */
  readonly reopen?: "retry" | "restart";
  /** Stays at a gate that waits for a person, and goes on once it is answered. */
  readonly wait: boolean;
  /** Commands in words as they have to be typed by whoever started the run; absent: as they are. */
  readonly typed?: (words: string) => string;
}

export interface PhasesWatch extends RunWatch {
  /** Something of the phase loop itself. */
  tell(message: string): void;
}

export interface WorkedPhase {
  readonly phase: string;
  /** State file of the loop that worked it. */
  readonly state_file: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly failures: number;
}

export interface PhasesReport {
  readonly run: string;
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly message: string;
  /** What to type next. */
  readonly next_step: string;
  /** The loop as it is. */
  readonly loop: PhaseLoop;
  /** The gate that waits for a person; null: none does. */
  readonly gate: string | null;
  /** The phases that this run worked, in the order of work. */
  readonly worked: readonly WorkedPhase[];
  readonly answers: readonly GateAnswer[];
  /** By all runs since the loop began. */
  readonly spent: Spent;
  readonly notes: readonly string[];
}

export type PhasesEnd = { readonly ok: true; readonly exit_code: number; readonly report: PhasesReport } | NoRun;
