/**
 * The worst case of a run of a phase loop, before anything is spent (SPEC section 4): what every phase that is left can
 * come to, each as often as its gates can send it back by themselves. What a person sends back is a new run's affair.
 */
import type { RunSettings } from "../core/event.ts";
import { worstCase, type WorstCase } from "../core/fuel.ts";
import { refused, type Problem } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { leavesOf } from "../core/verdict.ts";
import { gatesAfter, type Gate, type LoopDefinition, type Phase } from "./core/definition.ts";
import { isLookedAt, mostSentBack } from "./core/gate-move.ts";
import { gateIn, phaseIn } from "./core/sequence.ts";
import { isOver, isSettled } from "./core/state.ts";
import { spentBy, type Spent } from "./phase-budget.ts";
import { gateBaseCase } from "./phase-gate.ts";
import { readHistory, readTask } from "./file.ts";
import { phaseState } from "./phase-alignment.ts";
import { isVerified, readWork } from "./phase-work.ts";
import type { PhasesRunOptions } from "./run-options.ts";
import { readPhases, type ReadPhases } from "./answer.ts";
import { hasWork } from "./work-step.ts";
import { gatherRunAgents } from "../run/agents.ts";
import type { NoRun } from "../run/options.ts";

export interface PhasePlan {
  readonly phase: string;
  /** How often it can be worked. */
  readonly rounds: number;
  readonly iterations: number;
  /** Of agents, each asked once more for a readable answer. */
  readonly agent_calls: number;
}

export interface PhasesPlan {
  readonly ok: true;
  readonly agent: string;
  readonly phases: readonly PhasePlan[];
  /** All of them and what their gates ask the judge; the limit on iterations considered. */
  readonly iterations: number;
  readonly agent_calls: number;
  /** All calls at their highest price; null: no price is known. */
  readonly cost_usd: number | null;
  /** What the cost limit leaves; null: there is none. */
  readonly cost_left_usd: number | null;
}

/** Starts nothing. */
export async function planPhases(options: PhasesRunOptions): Promise<PhasesPlan | NoRun> {
  const read = readPhases(options.stateFile);
  if (!read.ok) return { ok: false, exit_code: 2, problems: read.problems };
  const runAgents = await gatherRunAgents({ ...options.run, stateFile: options.stateFile });
  if (!runAgents.ok) return { ok: false, exit_code: runAgents.unknown === true ? 2 : 17, problems: runAgents.problems };
  await runAgents.value.close();
  const spent = spentBy(options.stateFile, readHistory(options.stateFile, read.value.definition));
  const phases: PhasePlan[] = [];
  for (const phase of read.value.definition.phases) phases.push(...(await planOf(options, read.value, phase)));
  const price = options.run.limits.max_call_usd ?? runAgents.value.max_call_usd;
  return {
    ok: true,
    agent: runAgents.value.worker.name,
    phases,
    ...totalOf(phases, options.run.settings, spent, price),
  };
}

/** Whether the worst case is beyond the limit on cost. Null: it is not, or no price is known. */
export function tooDear({ agent_calls, cost_usd, cost_left_usd }: PhasesPlan): readonly Problem[] | null {
  if (cost_usd === null || cost_left_usd === null || cost_usd <= cost_left_usd) return null;
  return refused(
    `in the worst case this run costs ${cost_usd.toFixed(2)} USD (${agent_calls} calls), the limit leaves ${cost_left_usd.toFixed(2)} USD`,
    "lower --max-iterations or max_call_usd, or raise --max-cost-usd",
  ).problems;
}

function totalOf(
  phases: readonly PhasePlan[],
  { max_iterations, max_cost_usd }: RunSettings,
  spent: Spent,
  price: number | undefined,
): Pick<PhasesPlan, "iterations" | "agent_calls" | "cost_usd" | "cost_left_usd"> {
  const sum = (of: (plan: PhasePlan) => number): number => phases.reduce((total, plan) => total + of(plan), 0);
  const left = max_iterations === undefined ? Infinity : Math.max(0, max_iterations - spent.iterations);
  const iterations = Math.min(
    left,
    sum((plan) => plan.iterations),
  );
  const agent_calls = sum((plan) => plan.agent_calls);
  return {
    iterations,
    agent_calls,
    cost_usd: price === undefined ? null : agent_calls * price,
    cost_left_usd: max_cost_usd === undefined ? null : Math.max(0, max_cost_usd - spent.cost_usd),
  };
}

