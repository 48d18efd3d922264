/**
 * The limits of a whole phase run (SPEC sections 4 and 11): what all of its loops, and looking at its gates, have spent
 * together. Never refunded: it is read from the journals.
 */
import type { RunSettings } from "../core/event.ts";
import type { Outcome } from "../core/state.ts";
import type { JudgeBudget } from "../loop/ports.ts";
import type { PhaseHistory } from "./core/history.ts";
import { workFile } from "./phase-work.ts";
import { recallLoop } from "../history/recall-loop.ts";

export interface Spent {
  readonly cost_usd: number;
  readonly tokens: number;
  readonly active_ms: number;
  readonly iterations: number;
}

/** What was spent since the loop began. @param but a work of which nothing is counted */
export function spentBy(stateFile: string, history: PhaseHistory, but?: string): Spent {
  const works = history.all_works
    .filter(({ file }) => file !== but)
    .map(({ file }) => recallLoop(workFile(stateFile, file)));
  const sum = (of: (work: (typeof works)[number]) => number): number =>
    works.reduce((total, work) => total + of(work), 0);
  return {
    cost_usd: history.cost_usd + sum(({ memory }) => memory.cost_usd),
    tokens: history.tokens + sum(({ memory }) => memory.tokens ?? 0),
    active_ms: history.active_ms + sum(({ memory }) => memory.active_ms),
    iterations: sum(({ iteration }) => iteration),
  };
}

export type NoBudget = { readonly outcome: Extract<Outcome, "budget" | "max_iterations">; readonly message: string };

/** What the limits of the whole leave for one more loop, whose own spending counts as well; or which one is spent. */
export function settingsLeft(settings: RunSettings, others: Spent, all: Spent): RunSettings | NoBudget {
  const over = spentUp(settings, all);
  if (over !== null) return over;
  const { max_cost_usd, max_tokens, max_duration_ms, max_iterations } = settings;
  return {
    ...settings,
    ...(max_cost_usd === undefined ? {} : { max_cost_usd: max_cost_usd - others.cost_usd }),
    ...(max_tokens === undefined ? {} : { max_tokens: max_tokens - others.tokens }),
    ...(max_duration_ms === undefined ? {} : { max_duration_ms: max_duration_ms - others.active_ms }),
    ...(max_iterations === undefined ? {} : { max_iterations: max_iterations - others.iterations }),
  };
}

/** Which limit of the whole is spent; null: none. */
export function spentUp(settings: RunSettings, spent: Spent): NoBudget | null {
  const { max_cost_usd, max_tokens, max_duration_ms, max_iterations } = settings;
  const said = (message: string): NoBudget => ({ outcome: "budget", message: `${message} of the whole phase run` });
  if (max_cost_usd !== undefined && spent.cost_usd >= max_cost_usd)
    return said(`${spent.cost_usd.toFixed(2)} of ${max_cost_usd} USD are spent`);
  if (max_tokens !== undefined && spent.tokens >= max_tokens)
    return said(`${spent.tokens} of ${max_tokens} tokens are spent`);
  if (max_duration_ms !== undefined && spent.active_ms >= max_duration_ms) return said("the working time is spent");
  if (max_iterations !== undefined && spent.iterations >= max_iterations)
    return { outcome: "max_iterations", message: `${spent.iterations} of ${max_iterations} iterations are spent` };
  return null;
}

/** What is left for a judge at a gate. */
export function judgeLeft(settings: RunSettings, spent: Spent): JudgeBudget {
  const { max_cost_usd, max_tokens } = settings;
  return {
    ...(max_cost_usd === undefined ? {} : { budget_usd: max_cost_usd - spent.cost_usd }),
    ...(max_tokens === undefined ? {} : { budget_tokens: max_tokens - spent.tokens }),
  };
}
