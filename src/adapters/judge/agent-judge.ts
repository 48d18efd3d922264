/**
 * A judge that asks an agent (SPEC section 6).
 *
 * AGENT-JUDGE-1 it is shown the check and the files, never what workers said of their work;
 * AGENT-JUDGE-2 the average is computed by code, and what cannot be decided is null, never false;
 * AGENT-JUDGE-3 an answer with a quote that is not in the file it names is void, and is asked for once more; files are
 *    taken as they were before any check ran.
 */
import { readAssertionVote, readQualityAnswer, type AssertionAnswer, type QualityAnswer } from "../../loop/answers.ts";
import { ASSERTION_SCHEMA, qualitySchema } from "../../loop/answer-types.ts";
import type { Usage } from "../../core/event.ts";
import { tokensOf } from "../../core/loop.ts";
import type { Read } from "../../core/reading.ts";
import { isMechanical, rubricOf, scoreRubric, type Leaf, type LeafResult } from "../../core/verdict.ts";
import { ask, sum, type AskOutcome } from "../../loop/ask.ts";
import type { Agent, AgentRequest, Judge, JudgeCall } from "../../loop/ports.ts";
import { changesOf } from "../../loop/new-lines.ts";
import type { Material } from "../../loop/prompt-material.ts";
import { judgePrompt } from "../../loop/prompt.ts";
import { lookAtFiles, namedIn, type CheckoutFiles } from "./checkout-files.ts";
import { gatherMaterial } from "./gather-material.ts";
import { falseQuote } from "./quote-check.ts";

export interface JudgeLimits {
  /** Per call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** Per answer, USD. */
  readonly budget_usd?: number;
  /** Per answer, input and output together. */
  readonly budget_tokens?: number;
  readonly log_file?: string;
  /** How the names of the loop's own files begin, relative to the project; those in `.claude` are known. */
  readonly hidden?: readonly string[];
}

type Judgement = Awaited<ReturnType<Judge["judge"]>>;
type Answer = AssertionAnswer | QualityAnswer;

export function createJudge(agent: Agent, limits: JudgeLimits): Judge {
  let looked: { readonly dir: string; readonly files: CheckoutFiles } | null = null;
  return {
    async look(dir) {
      looked = { dir, files: await lookAtFiles(dir, limits.hidden) };
    },
    async judge(leaf, dir, signal, asked) {
      const { check } = leaf;
      if (isMechanical(check)) return undecided(`${check.type} is decided by running it, not by a judge`);
      const files = looked?.dir === dir ? looked.files : await lookAtFiles(dir, limits.hidden);
      const scope = check.type === "quality" ? check.scope : undefined;
      const changes = asked?.since === undefined ? undefined : await changesOf(asked.since);
      const named = namedIn(files.paths, JSON.stringify({ ...check, scope: "" }).replaceAll(/\\[nrt]/g, " "));
      const isToldMore = scope !== undefined || changes !== undefined || named.length > 0;
      const gathered = isToldMore ? await gatherMaterial(files, { scope, named }, changes) : null;
      if (gathered?.ok === false) return undecidable(gathered.why);
      return await decide({ agent, limits, asked, leaf, dir, files, signal, material: gathered?.material });
    },
  };
}

interface Question {
  readonly agent: Agent;
  readonly limits: JudgeLimits;
  readonly asked: JudgeCall | undefined;
  readonly leaf: Leaf;
  readonly dir: string;
  readonly files: CheckoutFiles;
  readonly signal: AbortSignal;
  readonly material: Material | undefined;
}

