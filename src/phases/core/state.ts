/**
 * The state of a phase loop, and its transitions as tables (SPEC section 11, seed phase-state-schema).
 *
 * Keys are spelt as in the state file. Phases, gates and metrics are lists here, since an object loses the order of
 * names that look like numbers; the file's order is kept.
 */
import type { ApprovalType } from "./definition.ts";

export const LOOP_STATUSES = ["active", "paused", "complete", "failed"] as const;
export const PHASE_STATUSES = ["pending", "active", "complete", "skipped"] as const;
export const GATE_STATUSES = ["pending", "passed", "skipped", "failed"] as const;

export type LoopStatus = (typeof LOOP_STATUSES)[number];
export type PhaseStatus = (typeof PHASE_STATUSES)[number];
export type GateStatus = (typeof GATE_STATUSES)[number];

type Table<S extends string> = Readonly<Record<S, readonly S[]>>;

/** `resume` reopens a failed or complete loop only when a person says so; that is a new start, no transition. */
export const LOOP_TRANSITIONS: Table<LoopStatus> = {
  active: ["paused", "complete", "failed"],
  paused: ["active"],
  complete: [],
  failed: [],
};
export const PHASE_TRANSITIONS: Table<PhaseStatus> = {
  pending: ["active", "skipped"],
  active: ["complete", "pending"],
  complete: [],
  skipped: [],
};
export const GATE_TRANSITIONS: Table<GateStatus> = {
  pending: ["passed", "skipped", "failed"],
  failed: ["pending", "skipped"],
  passed: [],
  skipped: [],
};

export interface GateState {
  readonly id: string;
  readonly status: GateStatus;
  readonly required: boolean;
  readonly approvalType: ApprovalType;
  readonly deliverables: readonly string[];
  readonly passedAt: string | null;
  readonly skippedReason: string | null;
}

export interface PhaseState {
  readonly name: string;
  readonly status: PhaseStatus;
  readonly required: boolean;
  readonly skills: readonly string[];
  /** Files that were produced. */
  readonly deliverables: readonly string[];
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

/** A free-form counter. */
export interface Metric {
  readonly name: string;
  readonly value: number;
}

export interface PhaseLoop {
  readonly loop: string;
  readonly version: string;
  readonly mode: string;
  /** The phase that is worked, or comes next; the last one when none is left. */
  readonly phase: string;
  readonly status: LoopStatus;
  readonly gates: readonly GateState[];
  readonly phases: readonly PhaseState[];
  /** Those that are numbers; whatever else is in the file stays there. */
  readonly metrics: readonly Metric[];
  readonly started_at: string;
  readonly last_updated: string;
}

/** No work of it is left: complete or skipped. */
export function isOver(phase: PhaseState): boolean {
  return phase.status === "complete" || phase.status === "skipped";
}

/** It is decided: passed or skipped. */
export function isSettled(gate: GateState): boolean {
  return gate.status === "passed" || gate.status === "skipped";
}

export function stateDocument(loop: PhaseLoop): object {
  return {
    ...loop,
    gates: Object.fromEntries(loop.gates.map(({ id, ...gate }) => [id, gate])),
    phases: Object.fromEntries(loop.phases.map(({ name, ...phase }) => [name, phase])),
    metrics: Object.fromEntries(loop.metrics.map(({ name, value }) => [name, value])),
  };
}
