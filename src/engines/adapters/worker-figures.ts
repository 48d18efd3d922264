/**
 * What a worker is doing and has done, in figures (SPEC section 13). Kinds of tasks and of ends are closed lists: what is
 * counted does not grow with loops.
 */
import type { Report, Task } from "../../loop/hosted-loop.ts";
import type { Slots } from "./slots.ts";
import type { WorkerView } from "../../loop/engine.ts";

export interface WorkerFigures {
  readonly slots: number;
  /** Tasks that hold a slot, and that wait for one. */
  working: number;
  waiting: number;
  readonly begun: Map<string, number>;
  /** By what a task reported at its end: `work_succeeded`, `attempt_failed`, `thrown` ... */
  readonly ended: Map<string, number>;
  /** Seconds that tasks waited for a slot: how many waited at most so long, and all together. */
  readonly wait: { readonly counts: number[]; sum: number; count: number };
}

export const WAIT_BOUNDS_S = [0.1, 1, 10, 60, 600, 3_600] as const;

export function createFigures(slots: number): WorkerFigures {
  return {
    slots,
    working: 0,
    waiting: 0,
    begun: new Map(),
    ended: new Map(),
    wait: { counts: WAIT_BOUNDS_S.map(() => 0), sum: 0, count: 0 },
  };
}

/** The same slots, counted. @param now milliseconds on a clock that never jumps */
export function countedSlots(slots: Slots, figures: WorkerFigures, now: () => number): Slots {
  return {
    take: async (signal) => {
      const from = now();
      figures.waiting++;
      const free = await slots.take(signal).finally(() => figures.waiting--);
      if (free === null) return null;
      noteWait(figures, (now() - from) / 1_000);
      figures.working++;
      let given = false;
      return () => {
        if (!given) figures.working--;
        given = true;
        free();
      };
    },
  };
}

function noteWait({ wait }: WorkerFigures, seconds: number): void {
  wait.sum += seconds;
  wait.count++;
  for (const [index, bound] of WAIT_BOUNDS_S.entries())
    if (seconds <= bound) wait.counts[index] = (wait.counts[index] ?? 0) + 1;
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

// What a worker tells of itself, whichever engine it is; the time is the engine's.

export type Beat = Omit<WorkerView, "seen_at">;
