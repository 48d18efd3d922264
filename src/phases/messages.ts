/** What a page gets of a phase loop (SPEC section 10). Types only: the page's sources read them, too. */
import type { AnyLine } from "../core/journal-line.ts";
import type { Action } from "./core/action.ts";
import type { LoopDefinition } from "./core/definition.ts";
import type { PhaseLoop } from "./core/state.ts";

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
  readonly lines: readonly AnyLine[];
}
