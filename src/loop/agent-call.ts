/** One call of an agent: what it may spend, and how it waits out a rate limit. */
import type { Usage } from "../core/event.ts";
import { activeMs, limitsIn, tokensOf, type Loop } from "../core/loop.ts";
import { sum, type AskOutcome } from "./ask.ts";
import type { EffectContext } from "./effect-context.ts";
import type { AgentRequest } from "./ports.ts";
import { budgetSpent } from "../core/schedule.ts";

/** What a call may use: the smaller of its own limit and what is left of the run's. */
export type CallBudget = Pick<
  AgentRequest,
  "timeout_ms" | "idle_timeout_ms" | "budget_usd" | "budget_tokens" | "log_file"
>;

/** Who makes the call: `call` in logs, `name` in messages, `attempt` in the journal. */
export interface Caller {
  readonly call: string;
  readonly name: string;
  readonly attempt?: string;
  /** Several calls run under this name; the callee applies the limits of a single call itself. */
  readonly several?: true;
}

/** @param spent what earlier calls of this caller used and the loop does not count yet */
function budgetOf(context: EffectContext, { call, several }: Caller, spent: Usage | undefined): CallBudget {
  const { limits } = context;
  const { max_call_usd = Infinity, max_call_tokens = Infinity } = several === true ? {} : limits;
  const loop = context.stateNow();
  const { run } = loop;
  const { max_cost_usd, max_tokens, max_duration_ms } = limitsIn(loop);
  const timeLeft =
    max_duration_ms === Infinity ? Infinity : max_duration_ms - activeMs({ ...run, now: context.ports.clock.now() });
  const used = spent?.cost_usd ?? 0;
  const budget = Math.min(max_cost_usd - run.cost_usd, max_call_usd) - used;
  const tokens = Math.min(max_tokens - run.tokens, max_call_tokens) - tokensOf(spent);
  return {
    timeout_ms: Math.max(1, Math.min(limits.timeout_ms, timeLeft)),
    ...(limits.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: limits.idle_timeout_ms }),
    ...(Number.isFinite(budget) ? { budget_usd: Math.max(0, budget) } : {}),
    ...(Number.isFinite(tokens) ? { budget_tokens: Math.max(0, tokens) } : {}),
    ...(limits.logs === undefined ? {} : { log_file: `${limits.logs}/${call.replaceAll(/[^\w.-]/g, "_")}.log` }),
  };
}

/** The least pause between two calls, even if the service allows an immediate retry. */
const SHORTEST_WAIT_MS = 1_000;

/**
 * Calls, and after a rate limit that ends within `max_wait_ms` announces the wait, waits, and calls again with the budget
 * left by then. Returns any other outcome as it is, with the usage of all calls. The wait is cut short, and the outcome
 * `aborted`, as soon as the call is not wanted any more (SPEC section 8).
 */
export async function patiently<T>(
  context: EffectContext,
  caller: Caller,
  signal: AbortSignal,
  call: (budget: CallBudget) => Promise<AskOutcome<T>>,
): Promise<AskOutcome<T>> {
  let waited = 0;
  let usage: Usage | undefined;
  const withUsage = (outcome: AskOutcome<T>): AskOutcome<T> => (usage === undefined ? outcome : { ...outcome, usage });
  for (;;) {
    const outcome = await call(budgetOf(context, caller, usage));
    usage = sum(usage, outcome.usage);
    if (outcome.kind !== "unavailable" || outcome.retry_after_ms === undefined) return withUsage(outcome);
    const wait = Math.max(outcome.retry_after_ms, SHORTEST_WAIT_MS);
    if (waited + wait > context.limits.max_wait_ms) return withUsage(outcome);
    waited += wait;
    if (isUnwanted(context, signal)) return withUsage({ kind: "aborted" });
    tellWait(context, caller, wait, outcome.reason);
    await pause(context, wait, signal);
    if (isUnwanted(context, signal)) return withUsage({ kind: "aborted" });
  }
}

function isUnwanted(context: EffectContext, signal: AbortSignal): boolean {
  return signal.aborted || !isCallWanted(context.stateNow(), context.ports.clock.now());
}

function tellWait(context: EffectContext, { name, attempt }: Caller, wait_ms: number, reason: string): void {
  const until = new Date(Date.parse(context.ports.clock.now()) + wait_ms).toISOString();
  context.send({ event: "waiting", who: name, ...(attempt === undefined ? {} : { attempt }), until, wait_ms, reason });
}

/** Ended by the signal, and where no call is wanted any more. */
export function pause(context: EffectContext, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      context.waits.delete(end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = context.ports.clock.after(ms, end);
    context.waits.add(end);
    signal.addEventListener("abort", end, { once: true });
  });
}

export function spent(outcome: { readonly usage?: Usage }): { readonly usage?: Usage } {
  return outcome.usage === undefined ? {} : { usage: outcome.usage };
}

/**
 * Whether work under way may still call an agent. False once the loop halted, was asked to stop, found tampering, has no
 * agent or spent its budget: then waiting for a rate limit is pointless.
 * @param now ISO 8601; the loop's own time is that of its last event
 */
export function isCallWanted(loop: Loop, now: string): boolean {
  const { state, run } = loop;
  if (run.halted !== null || run.tampered.length > 0 || (run.unavailable ?? run.needs_person) !== null) return false;
  return !state.control.stop_requested && budgetSpent({ ...loop, run: { ...run, now } }) === null;
}
