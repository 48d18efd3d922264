/**
 * A loop's counters (seed phase-state-schema, "Metrics Object"): free-form, empty at first, in the order in which they
 * were first counted. They are a function of what was counted alone: no other action touches them.
 */
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Action } from "./action.ts";
import type { Metric, PhaseLoop } from "./state.ts";

type Count = Extract<Action, { readonly type: "count" }>;

export function counted(loop: PhaseLoop, action: Count): Result<PhaseLoop> {
  if (action.metric.trim() === "") return refused("a metric needs a name", "name what is counted: tests_written");
  const metrics = metricsAfter(loop.metrics, action);
  const value = metrics.find((metric) => metric.name === action.metric)?.value;
  if (value === undefined || !Number.isFinite(value))
    return refused(`${action.metric} would be no number`, "count with finite numbers");
  return accepted({ ...loop, metrics });
}

/** The counters once this is counted, too. */
export function metricsAfter(metrics: readonly Metric[], { metric: name, value, by }: Count): readonly Metric[] {
  const known = metrics.find((metric) => metric.name === name);
  // Adding 0 makes 0 of -0, which JSON cannot tell apart.
  const next = { name, value: (by === true ? (known?.value ?? 0) : 0) + value };
  return known === undefined ? [...metrics, next] : metrics.map((metric) => (metric === known ? next : metric));
}
