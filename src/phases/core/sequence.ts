/**
 * The order of a loop: each phase, then the gates after it in the file's order.
 *
 * SEQUENCE-1 what holds up the next phase is a required gate that is not settled: an optional one holds up nothing;
 * SEQUENCE-2 a loop is not over while a gate is left that failed, or that a program can decide.
 */
import { gatesAfter, type LoopDefinition } from "./definition.ts";
import { isOver, isSettled, type GateState, type PhaseLoop, type PhaseState } from "./state.ts";

/** What is in the way of a phase or a gate. */
export type Blocker = { readonly phase: PhaseState } | { readonly gate: GateState };

/** The first phase before `name` that is not over, or gate before it that holds it up; null: it may begin. */
export function blockerOfPhase(definition: LoopDefinition, loop: PhaseLoop, name: string): Blocker | null {
  for (const phase of definition.phases) {
    if (phase.name === name) return null;
    const blocker = openPhase(loop, phase.name) ?? openGate(definition, loop, phase.name);
    if (blocker !== null) return blocker;
  }
  return null;
}

/** As `blockerOfPhase`; the gate's own phase counts, and so do the gates that are before it after the same phase. */
export function blockerOfGate(definition: LoopDefinition, loop: PhaseLoop, id: string): Blocker | null {
  const after = definition.gates.find((gate) => gate.id === id)?.after ?? "";
  return blockerOfPhase(definition, loop, after) ?? openPhase(loop, after) ?? openGate(definition, loop, after, id);
}

/** The first gate whose turn has come and that is left to decide; null: none. */
export function gateAhead(definition: LoopDefinition, loop: PhaseLoop): GateState | null {
  const found = definition.gates.find((gate) => {
    const state = gateIn(loop, gate.id);
    return state !== undefined && isLeft(state) && blockerOfGate(definition, loop, gate.id) === null;
  });
  return found === undefined ? null : (gateIn(loop, found.id) ?? null);
}

/** The phase that is worked, else the first that is pending; null: none is left. */
export function currentPhase(loop: PhaseLoop): PhaseState | null {
  return (
    loop.phases.find((phase) => phase.status === "active") ??
    loop.phases.find((phase) => phase.status === "pending") ??
    null
  );
}

/** Every phase is over, and no gate is left to decide. */
export function isDone(loop: PhaseLoop): boolean {
  return loop.phases.every(isOver) && !loop.gates.some(isLeft);
}

/** SEQUENCE-1. */
function holdsUp(gate: GateState): boolean {
  return gate.required && !isSettled(gate);
}

/** SEQUENCE-2. What is optional and for a human alone waits for nobody. */
function isLeft(gate: GateState): boolean {
  return !isSettled(gate) && (gate.required || gate.status === "failed" || gate.approvalType !== "human");
}

export function phaseIn(loop: PhaseLoop, name: string): PhaseState | undefined {
  return loop.phases.find((phase) => phase.name === name);
}

export function gateIn(loop: PhaseLoop, id: string): GateState | undefined {
  return loop.gates.find((gate) => gate.id === id);
}

function openPhase(loop: PhaseLoop, name: string): Blocker | null {
  const phase = phaseIn(loop, name);
  return phase === undefined || isOver(phase) ? null : { phase };
}

/** @param until only those before this one */
function openGate(definition: LoopDefinition, loop: PhaseLoop, after: string, until?: string): Blocker | null {
  for (const { id } of gatesAfter(definition, after)) {
    if (id === until) return null;
    const gate = gateIn(loop, id);
    if (gate !== undefined && holdsUp(gate)) return { gate };
  }
  return null;
}
