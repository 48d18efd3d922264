/** Words that the world and those who look at it share. */
import type { Loop } from "../../src/core/loop.ts";
import type * as ports from "../../world/ports.ts";
import type { DeathPoint } from "./disk.ts";

/** What comes of what is done, writing included. */
export interface Fate extends ports.Fate {
  dies(point: DeathPoint): boolean;
  writing_ms(): number;
  isFull(): boolean;
}

export type LifeEnd =
  | { readonly kind: "halted"; readonly loop: Loop }
  | { readonly kind: "crashed" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** There was nothing to run: the loop is completed. */
  | { readonly kind: "refused" };
