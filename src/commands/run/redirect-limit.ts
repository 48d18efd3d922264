import { DURATION, DURATION_WORDS } from "../../core/fuel.ts";
import type { Constraint } from "../../core/redirect.ts";
import { required } from "../call.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import type { Run } from "../spec.ts";
import { Unusable } from "../unusable.ts";

export const run: Run = async (call) => {
  const constraint = required(call.arg("constraint"), "constraint") as Constraint;
  const value = limitValue(constraint, required(call.arg("value"), "value"));
  return await redirectAnswer(call, { kind: "limit", constraint, value, reason: reasonOf(call) });
};

/** The value as the state file holds it. @throws Unusable for one that it would not take */
function limitValue(constraint: Constraint, text: string): number | string {
  if (constraint === "max_duration") {
    if (!DURATION.test(text)) throw new Unusable(`max_duration is ${JSON.stringify(text)}`, `write ${DURATION_WORDS}`);
    return text;
  }
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (constraint === "max_cost_usd") {
    if (!Number.isFinite(number))
      throw new Unusable(`max_cost_usd is ${JSON.stringify(text)}`, "write a number, at least 0");
    return number;
  }
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Unusable(`${constraint} is ${JSON.stringify(text)}`, "write a whole number, at least 1");
  return number;
}
