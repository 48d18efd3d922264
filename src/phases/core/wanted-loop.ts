/** A loop definition that is to be made. */
import type { Autonomy, Gate, Phase } from "./definition.ts";

export interface WantedPhase extends Pick<Phase, "name" | "required"> {
  readonly skills: readonly string[];
}

export interface WantedGate extends Pick<Gate, "id" | "required" | "approval" | "after" | "deliverables"> {
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
