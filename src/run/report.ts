/** What a run came to: the receipt's facts, from its state and the story that its journal tells. Pure. */
import { limitsOf } from "../core/fuel.ts";
import type { AtomStatus, Binding, Correction, Outcome, State, TrailEntry } from "../core/state.ts";
import type { ChecklistVerdict } from "../core/verdict.ts";
import { isCounted, isExhausted } from "../core/fate.ts";
import { boardOf } from "../core/view.ts";
import type { IntegratedWork } from "../loop/ports.ts";
import type { AgentShare, HistoryPart, RunStory } from "../history/run-story.ts";

export interface RunReport {
  readonly run: string;
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly message: string;
  readonly goal: string;
  readonly iteration: number;
  /** The limit in force: a run may narrow that of the state file. */
  readonly max_iterations: number;
  readonly measure: number;
  readonly stall_count: number;
  readonly attempts: number;
  readonly failures: number;
  /** Of planners and judges. */
  readonly other_calls: number;
  readonly cost_usd: number;
  /** Input and output together, as far as agents reported. */
  readonly tokens: number;
  readonly active_ms: number;
  /** What attempts of this run waited for rate limits at most, all together. */
  readonly waited_ms: number;
  /** Verdict of the last check of the base case, and the commit that it is about. */
  readonly verdict: ChecklistVerdict | null;
  readonly commit: string | null;
  readonly atoms: readonly {
    readonly id: string;
    readonly description: string;
    readonly status: AtomStatus;
    /** Whether it counts as unresolved (SPEC section 3): no container, nothing given up or untried beside a success. */
    readonly counted: boolean;
    /** Why its last attempt in this run failed, and how many did. */
    readonly failed?: { readonly times: number; readonly reason: string };
    readonly binding?: Binding;
  }[];
  readonly trail: readonly TrailEntry[];
  /** OR groups of which no choice is left; the reason of each as far as this run gave it up. */
  readonly exhausted?: readonly {
    readonly or_group: string;
    readonly choices: readonly { readonly id: string; readonly reason?: string }[];
  }[];
  readonly corrections: readonly Correction[];
  /** What was integrated and taken out, oldest first; `agent`: who made it. */
  readonly history: readonly HistoryPart[];
  /** Who worked attempts of this run. */
  readonly agents: readonly AgentShare[];
  readonly notes: readonly string[];
  /** Where the work is, and what to do next. */
  readonly place: string;
  readonly merged: boolean;
  /** The attempts shared the folder: the commits are the loop's own bookkeeping, which no repository of the person's has. */
}

/** What only the workspace, or the loop itself, knows. */
export interface ReportFacts extends Pick<
  RunReport,
  "outcome" | "cost_usd" | "tokens" | "active_ms" | "verdict" | "commit" | "place" | "merged"
> {
  /** What stood in the integration branch before this run. */
  readonly earlier: readonly IntegratedWork[];
}

const MOST_KEPT = 1_000;

/** @param story of this run */
export function reportOf(state: State, story: RunStory, { earlier, ...facts }: ReportFacts): RunReport {
  const { view } = boardOf(state);
  const { run = "", message = "" } = story.runs.at(-1) ?? {};
  const failed = failuresIn(story);
  return {
    run,
    message,
    goal: state.objective.goal,
    iteration: state.control.iteration,
    max_iterations: limitsOf(state.objective.constraints, story.newest.settings ?? {}).max_iterations,
    measure: view.measure,
    stall_count: state.control.stall_count,
    attempts: story.started,
    failures: story.failures,
    other_calls: story.other_calls,
    waited_ms: story.waited_ms,
    ...facts,
    atoms: state.atoms.map(({ id, description, status, binding }, index) => {
      const failure = status === "resolved" ? undefined : failed.get(id);
      return {
        id,
        description,
        status,
        counted: isCounted(state, view.graph, index),
        ...(failure === undefined ? {} : { failed: failure }),
        ...(binding === undefined ? {} : { binding }),
      };
    }),
    trail: state.trail,
    ...exhaustedIn(state, story),
    corrections: state.corrections,
    history: [
      ...earlier.map(({ commit, atom, summary }) => ({ commit, what: `${atom}: ${summary}` })),
      ...story.history,
    ].slice(-MOST_KEPT),
    agents: story.agents,
    notes: story.notes.flatMap(({ event, words }) => (event === "note" ? [words] : [])).slice(-MOST_KEPT),
  };
}

function exhaustedIn({ or_groups }: State, { given_up }: RunStory): Pick<RunReport, "exhausted"> {
  const exhausted = or_groups.flatMap((group) => {
    if (!isExhausted(group)) return [];
    const choices = group.failed.map((id) => {
      const reason = given_up.get(id);
      return reason === undefined ? { id } : { id, reason };
    });
    return [{ or_group: group.name, choices }];
  });
  return exhausted.length === 0 ? {} : { exhausted };
}

/** Of each atom, by the reason of its last failed attempt. */
function failuresIn({ attempts }: RunStory): ReadonlyMap<string, NonNullable<RunReport["atoms"][number]["failed"]>> {
  const failed = new Map<string, { readonly times: number; readonly reason: string }>();
  for (const { atom, end, words } of attempts)
    if (end === "failed") failed.set(atom, { times: (failed.get(atom)?.times ?? 0) + 1, reason: words });
  return failed;
}
