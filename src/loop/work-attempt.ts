/** One attempt, from its workspace to the single event with its outcome (PERFORM-1). */
import { PROBE_SCHEMA, WORKER_SCHEMA } from "../core/answer-schema.ts";
import { readProbeAnswer, readWorkerAnswer, type ProbeAnswer, type WorkerAnswer } from "../core/answer.ts";
import { bindingsFor } from "../core/view.ts";
import { decompose } from "../core/decompose.ts";
import type { Effect } from "../core/effect.ts";
import { atomIn, type Usage } from "../core/event.ts";
import { indexIn } from "../core/graph.ts";
import type { Read } from "../core/reading.ts";
import { at } from "../core/vec.ts";
import { limitsIn, type AtomMemory, type Loop } from "../core/loop.ts";
import type { Atom, State } from "../core/state.ts";
import { patiently, spent, type CallBudget } from "./agent-call.ts";
import { ask, type AskOutcome } from "./ask.ts";
import { goalBrief, tellWarnings, type EffectContext, type UntimedEvent } from "./effect-context.ts";
import type { Agent, AgentRequest } from "./ports.ts";
import { whereKept } from "./lessons.ts";
import { attemptLimits, probePrompt, workerPrompt, type AttemptLimits } from "./prompt.ts";
import type { Peers } from "./told.ts";

export async function workAttempt(
  context: EffectContext,
  effect: Extract<Effect, { type: "start_attempt" }>,
  signal: AbortSignal,
): Promise<void> {
  const { id, role } = effect.attempt;
  const full = context.ports.room?.() ?? null;
  if (full !== null) {
    context.answer({ type: "stop_requested", reason: full });
    return context.answer({ type: "attempt_aborted", attempt: id });
  }
  const place = await context.ports.workspace.start(effect.attempt, signal);
  if (signal.aborted) return context.answer({ type: "attempt_aborted", attempt: id });
  if (place.failed !== undefined)
    return context.answer({ type: "attempt_failed", attempt: id, kind: "failed", reason: place.failed });
  const request = await requestOf(context, effect, place);
  const caller = { call: id, name: id, attempt: id };
  if (role === "probe") {
    const outcome = await patiently(context, caller, signal, (budget) =>
      ask(context.ports.probe, request(budget), readProbeAnswer, signal),
    );
    const refused = refusedTo(context, id);
    if (outcome.kind !== "answered") return context.answer(unanswered(id, outcome, refused));
    tellWarnings(context, id, outcome.value.warnings);
    return context.answer({ ...by(outcome), ...probeEvent(id, outcome.value, refused) });
  }
  const outcome = await patiently(context, caller, signal, (budget) =>
    ask(workerFor(context, effect), request(budget), readWork(context, effect.attempt.atom), signal),
  );
  const refused = refusedTo(context, id);
  if (outcome.kind !== "answered") return context.answer(unanswered(id, outcome, refused));
  const { value } = outcome;
  tellWarnings(context, id, value.warnings);
  if (value.kind === "split")
    return context.answer({
      type: "work_split",
      attempt: id,
      children: value.children,
      reason: value.reason,
      ...by(outcome),
    });
  if (!value.success)
    return context.answer({
      type: "attempt_failed",
      attempt: id,
      kind: "failed",
      reason: value.summary + refused,
      ...by(outcome),
    });
  const { kind: _, success: __, warnings: ___, ...work } = value;
  context.answer({ type: "work_succeeded", attempt: id, ...work, ...by(outcome) });
}

/** The agent depends on how often the atom failed (SPEC section 4). */
function workerFor({ ports }: EffectContext, { attempt, nogoods }: Parameters<typeof workAttempt>[1]): Agent {
  const { worker, escalation = [] } = ports;
  const failures = nogoods.filter((nogood) => atomIn(nogood.attempt) === attempt.atom).length;
  return failures === 0 ? worker : (escalation[Math.min(failures, escalation.length) - 1] ?? worker);
}

/** A split that cannot be applied to the state counts as unreadable, so the worker is asked once more with the reason. */
function readWork(context: EffectContext, atom: string): Read<WorkerAnswer> {
  return (answer) => {
    const work = readWorkerAnswer(answer);
    if (!work.ok || work.value.kind !== "split") return work;
    const { children, reason } = work.value;
    const split = decompose(context.stateNow().state, atom, children, { reason, now: context.ports.clock.now() });
    if (split.ok) return work;
    const reasons = split.problems.map(({ message, hint }) => `${message} (${hint})`);
    return { ok: false, problem: `the split cannot be taken up: ${reasons.join("; ")}` };
  };
}

/** What a call cost, and which agent answered. */
function by(outcome: AskOutcome<unknown>): { readonly usage?: Usage; readonly agent?: string } {
  return { ...spent(outcome), ...(outcome.agent === undefined ? {} : { agent: outcome.agent }) };
}

