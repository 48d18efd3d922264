/** A loop of an engine in one line: what lists and pages show of it (SPEC section 13). Pure. */
import { graphOf } from "../core/graph.ts";
import { measureOf } from "../core/view.ts";
import type { LoopView } from "./engine.ts";

export interface LoopRow {
  readonly loop: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly goal: string;
  readonly iteration: number;
  /** `M`. */
  readonly unresolved: number;
  readonly attempts: number;
  readonly cost_usd: number;
  readonly working: LoopView["working"];
  readonly reruns: number;
  readonly refused: number;
}

export function rowOf({ loop, state, attempts, cost_usd, working, reruns, refused }: LoopView): LoopRow {
  const { status, outcome, iteration } = state.control;
  return {
    loop,
    status,
    outcome: outcome ?? null,
    goal: state.objective.goal,
    iteration,
    unresolved: measureOf(state, graphOf(state)),
    attempts,
    cost_usd,
    working,
    reruns,
    refused: refused.length,
  };
}
