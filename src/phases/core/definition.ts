/**
 * A loop definition as the phase loop understands it (SPEC section 11). What else is in a `loop.json` is not
 * here and not lost: the file itself is kept, byte for byte, beside the state that was made from it.
 */

import type { Check } from "../../core/state.ts";

/** Who lets a gate pass. `automated` in a file means `auto`. */
export type ApprovalType = "human" | "conditional" | "auto";

/** How much a run decides without a person (`gate-move.ts`); never a required human gate. */
export const AUTONOMIES = ["supervised", "semi-autonomous", "autonomous"] as const;
export type Autonomy = (typeof AUTONOMIES)[number];

export interface Skill {
  readonly id: string;
  readonly required: boolean;
}

export interface Phase {
  readonly name: string;
  readonly required: boolean;
  readonly skills: readonly Skill[];
  /** Files that it leaves behind, beside those that its gates want. */
  readonly deliverables: readonly string[];
  /** What else it has to come to, in words: the agents are asked for it, and nothing checks it. */
  readonly results: readonly string[];
  /** The AoT loop that it is: the JSON text of its objective, as it is in the file. */
  readonly aot?: string;
  readonly notes?: string;
}

export interface Gate {
  readonly id: string;
  readonly name?: string;
  /** The phase that it belongs after. */
  readonly after: string;
  readonly required: boolean;
  readonly approval: ApprovalType;
  readonly deliverables: readonly string[];
  /** What has to pass as well, where the gate is looked at by a program. */
  readonly checks: readonly Check[];
  /** What has to hold, in words: a judge decides, or the person who passes the gate. */
  readonly criteria: readonly string[];
  /** What has to hold for an `auto` gate, in words. */
  readonly auto_check?: string;
  /** When a `conditional` gate passes by itself, in words. */
  readonly condition?: string;
}

export interface LoopDefinition {
  readonly id: string;
  readonly name?: string;
  readonly version: string;
  /** `defaults.mode`; null: the file does not say. */
  readonly mode: string | null;
  /** `defaults.autonomy`. */
  readonly autonomy: Autonomy;
  /** At least one; their order is the order of work. */
  readonly phases: readonly Phase[];
  /** In the file's order, which is the order of those that stand after one phase. */
  readonly gates: readonly Gate[];
}

/** The gates after a phase, in the file's order. */
export function gatesAfter(definition: LoopDefinition, phase: string): readonly Gate[] {
  return definition.gates.filter((gate) => gate.after === phase);
}

/** The files that a phase has to leave behind: its own, and those of the gates after it. */
export function deliverablesOf(definition: LoopDefinition, phase: Phase): readonly string[] {
  const ofGates = gatesAfter(definition, phase.name).flatMap((gate) => gate.deliverables);
  return [...new Set([...phase.deliverables, ...ofGates])];
}
