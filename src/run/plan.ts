/** What a run can cost before it is started (SPEC section 4). */
import { worstCase, type WorstCase } from "../core/fuel.ts";
import { refused, type Refused } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import type { RunOptions } from "./options.ts";
import { plannerSetting, type RunAgents } from "./agents.ts";
import type { Entry } from "../project/run-entry.ts";

/** What a run begins with. */
export interface Begun {
  readonly state: State;
  readonly spent_usd: number;
}

export function planOf({ state, spent_usd }: Begun, options: RunOptions, runAgents: RunAgents): WorstCase {
  return worstCase(
    state,
    { ...options.settings, ...plannerSetting(runAgents) },
    {
      max_call_usd: options.limits.max_call_usd ?? runAgents.max_call_usd,
      call_timeout_ms: options.limits.timeout_ms,
      spent_usd,
    },
  );
}

/** A run whose worst case costs more than `--max-cost-usd` is refused when prices are known. */
export function whyTooDear({ state, known }: Entry, options: RunOptions, runAgents: RunAgents): Refused | null {
  const worst = planOf({ state, spent_usd: known.memory.cost_usd }, options, runAgents);
  const limit = options.settings.max_cost_usd;
  if (limit === undefined || worst.cost_usd === null || worst.cost_usd <= limit) return null;
  return refused(
    `in the worst case this run costs ${worst.cost_usd.toFixed(2)} USD (${worst.agent_calls} calls), the limit is ${limit} USD`,
    "lower --max-iterations, --parallel or max_call_usd, or raise --max-cost-usd",
  );
}
