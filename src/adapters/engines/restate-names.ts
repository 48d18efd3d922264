/** What the loops' services are called in Restate, and what crosses it: JSON, as everywhere. */
import type { LoopTerms } from "../../loop/engine.ts";
import type { Task } from "../../loop/hosted-loop.ts";
import type { LoopRecord } from "../../loop/loop-record.ts";

/** One object per loop: its state, and its one writer. */
export const LOOP = "AotLoop";
/** One object per loop: whoever changes its integration branch, one at a time. */
export const LINE = "AotLine";
/** Attempts, checks and plans: on any worker. */
export const TASK = "AotTask";
/** One object: the names of all loops. */
export const LOOPS = "AotLoops";
export const ALL = "all";

export interface TaskCall {
  readonly loop: string;
  readonly task: Task;
}

export interface ClaimCall {
  readonly task: string;
  readonly worker: string;
}

/** What a worker has to know of a loop to perform a task of it. */
export interface LoopFacts {
  readonly record: LoopRecord;
  readonly terms: LoopTerms;
}

/** What a handler is sent by another one. */
export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
