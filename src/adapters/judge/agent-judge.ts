/**
 * A judge that asks an agent (SPEC section 6).
 *
 * AGENT-JUDGE-1 it is shown the check and the files, never what workers said of their work;
 * AGENT-JUDGE-2 scores are combined by code (`panel.ts`), and what cannot be decided is null, never false;
 * AGENT-JUDGE-3 a vote with a quote that is not in the file it names is void; files are taken as they were
 *    before any check ran;
 * AGENT-JUDGE-4 votes are calls that know nothing of each other, each in an order of its own that the evidence records.
 */
import { readAssertionVote, readQualityAnswer } from "../../core/answer.ts";
import { ASSERTION_SCHEMA, qualitySchema } from "../../core/answer-schema.ts";
import type { Usage } from "../../core/event.ts";
import { tokensOf } from "../../core/loop.ts";
import type { Read } from "../../core/reading.ts";
import type { RubricCriterion } from "../../core/state.ts";
import { isMechanical, rubricOf, type Leaf, type LeafResult } from "../../core/verdict.ts";
import { ask, sum, type AskOutcome } from "../../loop/ask.ts";
import type { Agent, AgentRequest, Judge, JudgeCall } from "../../loop/ports.ts";
import type { Material } from "../../loop/prompt-material.ts";
import { judgePrompt } from "../../loop/prompt.ts";
import { lookAtFiles, type CheckoutFiles } from "./checkout-files.ts";
import { gatherMaterial } from "./gather-material.ts";
import { isOpen, tally, orderFor, seedOf, type Answer, type Ballot } from "./panel.ts";
import { falseQuote } from "./quote-check.ts";

export interface JudgeLimits {
  /** Per call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** Per vote, USD. */
  readonly budget_usd?: number;
  /** Per vote, input and output together. */
  readonly budget_tokens?: number;
  readonly log_file?: string;
  /** Votes on each leaf; default 1. */
  readonly votes?: number;
  /** The agent sees nothing but its prompt, so that files have to be in there. Default: it reads the folder. */
  readonly prompt_only?: boolean;
  /** How the names of the loop's own files begin, relative to the project; those in `.claude` are known. */
  readonly hidden?: readonly string[];
}

type Judgement = Awaited<ReturnType<Judge["judge"]>>;

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
      const shows = scope !== undefined || limits.prompt_only === true;
      const gathered = shows ? await gatherMaterial(files, scope) : null;
      if (gathered?.ok === false) return { passed: null, evidence: { kind: "error", message: gathered.why } };
      return await poll({ agent, limits, asked, leaf, dir, files, signal, material: gathered?.material });
    },
  };
}

interface Poll {
  readonly agent: Agent;
  readonly limits: JudgeLimits;
  readonly asked: JudgeCall | undefined;
  readonly leaf: Leaf;
  readonly dir: string;
  readonly files: CheckoutFiles;
  readonly signal: AbortSignal;
  readonly material: Material | undefined;
}

/** AGENT-JUDGE-4. Ends early when the agent is not there, or when too many votes are void for any decision (PANEL-1). */
async function poll(poll: Poll): Promise<Judgement> {
  const { leaf, limits } = poll;
  const wanted = limits.votes ?? 1;
  const seed = seedOf(leaf);
  const ballots: Ballot[] = [];
  let usage: Usage | undefined;
  const spent = (result: Judgement): Judgement => (usage === undefined ? result : { ...result, usage });
  for (let vote = 0; isOpen(wanted, ballots); vote++) {
    const left = limitsOf(poll, usage);
    if (left.budget_usd === 0 || left.budget_tokens === 0)
      return spent(undecided("the run's budget leaves nothing for the judge"));
    const order = leaf.check.type === "quality" ? orderFor(rubricOf(leaf.check), seed, vote) : [];
    const outcome = await castVote(poll, left, order, { seed, vote });
    usage = sum(usage, outcome.usage);
    if (outcome.kind === "unavailable") return spent(unavailable(outcome));
    if (outcome.kind === "aborted") return spent(undecided("the judge was interrupted"));
    const shown = order.map(({ criterion }) => criterion);
    ballots.push({ order: shown, ...(await counted(outcome, poll.files)) });
  }
  return spent(tally(leaf, seed, wanted, ballots));
}

type Said = Extract<AskOutcome<Answer>, { kind: "answered" | "failed" }>;

/** AGENT-JUDGE-3. */
async function counted(
  said: Said,
  files: CheckoutFiles,
): Promise<{ readonly answer: Answer } | { readonly void: string; readonly misquoted?: true }> {
  if (said.kind === "failed") return { void: `the judge gave no verdict (${said.failure}): ${said.reason}` };
  const answer = said.value;
  const quotes = "scores" in answer ? answer.scores.flatMap((score) => score.quotes ?? []) : (answer.quotes ?? []);
  const wrong = await falseQuote(quotes, files);
  return wrong === null ? { answer } : { void: wrong, misquoted: true };
}

type VoteLimits = Pick<AgentRequest, "timeout_ms" | "idle_timeout_ms" | "budget_usd" | "budget_tokens" | "log_file">;

/** Of the judge's own limits and of what is left of the run's, the smaller. */
function limitsOf({ limits, asked: left }: Poll, spent: Usage | undefined): VoteLimits {
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

function castVote(
  poll: Poll,
  left: VoteLimits,
  rubric: readonly RubricCriterion[],
  { seed, vote }: { readonly seed: number; readonly vote: number },
): Promise<AskOutcome<Answer>> {
  const { agent, asked, leaf, dir, limits, material, signal } = poll;
  const quality = leaf.check.type === "quality";
  const read: Read<Answer> = quality ? readQualityAnswer(rubric) : readAssertionVote;
  const request: AgentRequest = {
    role: "judge",
    call: `judge:${leaf.item}`,
    prompt: judgePrompt({
      leaf,
      rubric,
      downwards: vote % 2 === 1,
      can_read: limits.prompt_only !== true,
      ...(asked?.brief === undefined ? {} : { brief: asked.brief }),
      ...(material === undefined ? {} : { material: { ...material, files: orderFor(material.files, seed, vote) } }),
    }),
    bindings: {},
    nogoods: [],
    schema: quality ? qualitySchema(rubric) : ASSERTION_SCHEMA,
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
