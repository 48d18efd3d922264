import { ASSERTION_SCHEMA, qualitySchema } from "../../core/answer-schema.ts";
import { readAssertionAnswer, readQualityAnswer } from "../../core/answer.ts";
import type { AssertionAnswer, QualityAnswer } from "../../core/answer.ts";
import type { Usage } from "../../core/event.ts";
import type { Read } from "../../core/reading.ts";
import type { Leaf, LeafResult } from "../../core/verdict.ts";
import { rubricOf } from "../../core/verdict.ts";
import type { AskOutcome } from "../../loop/ask.ts";
import { ask } from "../../loop/ask.ts";
import type { Agent, AgentRequest, Judge } from "../../loop/ports.ts";
import { judgePrompt } from "../../loop/prompt.ts";
import { assertionResult, qualityResult } from "./leaf-result.ts";

export interface JudgeLimits {
  /** Per call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** Per leaf, USD. */
  readonly budget_usd?: number;
  readonly log_file?: string;
}

/**
 * A judge that asks an agent (SPEC section 6). It is shown the check and the checked-out folder, never what
 * workers said of their work. Scores are averaged by code. What the agent cannot decide is null, never false.
 */
export function createJudge(agent: Agent, limits: JudgeLimits): Judge {
  return {
    async judge(leaf, dir, signal) {
      const { check } = leaf;
      if (check.type === "quality") {
        const rubric = rubricOf(check);
        const request = requestFor(leaf, dir, limits, qualitySchema(rubric));
        return decided(await ask<QualityAnswer>(agent, request, readQualityAnswer(rubric), signal), (answer) =>
          qualityResult(check, answer),
        );
      }
      if (check.type !== "assertion") return undecided(`${check.type} is decided by running it, not by a judge`);
      const read: Read<AssertionAnswer> = readAssertionAnswer;
      return decided(await ask(agent, requestFor(leaf, dir, limits, ASSERTION_SCHEMA), read, signal), assertionResult);
    },
  };
}

function requestFor(leaf: Leaf, cwd: string, limits: JudgeLimits, schema: object): AgentRequest {
  return {
    role: "judge",
    call: `judge:${leaf.item}`,
    prompt: judgePrompt(leaf),
    bindings: {},
    nogoods: [],
    schema,
    cwd,
    ...limits,
  };
}

function decided<T>(outcome: AskOutcome<T>, result: (answer: T) => LeafResult): Awaited<ReturnType<Judge["judge"]>> {
  const spent: { usage?: Usage } = outcome.usage === undefined ? {} : { usage: outcome.usage };
  switch (outcome.kind) {
    case "answered":
      return { ...result(outcome.value), ...spent };
    case "unavailable":
      return {
        ...undecided(`the judge is not available: ${outcome.reason}`),
        unavailable: outcome.reason,
        ...spent,
      };
    case "aborted":
      return { ...undecided("the judge was interrupted"), ...spent };
    case "failed":
      return {
        passed: null,
        evidence: {
          kind: "error",
          message: `the judge gave no verdict (${outcome.failure}): ${outcome.reason}`,
        },
        ...spent,
      };
  }
}

function undecided(reason: string): LeafResult {
  return { passed: null, evidence: { kind: "undecided", reason } };
}
