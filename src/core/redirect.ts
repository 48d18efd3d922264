/** The words in which a person changes the course of a loop (SPEC section 8). What they do: `apply-redirect.ts`. */
import type { BaseCase, Binding } from "./state.ts";

export const OBJECTIVE_FIELDS = [
  "goal",
  "base_case",
  "background_intent",
  "deliverables",
  "definition_of_done",
] as const;
export type ObjectiveField = (typeof OBJECTIVE_FIELDS)[number];
export const CONSTRAINTS = [
  "max_iterations",
  "max_parallel_agents",
  "max_stall_count",
  "max_cost_usd",
  "max_duration",
  "max_attempts_per_atom",
] as const;
export type Constraint = (typeof CONSTRAINTS)[number];

export interface NewAtom {
  readonly id: string;
  readonly description: string;
  readonly depends_on: readonly string[];
  readonly or_group?: string;
}

export type Redirect =
  | {
      readonly kind: "set";
      readonly field: ObjectiveField;
      readonly value: string | BaseCase;
      readonly reason: string;
    }
  | {
      readonly kind: "limit";
      readonly constraint: Constraint;
      readonly value: string | number;
      readonly reason: string;
    }
  | ({ readonly kind: "add"; readonly reason: string } & NewAtom)
  | { readonly kind: "remove"; readonly id: string; readonly reason: string }
  | {
      readonly kind: "choose";
      readonly group: string;
      readonly atom: string;
      readonly reason: string;
    }
  | {
      readonly kind: "rebind";
      readonly id: string;
      readonly binding: Binding;
      readonly reason: string;
    };
