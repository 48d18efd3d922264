/** A person changes a limit: type and range are the schema's (SPEC sections 2 and 8). */
import { DURATION, DURATION_WORDS } from "./fuel.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { Draft } from "./redirect-draft.ts";
import type { Constraint } from "./redirect.ts";
import type { Constraints, State } from "./state.ts";

export function setLimit(state: State, constraint: Constraint, value: string | number): Result<Draft> {
  const right = whatLimitIs(constraint);
  if (!right.holds(value)) return refused(`${constraint} cannot be ${JSON.stringify(value)}`, `give ${right.words}`);
  const before = state.objective.constraints[constraint];
  const constraints: Constraints = { ...state.objective.constraints, [constraint]: value };
  const description = `${constraint}: ${before ?? "not set"} -> ${value}`;
  return accepted({
    state: { ...state, objective: { ...state.objective, constraints } },
    description,
  });
}

interface LimitRule {
  readonly words: string;
  holds(value: string | number): boolean;
}

/** Type and range of each constraint, as in the schema (SPEC section 2). */
function whatLimitIs(constraint: Constraint): LimitRule {
  switch (constraint) {
    case "max_duration":
      return {
        words: DURATION_WORDS,
        holds: (value) => typeof value === "string" && DURATION.test(value),
      };
    case "max_cost_usd":
      return {
        words: "a number of USD, 0 or more",
        holds: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
      };
    default:
      return {
        words: "a whole number, 1 or more",
        holds: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
      };
  }
}
