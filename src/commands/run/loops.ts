import { viewsOf } from "../../app/engine/engine-loop.ts";
import { rowOf, type LoopRow } from "../../loop/loop-row.ts";
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

function lineOf({ loop, status, outcome, goal, unresolved, working, reruns }: LoopRow): string {
  const now = working.map(({ task, worker }) => (worker === null ? task : `${task} on ${worker}`)).join(", ");
  const parts = [
    `${status}${outcome === null ? "" : ` (${outcome})`}`,
    `${unresolved} left`,
    ...(now === "" ? [] : [now]),
    ...(reruns === 0 ? [] : [`${reruns} begun again`]),
  ];
  return `${loop}  ${parts.join(" · ")}\n  ${goal}`;
}
