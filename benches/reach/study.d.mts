/** What the tests see of the study. The engine comes in as a parameter: a bench measures what was built, a test the source. */
import type { createLoop } from "../../src/core/loop.ts";
import type { Outcome } from "../../src/core/state.ts";
import type { vecOf } from "../../src/core/vec.ts";
import type { judge } from "../../src/core/verdict.ts";
import type { briefText } from "../../src/loop/brief.ts";
import type { createCoordinator } from "../../src/loop/coordinator.ts";

export interface Engine {
  readonly createCoordinator: typeof createCoordinator;
  readonly createLoop: typeof createLoop;
  readonly judge: typeof judge;
  readonly vecOf: typeof vecOf;
  readonly briefText: typeof briefText;
}

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
export function work(engine: Engine, world: World, seed: number): Promise<Worked & { readonly outcome: Outcome }>;
export function workPlain(engine: Pick<Engine, "briefText">, world: World, seed: number): Worked;
export function workOracle(world: World, seed: number): Worked;
