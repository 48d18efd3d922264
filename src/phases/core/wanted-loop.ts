/** A loop definition that is to be made. */
import type { ApprovalType, Autonomy } from "./definition.ts";

export interface WantedPhase {
  readonly name: string;
  readonly required: boolean;
  readonly skills: readonly string[];
}

export interface WantedGate {
  readonly id: string;
  readonly required: boolean;
  readonly approval: ApprovalType;
  readonly after: string;
  readonly deliverables: readonly string[];
  /** Commands that have to succeed. */
  readonly checks: readonly string[];
}

export interface WantedCheck {
  readonly gate: string;
  readonly command: string;
}

export interface WantedLoop {
  readonly id: string;
  readonly name?: string;
  readonly mode: string;
  /** Absent: supervised. */
  readonly autonomy?: Autonomy;
  readonly phases: readonly WantedPhase[];
  readonly gates: readonly WantedGate[];
}
