import { viewsOf } from "../owned-loop.ts";
import { waitsOf, type LoopWait } from "../loop-waits.ts";
import { rowOf, type LoopRow } from "../../loop/engine.ts";
import { systemClock } from "../../project/clock.ts";
import { engineOf } from "./call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";

export const run: Run = async (call) => {
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const views = await viewsOf(engine.value);
  if (!views.ok) return failure(views.problems);
  const status = call.text("status");
  const waits = await waitsOf(engine.value, views.value, systemClock.now());
  if (!waits.ok) return failure(waits.problems);
  const loops = views.value
    .map((view) => ({ ...rowOf(view), waiting: waits.value.get(view.loop) ?? [] }))
    .filter((row) => status === undefined || row.status === status);
  const text = loops.length === 0 ? `${engine.value.name} works no such loop` : loops.map(lineOf).join("\n");
  return { exit: 0, json: { success: true, engine: engine.value.name, loops }, text };
};

type Row = LoopRow & { readonly waiting: readonly LoopWait[] };

function lineOf({ loop, status, outcome, goal, unresolved, working, reruns, waiting }: Row): string {
  const waits = new Map(waiting.map(({ task, for: what }) => [task, what]));
  const now = working.map(({ task, worker }) => `${task}${whose(worker, waits.get(task))}`).join(", ");
  const parts = [
    `${status}${outcome === null ? "" : ` (${outcome})`}`,
    `${unresolved} left`,
    ...(now === "" ? [] : [now]),
    ...(reruns === 0 ? [] : [`${reruns} begun again`]),
  ];
  return `${loop}  ${parts.join(" · ")}\n  ${goal}`;
}

function whose(worker: string | null, waits: string | undefined): string {
  const on = worker === null ? "" : ` on ${worker}`;
  return waits === undefined ? on : `${on} waits for ${waits}`;
}
