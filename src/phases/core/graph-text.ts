/** A phase loop drawn: phases as boxes, gates between them. Pure. */
import { gatesAfter, type LoopDefinition } from "./definition.ts";
import { gateIn, phaseIn } from "./sequence.ts";
import type { GateStatus, PhaseLoop, PhaseStatus } from "./state.ts";

export interface PhaseNode {
  readonly kind: "phase" | "gate";
  /** The phase's name, the gate's id. */
  readonly name: string;
  readonly status: PhaseStatus | GateStatus;
  readonly required: boolean;
  /** A gate's approval type; of a phase its skills, joined. */
  readonly detail: string;
}

/** The loop's nodes in the order of work; each one waits for the one before. */
export function phaseNodes(definition: LoopDefinition, loop: PhaseLoop): readonly PhaseNode[] {
  return definition.phases.flatMap((phase) => [
    {
      kind: "phase" as const,
      name: phase.name,
      status: phaseIn(loop, phase.name)?.status ?? "pending",
      required: phase.required,
      detail: phase.skills.map((skill) => skill.id).join(", "),
    },
    ...gatesAfter(definition, phase.name).map((gate) => ({
      kind: "gate" as const,
      name: gate.id,
      status: gateIn(loop, gate.id)?.status ?? ("pending" as const),
      required: gate.required,
      detail: gate.approval,
    })),
  ]);
}

const COLOURS: Readonly<Record<PhaseStatus | GateStatus, string>> = {
  pending: "#eeeeee",
  active: "#bbdefb",
  complete: "#c8e6c9",
  passed: "#c8e6c9",
  skipped: "#fff9c4",
  failed: "#ffcdd2",
};

export function phaseMermaid(definition: LoopDefinition, loop: PhaseLoop): string {
  const nodes = phaseNodes(definition, loop);
  const lines = nodes.map((node, index) => {
    const label = labelOf(node).join("<br/>");
    return `  n${index}${node.kind === "gate" ? `{"${label}"}` : `["${label}"]`}`;
  });
  const edges = nodes.slice(1).map((_, index) => `  n${index} --> n${index + 1}`);
  const styles = nodes.map((node, index) => `  style n${index} fill:${COLOURS[node.status]},color:#222222`);
  return ["flowchart TD", ...lines, ...edges, ...styles, ""].join("\n");
}

/** The lines of a label, with what means something to Mermaid written as a number. */
function labelOf({ name, detail, status, required }: PhaseNode): readonly string[] {
  return [name, ...(detail === "" ? [] : [detail]), required ? status : `${status}, optional`].map((line) =>
    line
      .replace(/\s+/g, " ")
      .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\ufffd")
      .replace(/["\\#<>]/g, (unit) => `#${unit.codePointAt(0)};`),
  );
}
