/**
 * A loop definition as the phase loop understands it (SPEC section 11). What else stands in a `loop.json` is not
 * here and not lost: the file itself is kept, byte for byte, beside the state that was made from it.
 */

/** Who lets a gate pass. `automated` in a file means `auto`. */
export type ApprovalType = "human" | "conditional" | "auto";

export interface Skill {
  readonly id: string;
  readonly required: boolean;
}

export interface Phase {
  readonly name: string;
  readonly required: boolean;
  readonly skills: readonly Skill[];
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
  /** At least one; their order is the order of work. */
  readonly phases: readonly Phase[];
  /** In the file's order, which is the order of those that stand after one phase. */
  readonly gates: readonly Gate[];
}

/** The gates after a phase, in the file's order. */
export function gatesAfter(definition: LoopDefinition, phase: string): readonly Gate[] {
  return definition.gates.filter((gate) => gate.after === phase);
}
