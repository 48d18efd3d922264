import type { JSX } from "preact";
import { Icon } from "../view/icons.tsx";
import type { Standing } from "../view/standing.ts";
import type { GateStatus, PhaseStatus } from "./core/state.ts";

/** The sign of a phase or a gate: that of the standing which means the same. */
export const PHASE_SIGNS: Readonly<Record<PhaseStatus | GateStatus, Standing>> = {
  pending: "waiting",
  active: "running",
  complete: "resolved",
  passed: "resolved",
  skipped: "not_selected",
  failed: "failed",
};

export function PhaseMark({ status }: { readonly status: PhaseStatus | GateStatus }): JSX.Element {
  const sign = PHASE_SIGNS[status];
  return (
    <span class={`mark is-${sign}`}>
      <Icon name={sign} />
      <span>{status}</span>
    </span>
  );
}
