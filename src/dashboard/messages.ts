/** What a page gets, message by message (SPEC section 10). Types only: the page's sources read them, too. */
import type { State } from "../core/state.ts";
import type { AnyLine } from "../core/journal-line.ts";
import type { StateChange } from "./state.ts";

/** Of an AoT loop. */
export type FeedMessage =
  | { readonly kind: "state"; readonly state: State }
  | { readonly kind: "change"; readonly change: StateChange }
  /** `anew`: what was reported before is not to be kept: another goal, or a page that came again. */
  | {
      readonly kind: "lines";
      readonly lines: readonly AnyLine[];
      readonly anew: boolean;
      /** Older ones that are not reported. */
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
