/**
 * What a worker is doing and has done, in figures (SPEC section 13). Kinds of tasks and of ends are closed lists: what is
 * counted does not grow with loops.
 */
import type { Report, Task } from "../../loop/hosted-loop.ts";
import type { WorkerView } from "../../loop/engine.ts";

export interface WorkerFigures {
  /** Tasks that are performed side by side at most. */
  readonly slots: number;
  /** Tasks that are performed. */
  working: number;
  readonly begun: Map<string, number>;
  /** By what a task reported at its end: `work_succeeded`, `attempt_failed`, `thrown` ... */
  readonly ended: Map<string, number>;
}

export function createFigures(slots: number): WorkerFigures {
  return { slots, working: 0, begun: new Map(), ended: new Map() };
}

export function noteBegun({ begun }: WorkerFigures, { effect }: Task): void {
  begun.set(effect.type, (begun.get(effect.type) ?? 0) + 1);
}

/** What stands last is how it ended; null: it was thrown, and is tried again. */
export function noteEnded({ ended }: WorkerFigures, report: Pick<Report, "entries"> | null): void {
  const last = report?.entries.findLast((entry) => "type" in entry);
  const how = report === null ? "thrown" : last !== undefined && "type" in last ? last.type : "none";
  ended.set(how, (ended.get(how) ?? 0) + 1);
}

/** What a worker tells of itself; the time is the engine's. */
export type Beat = Omit<WorkerView, "seen_at">;