/** AGENT-JUDGE-3. */
async function decide(question: Question): Promise<Judgement> {
  let usage: Usage | undefined;
  const spent = (result: Judgement): Judgement => (usage === undefined ? result : { ...result, usage });
  for (let refusal: string | undefined; ;) {
    const left = limitsOf(question, usage);
    if (left.budget_usd === 0 || left.budget_tokens === 0)
      return spent(undecided("the run's budget leaves nothing for the judge"));
    const outcome = await askOnce(question, left, refusal);
    usage = sum(usage, outcome.usage);
    if (outcome.kind === "unavailable") return spent(unavailable(outcome));
    if (outcome.kind === "aborted") return spent(undecided("the judge was interrupted"));
    if (outcome.kind === "failed")
      return spent(undecidable(`the judge gave no verdict (${outcome.failure}): ${outcome.reason}`));
    const { value } = outcome;
    const quotes = "scores" in value ? value.scores.flatMap((score) => score.quotes ?? []) : (value.quotes ?? []);
    const wrong = await falseQuote(quotes, question.files);
    if (wrong === null) return spent(resultOf(question.leaf, value));
    if (refusal !== undefined) return spent(undecidable(`the judge's answer does not count: ${wrong}`));
    // Not the text: it may be what a check has put there.
    refusal = wrong.replace(/(:\d+) [^]*/, "$1, and that is not there");
  }
}

/** What an answer says of its leaf. A true assertion is one model's word: a person has to confirm it (SPEC section 6). */
export function resultOf({ check }: Leaf, answer: Answer): LeafResult {
  if ("scores" in answer)
    return check.type === "quality"
      ? scoreRubric(rubricOf(check), answer.scores, check.pass_threshold)
      : undecided("scores decide no assertion");
  const { passed, evidence, quotes = [] } = answer;
  return {
    passed,
    evidence: { kind: "judgement", reason: evidence, ...(quotes.length === 0 ? {} : { quotes }) },
    ...(passed ? { requires_user_confirmation: true } : {}),
  };
}

type AnswerLimits = Pick<AgentRequest, "timeout_ms" | "idle_timeout_ms" | "budget_usd" | "budget_tokens" | "log_file">;

/** Of the judge's own limits and of what is left of the run's, the smaller. */
function limitsOf({ limits, asked: left }: Question, spent: Usage | undefined): AnswerLimits {
  const { idle_timeout_ms, log_file } = limits;
  const budget = Math.min(limits.budget_usd ?? Infinity, (left?.budget_usd ?? Infinity) - (spent?.cost_usd ?? 0));
  const tokens = Math.min(limits.budget_tokens ?? Infinity, (left?.budget_tokens ?? Infinity) - tokensOf(spent));
  return {
    timeout_ms: Math.min(limits.timeout_ms, left?.timeout_ms ?? Infinity),
    ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
    ...(Number.isFinite(budget) ? { budget_usd: Math.max(0, budget) } : {}),
    ...(Number.isFinite(tokens) ? { budget_tokens: Math.max(0, tokens) } : {}),
    ...(log_file === undefined ? {} : { log_file }),
  };
}

function askOnce(
  { agent, asked, leaf, dir, material, signal }: Question,
  left: AnswerLimits,
  wrong: string | undefined,
): Promise<AskOutcome<Answer>> {
  const rubric = leaf.check.type === "quality" ? rubricOf(leaf.check) : null;
  const read: Read<Answer> = rubric === null ? readAssertionVote : readQualityAnswer(rubric);
  const request: AgentRequest = {
    role: "judge",
    call: `judge:${leaf.item}`,
    prompt: judgePrompt({
      leaf,
      ...(asked?.brief === undefined ? {} : { brief: asked.brief }),
      ...(material === undefined ? {} : { material }),
      ...(wrong === undefined ? {} : { wrong }),
    }),
    bindings: {},
    nogoods: [],
    schema: rubric === null ? ASSERTION_SCHEMA : qualitySchema(rubric),
    cwd: dir,
    ...left,
  };
  return ask(agent, request, read, signal);
}

function unavailable(outcome: Extract<AskOutcome<Answer>, { kind: "unavailable" }>): Judgement {
  const { reason, retry_after_ms } = outcome;
  return {
    ...undecided(`the judge is not available: ${reason}`),
    unavailable: reason,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}

function undecided(reason: string): LeafResult {
  return { passed: null, evidence: { kind: "undecided", reason } };
}

function undecidable(message: string): LeafResult {
  return { passed: null, evidence: { kind: "error", message } };
}
