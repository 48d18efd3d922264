/** Words that the world and those who look at it share. */
import type { Attempt } from "../../src/core/effect.ts";
import type { Loop } from "../../src/core/loop.ts";
import type { Passed } from "../../src/core/verdict.ts";
import type { AgentAnswer, AgentRequest, Integration } from "../../src/loop/ports.ts";
import type { DeathPoint } from "./disk.ts";

/** What comes of what is done. */
export interface Fate {
  agent(request: AgentRequest, aborted: boolean): AgentAnswer;
  integration(attempt: Attempt): Exclude<Integration["kind"], "integrated"> | "integrated";
  passed(): Passed;
  isTampered(): boolean;
  /** Atoms among these whose work could not stand without what is taken out. */
  lost(atoms: readonly string[]): readonly string[];
  isKept(): boolean;
  dies(point: DeathPoint): boolean;
  writing_ms(): number;
  isFull(): boolean;
}

export type Port =
  | "start"
  | "agent"
  | "planner"
  | "integrate"
  | "shelve"
  | "revert"
  | "tampered"
  | "checkout"
  | "verify"
  | "release";

/** One call of a port. */
export interface Call {
  readonly port: Port;
  readonly label: string;
  readonly attempt?: string;
  readonly atoms?: readonly string[];
  readonly request?: AgentRequest;
  readonly signal?: AbortSignal;
  /** Let go: what it does is done, or under way. */
  begun: boolean;
  /** What a crash cannot undo any more. */
  readonly land?: () => unknown;
}

export type LifeEnd =
  | { readonly kind: "halted"; readonly loop: Loop }
  | { readonly kind: "crashed" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** There was nothing to run: the loop is completed. */
  | { readonly kind: "refused" };
