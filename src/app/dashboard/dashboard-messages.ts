/** What a page is told, message by message (SPEC section 10). Types only: the page's sources read them, too. */
import type { AnyLine } from "../../core/journal-line.ts";
import type { Refusal, TaskView, WorkerView } from "../../loop/engine.ts";
import type { Action } from "../../phases/action.ts";
import type { LoopDefinition } from "../../phases/definition.ts";
import type { PhaseLoop } from "../../phases/state.ts";
import type { WatchedLoop } from "../engine/engine-watch.ts";
import type { StateChange, WireState } from "./dashboard-state.ts";

/** Of an AoT loop. */
export type FeedMessage =
  | { readonly kind: "state"; readonly state: WireState }
  | { readonly kind: "change"; readonly change: StateChange }
  /** `anew`: what was told before is not to be kept: another goal, or a page that came again. */
  | {
      readonly kind: "lines";
      readonly lines: readonly AnyLine[];
      readonly anew: boolean;
      /** Older ones that are not told. */
      readonly left_out: number;
    }
  /** Who works the loop; null: nobody. */
  | { readonly kind: "runner"; readonly pid: number | null; readonly since: string | null }
  | HostedMessage
  | ProblemMessage;

/** Of a loop that an engine works: who does what. */
export interface HostedMessage {
  readonly kind: "hosted";
  readonly engine: string;
  readonly working: readonly TaskView[];
  readonly reruns: number;
  readonly refused: readonly Refusal[];
  /** Why the engine does not answer; null: it does. */
  readonly away: string | null;
}

/** Of an engine: all of its loops and workers. */
export interface EngineMessage {
  readonly kind: "engine";
  readonly engine: string;
  /** `key` names the loop in addresses. */
  readonly loops: readonly (WatchedLoop & { readonly key: string })[];
  /** Loops that are not told, because there are too many. */
  readonly left_out: number;
  readonly workers: readonly WorkerView[];
  /** When the engine answered last; null: never. */
  readonly seen_at: string | null;
  readonly away: string | null;
}

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
  readonly lines: readonly AnyLine[];
}
