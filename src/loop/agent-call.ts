/** One call of an agent: what it may spend, and how a rate limit is waited for. */
import type { Usage } from "../core/event.ts";
import { formatDuration } from "../core/fuel.ts";
import { activeMs, limitsIn } from "../core/loop.ts";
import { type AskOutcome, sum } from "./ask.ts";
import type { Desk } from "./desk.ts";
import type { AgentRequest } from "./ports.ts";

/** Limits of one call: its own, and what is left of the run's. */
export function callLimits(
  desk: Desk,
  call: string,
): Pick<AgentRequest, "timeout_ms" | "idle_timeout_ms" | "budget_usd" | "log_file"> {
  const { limits } = desk;
  const loop = desk.stateNow();
  const { run } = loop;
  const { max_cost_usd, max_duration_ms } = limitsIn(loop);
  const timeLeft =
    max_duration_ms === Infinity ? Infinity : max_duration_ms - activeMs({ ...run, now: desk.ports.clock.now() });
  const budget = Math.min(max_cost_usd - run.cost_usd, limits.max_call_usd ?? Infinity);
  return {
    timeout_ms: Math.max(1, Math.min(limits.timeout_ms, timeLeft)),
    ...(limits.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: limits.idle_timeout_ms }),
    ...(Number.isFinite(budget) ? { budget_usd: Math.max(0, budget) } : {}),
    ...(limits.logs === undefined ? {} : { log_file: `${limits.logs}/${call.replaceAll(/[^\w.-]/g, "_")}.log` }),
  };
}

/**
 * Waits for a rate limit that ends within the bound, saying until when; anything else is answered as it is, with
 * the usage of all calls.
 */
export async function patiently<T>(
  desk: Desk,
  what: string,
  signal: AbortSignal,
  call: () => Promise<AskOutcome<T>>,
): Promise<AskOutcome<T>> {
  let waited = 0;
  let usage: Usage | undefined;
  for (;;) {
    const outcome = await call();
    usage = sum(usage, outcome.usage);
    const wait = outcome.kind === "unavailable" ? outcome.retry_after_ms : undefined;
    if (wait === undefined || waited + wait > desk.limits.max_wait_ms || signal.aborted)
      return usage === undefined ? outcome : { ...outcome, usage };
    waited += Math.max(wait, 1_000);
    const reason = outcome.kind === "unavailable" ? outcome.reason : "";
    desk.send({ event: "note", message: `${what} waits ${formatDuration(wait)} for the agent: ${reason}` });
    await pause(desk, Math.max(wait, 1_000), signal);
  }
}

function pause(desk: Desk, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = desk.ports.clock.after(ms, resolve);
    signal.addEventListener("abort", () => (cancel(), resolve()), { once: true });
  });
}

export function spent(outcome: { readonly usage?: Usage }): { readonly usage?: Usage } {
  return outcome.usage === undefined ? {} : { usage: outcome.usage };
}
