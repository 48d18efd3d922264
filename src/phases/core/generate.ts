/** The state that a loop begins with (seed phase-state-schema, "Generation Algorithm"). */
import type { LoopDefinition } from "./definition.ts";
import type { PhaseLoop } from "./state.ts";

/** What stands for the mode where neither the definition nor the person says one. */
const NO_MODE = "default";

/**
 * @param now ISO 8601
 * @param mode in the place of the definition's own
 */
export function generate(definition: LoopDefinition, now: string, mode?: string): PhaseLoop {
  return {
    loop: definition.id,
    version: definition.version,
    mode: mode ?? definition.mode ?? NO_MODE,
    phase: definition.phases[0]?.name ?? "",
    status: "active",
    gates: definition.gates.map((gate) => ({
      id: gate.id,
      status: "pending",
      required: gate.required,
      approvalType: gate.approval,
      deliverables: gate.deliverables,
      passedAt: null,
      skippedReason: null,
    })),
    phases: definition.phases.map((phase, index) => ({
      name: phase.name,
      status: index === 0 ? "active" : "pending",
      required: phase.required,
      skills: phase.skills.map((skill) => skill.id),
      deliverables: [],
      startedAt: null,
      completedAt: null,
    })),
    metrics: [],
    started_at: now,
    last_updated: now,
  };
}
