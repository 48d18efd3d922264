/** Asks the planner what to do about a stalled atom (SPEC section 4), or to plan work for failing checks (SPEC section 6). */
import { ADVICE_SCHEMA, PLANNER_SCHEMA } from "./answer-types.ts";
import { applyAdvice } from "../core/apply-advice.ts";
import type { Effect } from "../core/effect.ts";
import type { Read } from "../core/reading.ts";
import type { State } from "../core/state.ts";
import { patiently, spent } from "./agent-call.ts";
import { ask, taken } from "./ask.ts";
import { goalBrief, tellWarnings, type EffectContext, type UntimedEvent } from "./effect-context.ts";
import { whereKept, type KeptLesson } from "./lessons.ts";
import type { GoalBrief } from "./told.ts";
import { advicePrompt, plannerPrompt } from "./prompt.ts";
import { readAdviceAnswer, readPlannerAnswer, type AdviceAnswer, type PlannerAnswer } from "./answers.ts";
import type { Warned } from "./answers.ts";
import { addAtoms } from "../core/decompose.ts";
import { attemptId, BASE_CASE, type Nogood } from "../core/event.ts";
import { memoryOf, type Run } from "../core/loop.ts";
import type { LeafVerdict } from "../core/verdict.ts";

/** Asks what is to be done about one atom; answers `advised`. */
export async function askPlanner(
  context: EffectContext,
  { atom: id, why, nogoods }: Extract<Effect, { type: "ask_planner" }>,
  signal: AbortSignal,
): Promise<void> {
  const { state } = context.stateNow();
  const atom = state.atoms.find((one) => one.id === id);
  const advised = { type: "advised", atom: id, advice: null } as const;
  if (atom === undefined) return context.answer({ ...advised, reason: "there is nobody to ask" });
  const others = state.atoms.filter((one) => one.status !== "resolved" && one.id !== id);
  const question: Question<AdviceAnswer> = {
    call: `advice.${id}`,
    nogoods,
    schema: ADVICE_SCHEMA,
    prompt: (goal, lessons) => advicePrompt({ ...goal, atom, why, nogoods: lessons, others }),
    read: readAdvice(state, id, context.ports.clock.now()),
  };
  await askOnce(context, question, signal, (said) =>
    "value" in said
      ? { ...advised, ...said.value }
      : { ...advised, ...said, reason: `the planner gave no advice: ${said.reason}` },
  );
}

/** Asks for atoms that make the failing leaves pass; answers `replanned`. */
export async function replan(
  context: EffectContext,
  failing: readonly LeafVerdict[],
  signal: AbortSignal,
): Promise<void> {
  const { state, run } = context.stateNow();
  const replanned = { type: "replanned", atoms: [] } as const;
  const question: Question<PlannerAnswer> = {
    call: `planner.${attemptId(run.id, state.control.iteration)}`,
    nogoods: failuresIn(state, run),
    schema: PLANNER_SCHEMA,
    prompt: (goal, nogoods) => plannerPrompt({ ...goal, failing, atoms: state.atoms, nogoods, plans: run.plans }),
    read: readPlan(state, context.ports.clock.now()),
  };
  await askOnce(context, question, signal, (said) =>
    "value" in said
      ? { ...replanned, ...said.value }
      : { ...replanned, ...said, reason: `the planner gave no plan: ${said.reason}` },
  );
}

interface Question<T> {
  readonly call: string;
  readonly nogoods: readonly Nogood[];
  readonly schema: object;
  readonly prompt: (goal: GoalBrief, lessons: readonly KeptLesson[]) => string;
  readonly read: Read<T>;
}

type Said<T> = { readonly value: Omit<T, "warnings"> } | { readonly reason: string; readonly unavailable?: string };

/** @param answerOf makes the event for the loop out of the answer, or of why there is none */
async function askOnce<T extends Warned>(
  context: EffectContext,
  { call, nogoods, schema, prompt, read }: Question<T>,
  signal: AbortSignal,
  answerOf: (said: Said<T>) => Extract<UntimedEvent, { type: "advised" | "replanned" }>,
): Promise<void> {
  const { planner, workspace } = context.ports;
  if (planner === null) return context.answer({ ...answerOf({ reason: "" }), reason: "there is no planner" });
  const place = await workspace.checkout({ set_up: false });
  try {
    const goal = await goalBrief(context, place.dir);
    const lessons = await whereKept(context, nogoods);
    const request = { role: "planner", call, bindings: {}, nogoods, schema, cwd: place.dir } as const;
    const outcome = await patiently(context, { call, name: "the planner" }, signal, (budget) =>
      ask(planner, { ...request, prompt: prompt(goal, lessons), ...budget }, read, signal),
    );
    if (outcome.kind === "aborted")
      return context.answer({ type: "background_aborted", call: "planner", ...spent(outcome) });
    if (outcome.kind === "answered") {
      const { warnings, ...value } = outcome.value;
      tellWarnings(context, "the planner", warnings);
      return context.answer({ ...answerOf({ value }), ...spent(outcome) });
    }
    const unavailable = outcome.kind === "unavailable" ? { unavailable: outcome.reason } : {};
    context.answer({ ...answerOf({ reason: outcome.reason, ...unavailable }), ...spent(outcome) });
  } finally {
    await place.release();
  }
}

function readAdvice(state: State, atom: string, now: string): Read<AdviceAnswer> {
  return (answer) => {
    const read = readAdviceAnswer(answer);
    if (!read.ok) return read;
    const { advice, reason } = read.value;
    if (advice === null) return read;
    return taken(read, "the advice", applyAdvice(state, atom, advice, { reason, now }));
  };
}

function readPlan(state: State, now: string): Read<PlannerAnswer> {
  return (answer) => {
    const plan = readPlannerAnswer(answer);
    if (!plan.ok || plan.value.needs_person !== undefined) return plan;
    return taken(plan, "the plan", addAtoms(state, plan.value.atoms, plan.value.reason, now));
  };
}

/** Why attempts failed, atom by atom; failed checks of the goal are left out. */
function failuresIn({ atoms }: State, run: Run): readonly Nogood[] {
  return atoms.flatMap(({ id }) => memoryOf(run, id).nogoods.filter(({ attempt }) => attempt !== BASE_CASE));
}
