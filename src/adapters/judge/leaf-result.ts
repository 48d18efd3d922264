import type { AssertionAnswer, QualityAnswer } from "../../core/answer.ts";
import type { Check } from "../../core/state.ts";
import { rubricOf, scoreRubric, type LeafResult } from "../../core/verdict.ts";

/** A true assertion is one model's word: a person has to confirm it (SPEC section 6). */
export function assertionResult(answer: AssertionAnswer): LeafResult {
  const { passed, evidence, quotes = [] } = answer;
  return {
    passed,
    evidence: { kind: "judgement", reason: evidence, ...(quotes.length === 0 ? {} : { quotes }) },
    ...(passed ? { requires_user_confirmation: true } : {}),
  };
}

export function qualityResult(check: Extract<Check, { type: "quality" }>, answer: QualityAnswer): LeafResult {
  return scoreRubric(rubricOf(check), answer.scores, check.pass_threshold);
}
