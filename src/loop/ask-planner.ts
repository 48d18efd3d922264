/** Asks the planner what to do about a stalled atom (SPEC section 4), or to plan work for failing checks (SPEC section 6). */
import { ADVICE_SCHEMA, PLANNER_SCHEMA } from "../core/answer-schema.ts";
import { readAdviceAnswer, type AdviceAnswer } from "../core/advice-answer.ts";
import { applyAdvice } from "../core/apply-advice.ts";
import type { Effect } from "../core/effect.ts";
import type { Read } from "../core/reading.ts";
import type { State } from "../core/state.ts";
import { patiently, spent } from "./agent-call.ts";
import { ask } from "./ask.ts";
import { goalBrief, tellWarnings, type EffectContext } from "./effect-context.ts";
import { whereKept } from "./lessons.ts";
import type { AgentRequest } from "./ports.ts";
import { advicePrompt, plannerPrompt } from "./prompt.ts";
import { readPlannerAnswer, type PlannerAnswer } from "../core/answer.ts";
import { addAtoms } from "../core/decompose.ts";
import { attemptId, BASE_CASE, type Nogood } from "../core/event.ts";
import type { Run } from "../core/loop.ts";
import type { LeafVerdict } from "../core/verdict.ts";

export async function askPlanner(
  context: EffectContext,
  { atom: id, why, nogoods }: Extract<Effect, { type: "ask_planner" }>,
  signal: AbortSignal,
): Promise<void> {
  const { planner, workspace } = context.ports;
  const { state } = context.stateNow();
  const atoms = state.atoms;
  const atom = atoms.find((one) => one.id === id);
  if (planner === null || atom === undefined)
    return context.answer({ type: "advised", atom: id, advice: null, reason: "there is nobody to ask" });
  const place = await workspace.checkout({ set_up: false });
  try {
    const call = `advice.${id}`;
    const request: Omit<AgentRequest, "timeout_ms"> = {
      role: "planner",
      call,
      prompt: advicePrompt({
        ...(await goalBrief(context, place.dir)),
        atom,
        why,
        nogoods: await whereKept(context, nogoods),
        others: atoms.filter((one) => one.status !== "resolved" && one.id !== id),
      }),
      bindings: {},
      nogoods,
      schema: ADVICE_SCHEMA,
      cwd: place.dir,
    };
    const outcome = await patiently(context, { call, name: "the planner" }, signal, (budget) =>
      ask(planner, { ...request, ...budget }, readAdvice(state, id, context.ports.clock.now()), signal),
    );
    if (outcome.kind === "aborted")
      return context.answer({ type: "background_aborted", call: "planner", ...spent(outcome) });
    if (outcome.kind === "answered") {
      const { advice, reason, warnings } = outcome.value;
      tellWarnings(context, "the planner", warnings);
      return context.answer({ type: "advised", atom: id, advice, reason, ...spent(outcome) });
    }
    context.answer({
      type: "advised",
      atom: id,
      advice: null,
      reason: `the planner gave no advice: ${outcome.reason}`,
      ...spent(outcome),
      ...(outcome.kind === "unavailable" ? { unavailable: outcome.reason } : {}),
    });
  } finally {
    await place.release();
  }
}

/** Advice that cannot be applied to the state counts as unreadable, so the planner is asked once more with the reason. */
function readAdvice(state: State, atom: string, now: string): Read<AdviceAnswer> {
  return (answer) => {
    const read = readAdviceAnswer(answer);
    if (!read.ok) return read;
    const { advice, reason } = read.value;
    const taken = applyAdvice(state, atom, advice, { reason, now });
    if (taken.ok) return read;
    const reasons = taken.problems.map(({ message, hint }) => `${message} (${hint})`);
    return { ok: false, problem: `the advice cannot be taken: ${reasons.join("; ")}` };
  };
}

/** A plan that cannot be added to the state counts as unreadable, so the planner is asked once more with the reason. */
function readPlan(state: State, now: string): Read<PlannerAnswer> {
  return (answer) => {
    const plan = readPlannerAnswer(answer);
    const added = plan.ok ? addAtoms(state, plan.value.atoms, plan.value.reason, now) : null;
    if (added === null || added.ok) return plan;
    const reasons = added.problems.map(({ message, hint }) => `${message} (${hint})`);
    return { ok: false, problem: `the plan cannot be taken up: ${reasons.join("; ")}` };
  };
}

/** Why attempts failed, atom by atom; failed checks of the goal are left out. */
function failuresIn({ memory }: Run): readonly Nogood[] {
  return memory.flatMap(({ nogoods }) => nogoods.filter(({ attempt }) => attempt !== BASE_CASE));
}

export async function replan(
  context: EffectContext,
  failing: readonly LeafVerdict[],
  signal: AbortSignal,
): Promise<void> {
  const { planner, workspace } = context.ports;
  if (planner === null) return context.answer({ type: "replanned", atoms: [], reason: "there is no planner" });
  const { state, run } = context.stateNow();
  const place = await workspace.checkout({ set_up: false });
  try {
    const call = `planner.${attemptId(run.id, state.control.iteration)}`;
    const request: Omit<AgentRequest, "timeout_ms"> = {
      role: "planner",
      call,
      prompt: plannerPrompt({
        ...(await goalBrief(context, place.dir)),
        failing,
        atoms: state.atoms,
        nogoods: await whereKept(context, failuresIn(run)),
        plans: run.plans,
      }),
      bindings: {},
      nogoods: [],
      schema: PLANNER_SCHEMA,
      cwd: place.dir,
    };
    const outcome = await patiently(context, { call, name: "the planner" }, signal, (budget) =>
      ask(planner, { ...request, ...budget }, readPlan(state, context.ports.clock.now()), signal),
    );
    if (outcome.kind === "aborted")
      return context.answer({ type: "background_aborted", call: "planner", ...spent(outcome) });
    if (outcome.kind === "answered") tellWarnings(context, "the planner", outcome.value.warnings);
    if (outcome.kind === "answered")
      return context.answer({
        type: "replanned",
        atoms: outcome.value.atoms,
        reason: outcome.value.reason,
        ...spent(outcome),
      });
    const reason = `the planner gave no plan: ${outcome.reason}`;
    context.answer({
      type: "replanned",
      atoms: [],
      reason,
      ...spent(outcome),
      ...(outcome.kind === "unavailable" ? { unavailable: outcome.reason } : {}),
    });
  } finally {
    await place.release();
  }
}
