/** What a rule looks at, and how it answers. */
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import type { Move } from "../moves.ts";
import type { Stepped } from "../../world/world.ts";
import type { Taken } from "../take.ts";
import type { Scene, World } from "../world.ts";

/** One transition: the world before it, the move, the world after it, and the call of `step` in it. */
export interface Observed {
  readonly scene: Scene;
  readonly before: World;
  readonly move: Move;
  readonly after: World;
  readonly stepped: Stepped | null;
}

export function observe(scene: Scene, before: World, move: Move, { world, stepped }: Taken): Observed {
  return { scene, before, move, after: world, stepped };
}

/** `idle`: the rule says nothing about this transition. Anything but these two words is the breach, in words. */
export type Finding = "idle" | "kept" | { readonly breach: string };

export interface Rule {
  readonly id: string;
  /** One sentence: what always holds. */
  readonly says: string;
  /** Where it is written: a section of the specification, or an invariant of ARCHITECTURE.md. */
  readonly source: string;
  /** What it looks at: each transition, or each world once (what it reads is all in the key). */
  readonly of: "transitions" | "worlds";
  check(observed: Observed): Finding;
}

export function breach(words: string): Finding {
  return { breach: words };
}

/** `kept` unless there are words. */
export function keptUnless(words: string | null): Finding {
  return words === null ? "kept" : { breach: words };
}

/** How many agents may work at once, by the state's limit and the run's. */
export function slotsOf({ loop: { state, run } }: World): number {
  return Math.min(state.objective.constraints.max_parallel_agents, run.settings.parallel ?? Infinity);
}

/** Whether a redirect was applied in this transition. */
export function isRedirected(before: State, after: State): boolean {
  return before.corrections.length !== after.corrections.length;
}

/** Whether a person has changed the course of the loop at any time. */
export function wasRedirected({ scene, after }: Observed): boolean {
  return after.hazards.redirects < scene.hazards.redirects;
}

/** Redirects that a step applied, in their order; none where some were refused: which of several is not reported in their order. */
export function appliedIn({ before, after, event, facts }: Stepped): readonly Redirect[] {
  const asked = [...before.run.redirects, ...(event.type === "redirect_requested" ? [event.redirect] : [])];
  const done = asked.slice(0, asked.length - after.run.redirects.length);
  return done.length === facts.filter((fact) => fact.fact === "redirected").length ? done : [];
}

/** Redirects that were applied in this transition, by the run or where nobody works the loop. */
export function redirectsIn({ before, after, move, stepped }: Observed): readonly Redirect[] {
  if (stepped !== null) return appliedIn(stepped);
  return move.kind === "edit" && isRedirected(before.file, after.file) ? [move.redirect] : [];
}
