/** What a page is told, message by message (SPEC section 10). Types only: the page's sources read them, too. */
import type { Action } from "../../phases/action.ts";
import type { LoopDefinition } from "../../phases/definition.ts";
import type { PhaseLoop } from "../../phases/state.ts";
import type { Line } from "./dashboard-frames.ts";
import type { StateChange, WireState } from "./dashboard-state.ts";

/** Of an AoT loop. */
export type FeedMessage =
  | { readonly kind: "state"; readonly state: WireState }
  | { readonly kind: "change"; readonly change: StateChange }
  /** `anew`: what was told before is not to be kept: another goal, or a page that came again. */
  | {
      readonly kind: "lines";
      readonly lines: readonly Line[];
      readonly anew: boolean;
      /** Older ones that are not told. */
      readonly left_out: number;
    }
  /** Who works the loop; null: nobody. */
  | { readonly kind: "runner"; readonly pid: number | null; readonly since: string | null }
  | ProblemMessage;

/** Why the loop's file cannot be read; null: it can. */
export interface ProblemMessage {
  readonly kind: "problem";
  readonly message: string | null;
}

/** Of a phase loop, whole. */
export interface PhasesMessage {
  readonly kind: "phases";
  readonly definition: LoopDefinition;
  readonly loop: PhaseLoop;
  /** The gate that holds up the next phase. */
  readonly gate: string | null;
  readonly allowed: readonly Action[];
  /** Breaches of the rules, and what the definition leaves open. */
  readonly problems: readonly string[];
  readonly lines: readonly Line[];
}
