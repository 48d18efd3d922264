/** A person changes a limit: type and range are the schema's (SPEC sections 2 and 8). */
import { DURATION, DURATION_WORDS, formatDuration, parseDuration, type Spent } from "./fuel.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { Draft } from "./redirect-draft.ts";
import type { Constraint } from "./redirect.ts";
import type { Constraints, State } from "./state.ts";

/** Those that a loop need not have. */
const OPTIONAL = ["max_cost_usd", "max_duration", "max_attempts_per_atom"] as const;

/** @param value null: the limit is unset */
export function setLimit(
  state: State,
  constraint: Constraint,
  value: string | number | null,
  spent: Spent,
): Result<Draft> {
  if (value === null) return unsetLimit(state, constraint);
  const right = whatLimitIs(constraint);
  if (!right.holds(value)) return refused(`${constraint} cannot be ${JSON.stringify(value)}`, `give ${right.words}`);
  const over = whatIsOver(state, constraint, value, spent);
  if (over !== null)
    return refused(
      `${constraint} cannot be ${value}: ${over.words}`,
      `give ${over.least} or more; \`aot stop\` ends the loop`,
    );
  const before = state.objective.constraints[constraint];
  const constraints: Constraints = { ...state.objective.constraints, [constraint]: value };
  const description = `${constraint}: ${before ?? "not set"} -> ${value}`;
  return accepted({ state: { ...state, objective: { ...state.objective, constraints } }, description });
}

function unsetLimit(state: State, named: Constraint): Result<Draft> {
  const constraint = OPTIONAL.find((one) => one === named);
  if (constraint === undefined)
    return refused(`${named} cannot be unset: it is what makes a loop halt`, "give a whole number, 1 or more");
  const { [constraint]: before, ...constraints } = state.objective.constraints;
  if (before === undefined) return refused(`${named} is not set`, "there is nothing to unset");
  return accepted({
    state: { ...state, objective: { ...state.objective, constraints } },
    description: `${named}: ${before} -> not set`,
  });
}

/** Fuel is never refunded: what of this limit is spent beyond `value`, and the least that holds it. Null: nothing is. */
function whatIsOver(
  state: State,
  constraint: Constraint,
  value: string | number,
  { cost_usd, active_ms, attempts }: Spent,
): { readonly words: string; readonly least: string } | null {
  const over = (used: number, least: string, words: string) => (used > Number(value) ? { words, least } : null);
  const { iteration } = state.control;
  switch (constraint) {
    case "max_iterations":
      return over(iteration, String(iteration), `the loop is at iteration ${iteration}`);
    case "max_cost_usd":
      return over(cost_usd, String(Math.ceil(cost_usd * 100) / 100), `$${cost_usd.toFixed(2)} are spent`);
    case "max_duration": {
      const isOver = active_ms > (parseDuration(String(value)) ?? Infinity);
      const words = `it has been worked for ${formatDuration(active_ms)}`;
      return isOver ? { words, least: `"${Math.ceil(active_ms / 60_000)}m"` } : null;
    }
    case "max_attempts_per_atom": {
      const open = state.atoms.filter(({ status }) => status === "pending" || status === "in_progress");
      const [most] = open.map(({ id }) => ({ id, had: attempts(id) })).toSorted((one, other) => other.had - one.had);
      return most === undefined ? null : over(most.had, String(most.had), `${most.id} has had ${most.had} attempts`);
    }
    default:
      return null;
  }
}

interface LimitRule {
  readonly words: string;
  holds(value: string | number): boolean;
}

/** Type and range of each constraint, as in the schema (SPEC section 2). */
function whatLimitIs(constraint: Constraint): LimitRule {
  switch (constraint) {
    case "max_duration":
      return { words: DURATION_WORDS, holds: (value) => typeof value === "string" && DURATION.test(value) };
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
