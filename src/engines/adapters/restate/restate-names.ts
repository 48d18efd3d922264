/** What the loops' services are called in Restate, and what crosses it: JSON, as everywhere. */
import type { LoopTerms } from "../../../loop/engine.ts";
import type { Claim, Report, Task } from "../../../loop/hosted-loop.ts";
import type { LoopRecord } from "../../../loop/loop-record.ts";

/** One object per loop: its state, and its one writer. */
export const LOOP = "AotLoop";
/** One object per loop: whoever changes its integration branch, one at a time. */
export const LINE = "AotLine";
/** Attempts, checks and plans: on any worker. */
export const TASK = "AotTask";
/** One object: the names of all loops. */
export const LOOPS = "AotLoops";
export const ALL = "all";

/** Restate pauses a call that failed 70 times (some ten minutes without a worker) until a person resumes it. Ours wait. */
export const PATIENCE = { maxAttempts: 1_000_000_000, maxInterval: 10_000 } as const;

export interface TaskCall {
  readonly loop: string;
  readonly task: Task;
  /** How often a place threw over it before; absent: never. */
  readonly thrown?: number;
}

export interface ClaimCall {
  readonly task: string;
  readonly worker: string;
  /** The invocation, by which it can be aborted. */
  readonly call: string;
  /** The worker's time, ISO 8601. */
  readonly at: string;
}

/** `at`: the worker's time, ISO 8601. */
export type SettleCall = Report & { readonly at: string };

/** A worker whose work the remote refused, because another run has replaced it. */
export interface LateCall {
  readonly task: string;
  readonly run: number;
  readonly reason: string;
}

/** Who may begin a task learns from the loop what it takes to perform it. */
export type ClaimAnswer =
  | (Extract<Claim, { ok: true }> & { readonly record: LoopRecord; readonly terms: LoopTerms })
  | Extract<Claim, { ok: false }>;

/** What a handler is sent by another one. */
export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
