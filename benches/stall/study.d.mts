/** What the tests see of the study. */
import type { Outcome, State } from "../../src/core/state.ts";
import type * as machine from "../machine.ts";

export type Engine = typeof machine;

/** A fold over the facts of a run; its count is compared with `max_stall_count`. Opaque to the tests. */
export interface Rule {
  readonly start: unknown;
}

export interface Scenario {
  readonly name: string;
  readonly behaviour: string;
  readonly seed: number;
  readonly hopeless: boolean;
  readonly slots: number;
  /** `max_stall_count`. */
  readonly limit: number;
  /** `max_iterations`. */
  readonly fuel: number;
  readonly state: State;
}

export interface Worked {
  readonly outcome: Outcome;
  readonly iterations: number;
  readonly onset: number | null;
  readonly alarmed: ReadonlySet<string>;
}

export interface Labelled extends Scenario {
  readonly onset: number | null;
  readonly free: Worked;
}

export interface Trial {
  readonly behaviour: string;
  readonly limit: number;
  readonly slots: number;
  readonly hopeless: boolean;
  readonly onset: number | null;
  readonly outcome: Outcome;
  readonly stopped: boolean;
  readonly iterations: number;
}

export interface Tally {
  readonly runs: number;
  readonly hopeless: number;
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
  readonly early: number;
  readonly precision: number;
  readonly recall: number;
  readonly wasted: number;
  readonly spent: number;
}

export const BEHAVIOURS: readonly string[];
export const APART: readonly string[];
export const COMBINATIONS: number;
export const SPECIFIED: Rule;
export const RULES: Readonly<Record<string, Rule | undefined>>;

export function work(
  engine: Engine,
  scenario: Scenario,
  limits: { readonly fuel: number; readonly stall: number; readonly resumed?: boolean },
  rule?: Rule,
): Worked;
export function labelled(engine: Engine, behaviour: string, number: number): Labelled;
export function trialOf(engine: Engine, scenario: Labelled, rule?: Rule): Trial;
export function trials(
  engine: Engine,
  count: number,
  rules?: Readonly<Record<string, Rule | undefined>>,
  from?: { readonly first?: number; readonly behaviours?: readonly string[] },
): Readonly<Record<string, readonly Trial[]>>;
export function tallyOf(trials: readonly Trial[]): Tally;
export function intervalOf(part: number, total: number): readonly [number, number] | null;
