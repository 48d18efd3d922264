/** What the tests see of the study. */
import type { Outcome } from "../../src/core/state.ts";
import type * as machine from "../machine.ts";

export type Engine = typeof machine;

export interface World {
  readonly name: string;
  readonly family: string;
  readonly hopeless?: true;
  readonly planner?: "none";
}

export interface Worked {
  readonly reached: boolean;
  readonly attempts: number;
  readonly cost: number;
}

export const WORLDS: readonly World[];
export const MOST_ATTEMPTS: number;
export function work(
  engine: Engine,
  world: World,
  seed: number,
): Promise<Worked & { readonly outcome: Outcome; readonly hardest: number }>;
export function workPlain(engine: Pick<Engine, "briefText">, world: World, seed: number): Worked;
export function workOracle(world: World, seed: number): Worked & { readonly finding: number };
