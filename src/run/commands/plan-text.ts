/** The worst case of a run as a table (SPEC section 4): how much of what, and where the figure comes from. Pure. */
import { counted } from "../../core/counted.ts";
import { formatDuration, type WorstCase, type Limits } from "../../core/fuel.ts";
import { dollars, thousands } from "../../view/words.ts";
import type { PlannedRun } from "../run.ts";

type Row = readonly [what: string, most: string, note: string];

export function planText({ plan: worst, agent, limits }: Omit<PlannedRun, "ok" | "sandbox">): string {
  const rows = [...callRows(worst), ...limitRows(worst, Number.isFinite(limits.max_duration_ms))];
  const whats = Math.max(...rows.map(([what]) => what.length));
  const mosts = Math.max(...rows.map(([, most]) => most.length));
  const lines = rows.map(([what, most, note]) => `  ${what.padEnd(whats)}  ${most.padStart(mosts)}  ${note}`.trimEnd());
  return [`with ${agent}: ${limitWords(limits)}`, "", "at most:", ...lines].join("\n");
}

function callRows(worst: WorstCase): Row[] {
  const { iterations, attempts, probe_calls, judge_calls, planner_calls, agent_calls } = worst;
  if (iterations === 0) {
    const row: Row = ["iterations", "0", "none is left: `aot redirect limit max_iterations N` gives more"];
    return judge_calls === 0 ? [row] : [row, judgeRow(worst)];
  }
  const probes = probe_calls === 0 ? "" : `; ${probe_calls} of them may be probes`;
  return [
    ["iterations", String(iterations), ""],
    ["worker calls", String(attempts), `${attempts / iterations} in each iteration${probes}`],
    ...(judge_calls === 0 ? [] : [judgeRow(worst)]),
    [
      "planner calls",
      String(planner_calls),
      "one after each check of the base case that fails, one about each atom that is stuck",
    ],
    ["all calls", String(agent_calls), "each may be repeated once, if unreadable"],
  ];
}

function judgeRow({ judge_calls, iterations }: WorstCase): Row {
  const checks = iterations + 1;
  const each = judge_calls / checks;
  return [
    "judge calls",
    String(judge_calls),
    `${each} in each of ${checks} ${checks === 1 ? "check" : "checks"} of the base case, half of them for void answers`,
  ];
}

/** @param limited the time has a limit: time-outs that are added up say nothing that a person plans by */
function limitRows({ wall_ms, cost_usd, cost_left_usd }: WorstCase, limited: boolean): Row[] {
  return [
    wall_ms === null || !limited
      ? ["time", "?", "no limit: set one with --max-duration"]
      : ["time", formatDuration(wall_ms), "work; waiting for a rate limit is not counted"],
    cost_usd === null
      ? ["cost", "?", "price unknown: cap a call with --set max_call_usd=N"]
      : ["cost", dollars(cost_usd), "every call at its highest price"],
    ...(cost_left_usd === null
      ? []
      : [["cost limit", dollars(cost_left_usd), "once that is spent the loop stops"] as const]),
  ];
}

/** `stops after 20 iterations, 5 attempts of one atom, 2h 0m or $10.00`, and what has no limit. */
export function limitWords(limits: Limits): string {
  const { max_iterations, max_attempts_per_atom, max_duration_ms, max_cost_usd, max_tokens } = limits;
  const set = (value: number, words: string): readonly string[] => (Number.isFinite(value) ? [words] : []);
  const all = [
    counted(max_iterations, "iteration"),
    ...set(max_attempts_per_atom, `${counted(max_attempts_per_atom, "attempt")} of one atom`),
    ...set(max_tokens, `${thousands(max_tokens)} tokens`),
    ...set(max_duration_ms, formatDuration(max_duration_ms)),
    ...set(max_cost_usd, dollars(max_cost_usd)),
  ];
  const free = [
    ...(Number.isFinite(max_duration_ms) ? [] : ["--max-duration"]),
    ...(Number.isFinite(max_cost_usd) ? [] : ["--max-cost-usd"]),
  ];
  const last = all.length > 1 ? `${all.slice(0, -1).join(", ")} or ${all.at(-1)}` : all.join("");
  return `stops after ${last}${free.length === 0 ? "" : `; not limited: ${free.join(", ")}`}`;
}
