/** The messages from server to page (SPEC section 10). Types only, since the page's sources import them, too. */
import type { State } from "../core/state.ts";
import type { AnyLine } from "../core/journal-line.ts";
import type { StateChange } from "./state.ts";

/** About an AoT loop. */
export type FeedMessage =
  | { readonly kind: "state"; readonly state: State }
  | { readonly kind: "change"; readonly change: StateChange }
  /** `anew`: forget earlier lines (another goal, or a page that reconnected). */
  | {
      readonly kind: "lines";
      readonly lines: readonly AnyLine[];
      readonly anew: boolean;
      /** How many older lines are not kept: the page drops those of them that it has (SHELF-2). */
      readonly left_out: number;
    }
  /** The process that runs the loop; null: none. */
  | { readonly kind: "runner"; readonly pid: number | null; readonly since: string | null }
  | ProblemMessage;

/** Why the loop's file cannot be read; null: it can. */
export interface ProblemMessage {
  readonly kind: "problem";
  readonly message: string | null;
}
