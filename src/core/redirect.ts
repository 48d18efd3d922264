/** What a person may change of a loop (SPEC section 8). */
import type { Binding } from "./state.ts";

export type ObjectiveField = "goal" | "base_case" | "background_intent" | "deliverables" | "definition_of_done";
export type Constraint = "max_iterations" | "max_parallel_agents" | "max_stall_count" | "max_cost_usd" | "max_duration" | "max_attempts_per_atom";

export type Redirect =
  | { readonly kind: "set"; readonly field: ObjectiveField; readonly value: unknown; readonly reason: string }
  | { readonly kind: "limit"; readonly constraint: Constraint; readonly value: string | number; readonly reason: string }
  | { readonly kind: "add"; readonly id: string; readonly description: string; readonly depends_on: readonly string[]; readonly or_group?: string; readonly reason: string }
  | { readonly kind: "remove"; readonly id: string; readonly reason: string }
  | { readonly kind: "choose"; readonly group: string; readonly atom: string; readonly reason: string }
  | { readonly kind: "rebind"; readonly id: string; readonly binding: Binding; readonly reason: string };
