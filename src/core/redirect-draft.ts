/** What a redirect makes of a state, before it is recorded and checked (SPEC section 8). */
import type { Fact } from "./effect.ts";
import type { Nogood } from "./event.ts";
import type { Correction, State, TrailEntry } from "./state.ts";

/** `revert`: atoms whose integrated work has to be taken out, by id. */
export interface Draft {
  readonly state: State;
  readonly description: string;
  readonly facts?: readonly Fact[];
  readonly revert?: readonly string[];
  readonly confirmed?: Correction["confirmed"];
  /** What the atoms' next attempts have to know. */
  readonly lessons?: readonly Nogood[];
}

export function withReason(description: string, reason: string): string {
  return reason === "" ? description : `${description} (${reason})`;
}

export function note(reason: string, timestamp: string): TrailEntry {
  return { type: "user_correction", reason, timestamp };
}
