/** A phase loop as an object, spelt as in its file: for answers and reports. Pure. */
import type { PhaseLoop } from "./state.ts";

export function stateDocument(loop: PhaseLoop): object {
  return {
    ...loop,
    gates: Object.fromEntries(loop.gates.map(({ id, ...gate }) => [id, gate])),
    phases: Object.fromEntries(loop.phases.map(({ name, ...phase }) => [name, phase])),
    metrics: Object.fromEntries(loop.metrics.map(({ name, value }) => [name, value])),
  };
}
