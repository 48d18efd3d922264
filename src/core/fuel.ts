/** Fuel: how long a duration is, what is spent, and the worst that can still happen (SPEC section 4). */
import { COMMAND_SECONDS } from "./check-types.ts";
import type { RunSettings } from "./event.ts";
import type { Constraints, State } from "./state.ts";
import { isMechanical, leavesOf, runsCommand } from "./verdict.ts";

/** The durations that a state file may hold: not nothing, larger units first. `parseDuration` reads others, too. */
export const DURATION = /^(?=.*[1-9])(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/;
export const DURATION_WORDS = 'a duration such as "90m", "2h" or "1h30m"';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "90m", "2h", "1h30m", "45s" in milliseconds; null if it is none of these. */
export function parseDuration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d)\s*)+$/.test(text)) return null;
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(part[1]) * (UNITS[part[2] ?? ""] ?? 0);
  return total > 0 ? total : null;
}

/** Milliseconds in a person's words: "1h 30m", "4.2s". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** What no change of a limit takes back. */
export interface Spent {
  readonly cost_usd: number;
  readonly active_ms: number;
  attempts(atom: string): number;
}

/** The limits in force: a run's settings may narrow those of the state file, never widen them. */
export interface Limits {
  readonly max_iterations: number;
  readonly parallel: number;
  readonly max_cost_usd: number;
  readonly max_tokens: number;
  readonly max_duration_ms: number;
  readonly max_attempts_per_atom: number;
}

export function limitsOf(constraints: Constraints, settings: Partial<RunSettings> = {}): Limits {
  const duration = constraints.max_duration === undefined ? null : parseDuration(constraints.max_duration);
  return {
    max_iterations: Math.min(constraints.max_iterations, settings.max_iterations ?? Infinity),
    parallel: Math.min(constraints.max_parallel_agents, settings.parallel ?? Infinity),
    max_cost_usd: Math.min(constraints.max_cost_usd ?? Infinity, settings.max_cost_usd ?? Infinity),
    max_tokens: settings.max_tokens ?? Infinity,
    max_duration_ms: Math.min(duration ?? Infinity, settings.max_duration_ms ?? Infinity),
    max_attempts_per_atom: constraints.max_attempts_per_atom ?? Infinity,
  };
}

/** The most that a run can still do. `null`: no limit is known. */
export interface WorstCase {
  readonly iterations: number;
  /** Attempts, each one call of a worker or a probe. */
  readonly attempts: number;
  readonly probe_calls: number;
  readonly judge_calls: number;
  readonly planner_calls: number;
  /** All of these, each asked once more for a readable answer. */
  readonly agent_calls: number;
  readonly wall_ms: number | null;
  /** All calls at their highest price, the cost limit not considered. */
  readonly cost_usd: number | null;
  /** What the cost limit leaves. */
  readonly cost_left_usd: number | null;
}

/** Atoms of which the planner may be asked: by a stall one in each iteration, else one in two attempts (SPEC section 4). */
function mostAsked(iterations: number, attempts: number): number {
  return Math.min(attempts, iterations + Math.floor(attempts / 2));
}

/**
 * @param prices what is known of the agents: USD per call at most, and the time-out of one call in milliseconds
 */
export function worstCase(
  state: State,
  settings: RunSettings,
  prices: { readonly max_call_usd?: number | undefined; readonly call_timeout_ms: number; readonly spent_usd: number },
): WorstCase {
  const limits = limitsOf(state.objective.constraints, settings);
  const iterations = Math.max(0, limits.max_iterations - state.control.iteration);
  const attempts = iterations * limits.parallel;
  const leaves = leavesOf(state.objective.base_case);
  const judgedLeaves = leaves.filter(({ check }) => !isMechanical(check)).length;
  // An answer that is void by its quotes is asked for once more.
  const judged = judgedLeaves * 2;
  const checks = iterations + 1;
  const probes = Math.min(
    attempts,
    state.atoms.filter((atom) => atom.probe === true).length * Math.min(attempts, limits.max_attempts_per_atom),
  );
  const plans = iterations + (settings.planner === true ? mostAsked(iterations, attempts) : 0);
  const calls = (attempts + judged * checks + plans) * 2;
  const checkSeconds = leaves.reduce(
    (sum, { check }) => (runsCommand(check) ? sum + (check.timeout ?? COMMAND_SECONDS) : sum),
    0,
  );
  const wall = calls * prices.call_timeout_ms + checks * checkSeconds * 1_000;
  return {
    iterations,
    attempts,
    probe_calls: probes,
    judge_calls: judged * checks,
    planner_calls: plans,
    agent_calls: calls,
    wall_ms: Number.isFinite(Math.min(wall, limits.max_duration_ms)) ? Math.min(wall, limits.max_duration_ms) : null,
    cost_usd: prices.max_call_usd === undefined ? null : calls * prices.max_call_usd,
    cost_left_usd: Number.isFinite(limits.max_cost_usd) ? Math.max(0, limits.max_cost_usd - prices.spent_usd) : null,
  };
}
