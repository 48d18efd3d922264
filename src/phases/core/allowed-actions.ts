/** What can be asked of a loop as it is: exactly what `apply` accepts. */
import type { Action } from "./action.ts";
import { apply } from "./apply.ts";
import type { LoopDefinition } from "./definition.ts";
import type { PhaseLoop } from "./state.ts";

/** The actions that would be accepted now; counting, which always is on an active loop, is left out. */
export function allowedActions(definition: LoopDefinition, loop: PhaseLoop): readonly Action[] {
  return candidates(loop).filter((action) => apply(definition, loop, action, loop.last_updated).ok);
}

function candidates(loop: PhaseLoop): readonly Action[] {
  const reason = "why";
  return [
    ...loop.phases.flatMap(({ name: phase }): Action[] => [
      { type: "start_phase", phase },
      { type: "complete_phase", phase, deliverables: [] },
      { type: "fail_phase", phase, reason },
      { type: "skip_phase", phase, reason: null },
    ]),
    ...loop.gates.flatMap(({ id: gate, required }): Action[] => [
      { type: "pass_gate", gate, by: "person" },
      { type: "fail_gate", gate, reason },
      { type: "retry_gate", gate },
      { type: "skip_gate", gate, reason: required ? reason : null },
    ]),
    { type: "pause" },
    { type: "resume" },
    { type: "resume", reopen: "retry" },
    { type: "resume", reopen: "restart" },
    { type: "fail_loop", reason },
  ];
}
