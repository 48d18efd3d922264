/**
 * What a run of a phase loop does next, from the state alone (SPEC section 11; seed phase-state-schema, "Resume Logic").
 * A run that was killed asks again and goes on. Pure.
 */
import type { LoopDefinition } from "./definition.ts";
import { currentPhase, gateAhead, phaseIn } from "./sequence.ts";
import type { GateState, PhaseLoop, PhaseState } from "./state.ts";

export type NextStep =
  | { readonly kind: "complete" }
  /** Only a person reopens it. */
  | { readonly kind: "closed"; readonly status: "paused" | "failed" }
  | { readonly kind: "start"; readonly phase: PhaseState }
  | { readonly kind: "work"; readonly phase: PhaseState }
  /** The gate is pending and has its turn. */
  | { readonly kind: "gate"; readonly gate: GateState }
  /** The gate failed: the phase before it is worked once more; then the gate is pending again. */
  | { readonly kind: "rework"; readonly gate: GateState; readonly phase: PhaseState }
  /** The gate failed, and the phase before it was skipped: there is no work to do over. */
  | { readonly kind: "stuck"; readonly gate: GateState };

export function nextStep(definition: LoopDefinition, loop: PhaseLoop): NextStep {
  if (loop.status === "complete") return { kind: "complete" };
  if (loop.status !== "active") return { kind: "closed", status: loop.status };
  const gate = gateAhead(definition, loop);
  if (gate !== null) return gate.status === "failed" ? afterFailure(definition, loop, gate) : { kind: "gate", gate };
  const phase = currentPhase(loop);
  // `apply` completes a loop of which nothing is left.
  if (phase === null) return { kind: "complete" };
  return phase.status === "active" ? { kind: "work", phase } : { kind: "start", phase };
}

function afterFailure(definition: LoopDefinition, loop: PhaseLoop, gate: GateState): NextStep {
  const after = definition.gates.find(({ id }) => id === gate.id)?.after ?? "";
  const phase = phaseIn(loop, after);
  return phase?.status === "complete" ? { kind: "rework", gate, phase } : { kind: "stuck", gate };
}
