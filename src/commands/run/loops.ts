import { viewsOf } from "../../app/engine/engine-loop.ts";
import { measureOf } from "../../core/view.ts";
import { graphOf } from "../../core/graph.ts";
import type { LoopView } from "../../loop/engine.ts";
import { engineOf } from "../engine-call.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";

export const run: Run = async (call) => {
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const views = await viewsOf(engine.value);
  if (!views.ok) return failure(views.problems);
  const status = call.text("status");
  const loops = views.value.map(rowOf).filter((row) => status === undefined || row.status === status);
  const text = loops.length === 0 ? `${engine.value.name} works no such loop` : loops.map(lineOf).join("\n");
  return { exit: 0, json: { success: true, engine: engine.value.name, loops }, text };
};

interface Row {
  readonly loop: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly goal: string;
  readonly iteration: number;
  readonly unresolved: number;
  readonly attempts: number;
  readonly cost_usd: number;
  readonly working: LoopView["working"];
  readonly reruns: number;
  readonly refused: number;
}

function rowOf({ loop, state, attempts, cost_usd, working, reruns, refused }: LoopView): Row {
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

function lineOf({ loop, status, outcome, goal, unresolved, working, reruns }: Row): string {
  const now = working.map(({ task, worker }) => (worker === null ? task : `${task} on ${worker}`)).join(", ");
  const parts = [
    `${status}${outcome === null ? "" : ` (${outcome})`}`,
    `${unresolved} left`,
    ...(now === "" ? [] : [now]),
    ...(reruns === 0 ? [] : [`${reruns} begun again`]),
  ];
  return `${loop}  ${parts.join(" · ")}\n  ${goal}`;
}
