/**
 * One question to an agent, asked a second time if the answer is unusable (SPEC section 7).
 *
 * ASK-1 an answer that cannot be read, or that `read` refuses, is asked for exactly once more; after that it is a failure;
 * ASK-2 usage is the sum of both calls, whatever their outcome, and says how many there were;
 * ASK-3 the second call gets at most the budget that the first left;
 * ASK-4 a reason is bounded in length, whatever the agent said.
 */
import { boundedText } from "../core/bounded-text.ts";
import type { FailureKind, Usage } from "../core/event.ts";
import { tokensOf } from "../core/loop.ts";
import type { Result } from "../core/problem.ts";
import { shallow, type Read } from "../core/reading.ts";
import { agentLabel } from "./agent-label.ts";
import type { Agent, AgentAnswer, AgentRequest } from "./ports.ts";
import { cut } from "./prompt-text.ts";

/** `agent`: label of the one that answered last (agent-label.ts). */
export type AskOutcome<T> = { readonly agent?: string } & Outcome<T>;

type Outcome<T> =
  | { readonly kind: "answered"; readonly value: T; readonly usage?: Usage }
  | {
      readonly kind: "failed";
      readonly failure: Extract<FailureKind, "failed" | "timeout" | "unreadable">;
      readonly reason: string;
      /** It ended without an answer and reported no output tokens, so that nothing speaks against the work. */
      readonly died?: true;
      readonly usage?: Usage;
    }
  | {
      readonly kind: "unavailable";
      readonly reason: string;
      readonly retry_after_ms?: number;
      readonly usage?: Usage;
    }
  | { readonly kind: "aborted"; readonly usage?: Usage };

/** Characters of an unreadable answer that are shown to the agent and in the failure's reason. */
const ANSWER_LIMIT = 2_000;

/**
 * Asks `agent` and reads its answer with `read`. Never rejects.
 * @param read parses the answer, or says in one sentence why it is refused
 */
export async function ask<T>(
  agent: Agent,
  request: AgentRequest,
  read: Read<T>,
  signal: AbortSignal,
): Promise<AskOutcome<T>> {
  const answer = await agent.call(request, signal);
  const first = understand(answer, read);
  const by = answer.agent ?? agent.name;
  if (first.kind !== "unfit") return { agent: agentLabel(by), ...first };
  let lastBy = by;
  const again = async (repair: AgentRequest): Promise<Outcome<T> | Unfit> => {
    const second = await agent.call(repair, signal);
    lastBy = second.agent ?? agent.name;
    return understand(second, read);
  };
  const outcome = await askAgain(request, first, again, signal);
  return { agent: agentLabel(lastBy), ...outcome };
}

/** The answer, but unreadable (ASK-1) where the state cannot take it up: its agent is asked once more, with the reason. */
export function taken<T>(read: ReturnType<Read<T>>, what: string, up: Result<unknown>): ReturnType<Read<T>> {
  if (up.ok) return read;
  const reasons = up.problems.map(({ message, hint }) => `${message} (${hint})`);
  return { ok: false, problem: `${what} cannot be taken up: ${reasons.join("; ")}` };
}

/** ASK-1. */
async function askAgain<T>(
  request: AgentRequest,
  first: Unfit,
  call: (request: AgentRequest) => Promise<Outcome<T> | Unfit>,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  if (signal.aborted) return { kind: "aborted", ...usage(first.usage) };
  const budget_usd = left(request.budget_usd, first.usage?.cost_usd);
  const budget_tokens = left(request.budget_tokens, tokensOf(first.usage));
  if (budget_usd === 0 || budget_tokens === 0)
    return unreadable(first, "; no budget was left to ask again", first.usage);

  const { answer, problem, session } = first;
  const repair = { answer, problem, ...(session === undefined ? {} : { session }) };
  const budget = {
    ...(budget_usd === undefined ? {} : { budget_usd }),
    ...(budget_tokens === undefined ? {} : { budget_tokens }),
  };
  const second = await call({ ...request, repair, ...budget });
  const both = sum(first.usage, second.usage);
  return second.kind === "unfit" ? unreadable(second, ", asked twice", both) : { ...second, ...usage(both) };
}

interface Unfit {
  readonly kind: "unfit";
  readonly answer: string;
  readonly problem: string;
  readonly session?: string;
  readonly usage?: Usage;
}

function understand<T>(answer: AgentAnswer, read: Read<T>): Outcome<T> | Unfit {
  const spent = usage(answer.kind === "unavailable" ? answer.usage : sum(answer.usage, { calls: 1 }));
  if (answer.kind === "failed")
    return {
      kind: "failed",
      failure: answer.timed_out === true ? "timeout" : "failed",
      reason: boundedText(answer.reason),
      ...(answer.timed_out === true ? {} : deathIn(answer.usage)),
      ...spent,
    };
  if (answer.kind === "unavailable" || answer.kind === "aborted") {
    const { agent: _, ...rest } = answer;
    return rest.kind === "aborted" ? { ...rest, ...spent } : { ...rest, reason: boundedText(rest.reason) };
  }
  const session = answer.session === undefined ? {} : { session: answer.session };
  if (answer.kind === "unreadable")
    return {
      kind: "unfit",
      answer: cut(answer.text, ANSWER_LIMIT),
      problem: cut(answer.problem, ANSWER_LIMIT),
      ...session,
      ...spent,
    };
  const reading = read(answer.value);
  if (reading.ok) return { kind: "answered", value: reading.value, ...spent };
  return {
    kind: "unfit",
    answer: shallow(answer.value).ok ? cut(JSON.stringify(answer.value) ?? "", ANSWER_LIMIT) : "",
    problem: cut(reading.problem, ANSWER_LIMIT),
    ...session,
    ...spent,
  };
}

function unreadable(unfit: Unfit, how: string, spent: Usage | undefined): Outcome<never> {
  const said = unfit.answer.trim() === "" ? "nothing" : unfit.answer;
  return {
    kind: "failed",
    failure: "unreadable",
    reason: `the answer could not be used${how}: ${unfit.problem}. It said: ${said}`,
    ...(said === "nothing" ? deathIn(spent) : {}),
    ...usage(spent),
  };
}

function left(budget: number | undefined, spent: number | undefined): number | undefined {
  return budget === undefined ? undefined : Math.max(0, budget - (spent ?? 0));
}

/** Without output tokens the agent died; with some it worked, and giving no answer is a failure of the work. */
function deathIn(spent: Usage | undefined): { readonly died?: true } {
  return (spent?.output_tokens ?? 0) > 0 ? {} : { died: true };
}

function usage(spent: Usage | undefined): { usage?: Usage } {
  return spent === undefined ? {} : { usage: spent };
}

/** A figure that neither of them reported stays absent. */
export function sum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const total = (key: keyof Usage): Partial<Record<keyof Usage, number>> =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) };
  return { ...total("calls"), ...total("cost_usd"), ...total("input_tokens"), ...total("output_tokens") };
}

/** The prompt of this call, the first or the second, for agents that take a single text. */
export function repairPrompt(request: AgentRequest): string {
  if (request.repair === undefined) return request.prompt;
  const again = `Your last answer could not be used: ${request.repair.problem}. The work itself stands; do not do it again. Answer now with exactly one JSON object of this schema, and nothing else:\n${JSON.stringify(request.schema)}`;
  return request.repair.session === undefined
    ? `${request.prompt}\n## Asked again\n${again}\nYour last answer was:\n${request.repair.answer}\n`
    : `${again}\n`;
}