/** Journals what the sandbox denied, and returns it as text for a failure's reason, so that the next attempt knows. */
function refusedTo(context: EffectContext, call: string): string {
  const refused = context.ports.place?.refusals.get(call) ?? [];
  tellWarnings(context, call, refused);
  return refused.length === 0 ? "" : `\nRefused by the sandbox: ${refused.join("; ")}`;
}

function probeEvent(attempt: string, answer: ProbeAnswer, refused: string): UntimedEvent {
  const { cost_estimate, done } = answer;
  if (answer.feasible && done === true)
    return { type: "work_succeeded", attempt, summary: answer.findings, artifacts: [] };
  const estimate = cost_estimate === undefined ? "" : `\nIts estimate of the effort: ${cost_estimate}`;
  if (answer.feasible) return { type: "probe_feasible", attempt, findings: `${answer.findings}${estimate}` };
  return { type: "attempt_failed", attempt, kind: "infeasible", reason: answer.findings + refused };
}

function unanswered(
  attempt: string,
  outcome: Exclude<AskOutcome<unknown>, { kind: "answered" }>,
  refused: string,
): UntimedEvent {
  if (outcome.kind === "aborted") return { type: "attempt_aborted", attempt, ...by(outcome) };
  if (outcome.kind === "unavailable")
    return { type: "agent_unavailable", attempt, reason: outcome.reason, ...by(outcome) };
  const died = outcome.died === true ? { died: true as const } : {};
  return {
    type: "attempt_failed",
    attempt,
    kind: outcome.failure,
    reason: outcome.reason + refused,
    ...died,
    ...by(outcome),
  };
}

/** Builds the request from the budget, which differs between calls. */
async function requestOf(
  context: EffectContext,
  { attempt, nogoods: failed, findings }: Extract<Effect, { type: "start_attempt" }>,
  { dir: cwd, env }: Pick<AgentRequest, "env"> & { readonly dir: string },
): Promise<(budget: CallBudget) => AgentRequest> {
  const goal = await goalBrief(context, cwd);
  const nogoods = await whereKept(context, failed);
  const loop = context.stateNow();
  const { state, view } = loop;
  const index = indexIn(view.graph, attempt.atom);
  const { id, description, criteria } = at(state.atoms, index);
  const atom = { id, description, ...(criteria === undefined ? {} : { criteria }) };
  const bindings = bindingsFor(state, view.graph, index);
  const brief = {
    ...goal,
    env,
    atom,
    bindings,
    nogoods,
    peers: peersOf(loop, id),
    alternatives: alternativesOf(state, id),
    probed: Object.fromEntries(Object.keys(bindings).map((one) => [one, memoryIn(loop, one).findings])),
    ...(findings === undefined ? {} : { findings }),
  };
  const { max_attempts_per_atom } = limitsIn(loop);
  const prompt = attempt.role === "probe" ? probePrompt : workerPrompt;
  return (budget) => ({
    role: attempt.role,
    call: attempt.id,
    atom,
    prompt: prompt({
      ...brief,
      limits: { ...attemptLimits(attempt.number, max_attempts_per_atom), ...callLimits(budget) },
    }),
    bindings,
    nogoods,
    schema: attempt.role === "probe" ? PROBE_SCHEMA : WORKER_SCHEMA,
    cwd,
    ...(env === undefined ? {} : { env }),
    ...budget,
  });
}

function memoryIn({ run, view }: Loop, atom: string): AtomMemory {
  return at(run.memory, indexIn(view.graph, atom));
}

/** Rivals of a race are no peers: each does the whole. */
function peersOf({ state, run, view }: Loop, atom: string): Peers {
  const working = new Set(run.attempts.filter(({ discarded }) => !discarded).map(({ attempt }) => attempt.atom));
  working.delete(atom);
  for (const { id } of alternativesOf(state, atom)) working.delete(id);
  return {
    working: state.atoms.filter(({ id }) => working.has(id)),
    open: Math.max(0, view.measure - working.size - 1),
  };
}

function alternativesOf({ or_groups, atoms }: State, atom: string): readonly Atom[] {
  const group = or_groups.find(({ choices }) => choices.includes(atom));
  if (group === undefined) return [];
  return atoms.filter(({ id }) => id !== atom && group.choices.includes(id) && !group.failed.includes(id));
}

function callLimits({ timeout_ms, budget_usd, budget_tokens }: CallBudget): Omit<AttemptLimits, "attempt"> {
  return {
    time_ms: timeout_ms,
    ...(budget_usd === undefined ? {} : { cost_usd: budget_usd }),
    ...(budget_tokens === undefined ? {} : { tokens: budget_tokens }),
  };
}