/** Empty: nothing of it is left. */
async function planOf(options: PhasesRunOptions, read: ReadPhases, phase: Phase): Promise<readonly PhasePlan[]> {
  const { definition, loop } = read;
  const gates = gatesAfter(definition, phase.name).filter(({ id }) => {
    const state = gateIn(loop, id);
    return state !== undefined && !isSettled(state);
  });
  const state = phaseIn(loop, phase.name);
  const isWorked = state !== undefined && !isOver(state) && hasWork(definition, phase);
  const autonomy = options.autonomy ?? definition.autonomy;
  const failed = state?.status === "complete" && gates.some(({ id }) => gateIn(loop, id)?.status === "failed") ? 1 : 0;
  const isIdle = state?.status === "skipped" || !hasWork(definition, phase);
  const back = isIdle ? 0 : gates.reduce((sum, gate) => sum + mostSentBack(gate, autonomy), 0);
  const rounds = (isWorked ? 1 : failed) + back;
  const looks = gates.reduce((sum, gate) => sum + judgeCalls(options, gate) * (1 + back), 0);
  const first = await firstRound(options, definition, phase);
  const fresh = worstOf(options, freshState(options, definition, phase));
  if (rounds === 0 && looks === 0) return [];
  const begun = rounds > 0 ? 1 : 0;
  const later = Math.max(0, rounds - begun);
  return [
    {
      phase: phase.name,
      rounds,
      iterations: begun * (first?.iterations ?? 0) + later * (fresh?.iterations ?? 0),
      agent_calls: begun * (first?.agent_calls ?? 0) + later * (fresh?.agent_calls ?? 0) + looks,
    },
  ];
}

/** The loop that is running in the phase, as far as it has come; else a new one. */
async function firstRound(
  options: PhasesRunOptions,
  definition: LoopDefinition,
  phase: Phase,
): Promise<WorstCase | null> {
  const work = readHistory(options.stateFile, definition).works.get(phase.name);
  const stands = work === undefined ? null : await readWork(options.stateFile, work);
  if (work === undefined || stands === null) return worstOf(options, freshState(options, definition, phase));
  return (await isVerified(options.stateFile, work)) ? null : worstOf(options, stands);
}

function freshState({ stateFile }: PhasesRunOptions, definition: LoopDefinition, phase: Phase): State | null {
  const skills = phase.skills.map(({ id, required }) => ({ id, required, path: null, text: "" }));
  const state = phaseState({ definition, phase, task: readTask(stateFile), mode: "", skills, round: 1 });
  return state.ok ? state.value : null;
}

function worstOf({ run }: PhasesRunOptions, state: State | null): WorstCase | null {
  if (state === null) return null;
  // The limits of the whole are considered once, for all of them.
  const { verify_each, confirmed, parallel, max_iterations } = run.settings;
  const settings = {
    verify_each,
    confirmed,
    ...(parallel === undefined ? {} : { parallel }),
    ...(max_iterations === undefined ? {} : { max_iterations: state.control.iteration + max_iterations }),
  };
  return worstCase(state, settings, { call_timeout_ms: run.limits.timeout_ms, spent_usd: 0 });
}

/** Of one look at a gate: an answer that is void is asked for once more, and each call may be repeated. */
function judgeCalls({ checks }: PhasesRunOptions, gate: Gate): number {
  if (gate.approval === "human" || !isLookedAt(gate)) return 0;
  const baseCase = gateBaseCase(gate, checks.get(gate.id) ?? []);
  const leaves = baseCase === null ? [] : leavesOf(baseCase).filter(({ check }) => check.type === "assertion");
  return leaves.length * 2 * 2;
}
