/** Where a loop goes on (seed phase-state-schema, "Resume Logic", steps 2 to 5; step 1 is reading the file). Pure. */
import { accepted, type Result } from "../../core/problem.ts";
import { apply } from "./apply.ts";
import type { LoopDefinition } from "./definition.ts";
import { currentPhase, gateAhead } from "./sequence.ts";
import type { GateState, PhaseLoop, PhaseState } from "./state.ts";

export interface Resumption {
  readonly loop: PhaseLoop;
  /** The phase to go on with; null: none is left, a gate alone is open. */
  readonly phase: PhaseState | null;
  /** What has to be decided first; null: the phase can be worked at once. */
  readonly gate: GateState | null;
}

/**
 * @param reopen a person's answer where the loop is over: `retry` a failed one, `restart` a complete one
 * @param now ISO 8601
 */
export function resume(
  definition: LoopDefinition,
  loop: PhaseLoop,
  now: string,
  reopen?: "retry" | "restart",
): Result<Resumption> {
  const resumed = apply(definition, loop, { type: "resume", ...(reopen === undefined ? {} : { reopen }) }, now);
  if (!resumed.ok) return resumed;
  return accepted({
    loop: resumed.value,
    phase: currentPhase(resumed.value),
    gate: gateAhead(definition, resumed.value),
  });
}
