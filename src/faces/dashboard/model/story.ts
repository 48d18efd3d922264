/** What the lines of a journal tell of convergence, checks and cost (SPEC sections 4, 6 and 10). Pure. */
import type { Line } from "../../../app/dashboard/dashboard-frames.ts";
import type { ChecklistVerdict } from "../../../core/verdict.ts";

export interface Judged {
  readonly iteration: number;
  readonly measure: number;
  readonly movement: string;
  readonly stall_count: number;
  readonly advice: string | null;
}

export interface Checked {
  readonly time: string;
  readonly iteration: number;
  readonly commit: string | null;
  readonly verdict: ChecklistVerdict;
}

export interface Spent {
  readonly cost_usd: number;
  readonly tokens: number;
  readonly active_ms: number;
  readonly attempts: number;
  readonly failures: number;
  readonly agents: readonly {
    readonly agent: string;
    readonly attempts: number;
    readonly failures: number;
    readonly cost_usd: number;
  }[];
}

export interface Story {
  readonly judged: readonly Judged[];
  readonly checked: readonly Checked[];
  readonly spent: Spent;
}

/** Iterations that are shown. */
const MOST_JUDGED = 400;
const MOST_CHECKED = 50;

export function storyOf(lines: readonly Line[]): Story {
  const judged: Judged[] = [];
  const checked: Checked[] = [];
  const agents = new Map<string, { agent: string; attempts: number; failures: number; cost_usd: number }>();
  const total = { cost_usd: 0, tokens: 0, active_ms: 0, attempts: 0, failures: 0 };
  let begun: number | null = null;
  let last = 0;
  const rest = (): void => {
    if (begun !== null) total.active_ms += Math.max(0, last - begun);
    begun = null;
  };
  for (const line of lines) {
    const time = Date.parse(String(line["time"]));
    const usage = usageOf(line);
    total.cost_usd += usage.cost_usd;
    total.tokens += usage.tokens;
    const agent = line["agent"];
    if (typeof agent === "string") {
      const known = agents.get(agent) ?? { agent, attempts: 0, failures: 0, cost_usd: 0 };
      known.attempts++;
      known.failures += line["event"] === "attempt_failed" ? 1 : 0;
      known.cost_usd += usage.cost_usd;
      agents.set(agent, known);
    }
    switch (line["event"]) {
      case "run_started":
        rest();
        begun = time;
        break;
      case "attempt_started":
        total.attempts++;
        break;
      case "attempt_failed":
        total.failures++;
        break;
      case "iteration_judged":
        judged.push(judgedIn(line));
        break;
      case "base_case_checked":
        checked.push(checkedIn(line));
        break;
    }
    if (!Number.isNaN(time)) last = Math.max(last, time);
    if (line["event"] === "run_ended") rest();
  }
  rest();
  const spent = { ...total, agents: [...agents.values()].sort((a, b) => b.attempts - a.attempts) };
  return { judged: judged.slice(-MOST_JUDGED), checked: checked.slice(-MOST_CHECKED), spent };
}

function usageOf(line: Line): { readonly cost_usd: number; readonly tokens: number } {
  const usage = line["usage"] as Readonly<Record<string, unknown>> | null | undefined;
  const number = (key: string): number => {
    const value = usage?.[key];
    return typeof value === "number" && value > 0 ? value : 0;
  };
  return { cost_usd: number("cost_usd"), tokens: number("input_tokens") + number("output_tokens") };
}

function judgedIn(line: Line): Judged {
  const { advice } = line;
  return {
    iteration: Number(line["iteration"] ?? 0),
    measure: Number(line["measure"] ?? 0),
    movement: String(line["movement"] ?? ""),
    stall_count: Number(line["stall_count"] ?? 0),
    advice: typeof advice === "string" ? advice : null,
  };
}

function checkedIn(line: Line): Checked {
  const { commit } = line;
  return {
    time: String(line["time"] ?? ""),
    iteration: Number(line["iteration"] ?? 0),
    commit: typeof commit === "string" ? commit : null,
    verdict: line["verdict"] as ChecklistVerdict,
  };
}
