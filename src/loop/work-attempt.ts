/** One attempt, from its workspace to the single event with its outcome (PERFORM-1). */
import { PROBE_SCHEMA, WORKER_SCHEMA } from "./answer-types.ts";
import { readProbeAnswer, readWorkerAnswer, type ProbeAnswer, type WorkerAnswer } from "./answers.ts";
import { bindingsFor } from "../core/view.ts";
import { leavesText } from "../core/base-case-end.ts";
import { decompose } from "../core/decompose.ts";
import type { Effect } from "../core/effect.ts";
import { atomIn, type Usage } from "../core/event.ts";
import { isCounted, isLive } from "../core/fate.ts";
import { indexIn } from "../core/graph.ts";
import type { Read } from "../core/reading.ts";
import { at } from "../core/vec.ts";
import { failingLeaves, isMechanical, leavesOf } from "../core/verdict.ts";
import { limitsIn, memoryOf, type Loop } from "../core/loop.ts";
import type { Atom, State } from "../core/state.ts";
import { patiently, spent, type CallBudget } from "./agent-call.ts";
import { ask, taken, type AskOutcome } from "./ask.ts";
import { goalBrief, tellWarnings, type EffectContext, type UntimedEvent } from "./effect-context.ts";
import type { Agent, AgentRequest, PlaceEnvironment } from "./ports.ts";
import { whereKept } from "./lessons.ts";
import { attemptLimits, probePrompt, workerPrompt } from "./prompt.ts";
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
  if (value.kind === "split") {
    const { children, reason } = value;
    return context.answer({ type: "work_split", attempt: id, children, reason, ...by(outcome) });
  }
  if (!value.success)
    return context.answer({
      type: "attempt_failed",
      attempt: id,
      kind: "failed",
      reason: value.summary + refused,
      ...(value.artifacts.length === 0 ? {} : await whatChecksSay(context, effect.attempt.atom, place, signal)),
      ...by(outcome),
    });
  const { kind: _, success: __, warnings: ___, ...work } = value;
  context.answer({ type: "work_succeeded", attempt: id, ...work, ...by(outcome) });
}

const CHECKS_MS = 120_000;

/** Of what was changed without success, where no other work is open that the checks may wait for. A judge is not asked. */
async function whatChecksSay(
  { ports: { verifier }, stateNow }: EffectContext,
  atom: string,
  { dir, env }: { readonly dir: string; readonly env?: PlaceEnvironment },
  signal: AbortSignal,
): Promise<{ readonly evidence?: string }> {
  const loop = stateNow();
  const { working, open } = peersOf(loop, atom);
  const { objective } = loop.state;
  const checklist = leavesOf(objective.base_case).filter(({ check }) => isMechanical(check));
  if (working.length + open > 0 || checklist.length === 0) return {};
  const end = AbortSignal.any([signal, AbortSignal.timeout(CHECKS_MS)]);
  const { verdict } = await verifier.verify({ checklist }, dir, end, { env, objective });
  return end.aborted ? {} : { evidence: leavesText(failingLeaves(verdict)) || "The goal's commands pass on its work." };
}

/** The agent depends on how often the atom failed (SPEC section 4). */
function workerFor({ ports }: EffectContext, { attempt, nogoods }: Parameters<typeof workAttempt>[1]): Agent {
  const { worker, escalation = [] } = ports;
  const failures = nogoods.filter((nogood) => atomIn(nogood.attempt) === attempt.atom).length;
  return failures === 0 ? worker : (escalation[Math.min(failures, escalation.length) - 1] ?? worker);
}

function readWork(context: EffectContext, atom: string): Read<WorkerAnswer> {
  return (answer) => {
    const work = readWorkerAnswer(answer);
    if (!work.ok || work.value.kind !== "split") return work;
    const { children, reason } = work.value;
    const now = context.ports.clock.now();
    return taken(work, "the split", decompose(context.stateNow().state, atom, children, { reason, now }));
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
  const { failure: kind, reason } = outcome;
  const died = outcome.died === true ? { died: true as const } : {};
  return { type: "attempt_failed", attempt, kind, reason: reason + refused, ...died, ...by(outcome) };
}

/** Builds the request from the budget, which differs between calls. */
async function requestOf(
  context: EffectContext,
  { attempt, nogoods: failed, findings }: Extract<Effect, { type: "start_attempt" }>,
  { dir: cwd, env }: Pick<AgentRequest, "env"> & { readonly dir: string },
): Promise<(budget: CallBudget) => AgentRequest> {
  // As it is now: while this waits a person may take the atom away, which ends the attempt.
  const loop = context.stateNow();
  const goal = await goalBrief(context, cwd);
  const nogoods = await whereKept(context, failed, attempt.atom);
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
    probed: Object.fromEntries(Object.keys(bindings).map((one) => [one, memoryOf(loop.run, one).findings])),
    ...(findings === undefined ? {} : { findings }),
  };
  const { max_attempts_per_atom } = limitsIn(loop);
  const prompt = attempt.role === "probe" ? probePrompt : workerPrompt;
  return (budget) => ({
    role: attempt.role,
    call: attempt.id,
    atom,
    prompt: prompt({ ...brief, limits: { ...attemptLimits(attempt.number, max_attempts_per_atom), ...budget } }),
    bindings,
    nogoods,
    schema: attempt.role === "probe" ? PROBE_SCHEMA : WORKER_SCHEMA,
    cwd,
    ...(env === undefined ? {} : { env }),
    ...budget,
  });
}

/** Rivals of a race are no peers: each does the whole. What is done only if this fails is not open. */
function peersOf({ state, run, view: { graph } }: Loop, atom: string): Peers {
  const busy = new Set(run.attempts.filter(({ discarded }) => !discarded).map(({ attempt }) => attempt.atom));
  const own = new Set([atom, ...alternativesOf(state, atom).map(({ id }) => id)]);
  const others = state.atoms.filter(
    ({ id }, index) => !own.has(id) && isLive(state, graph, index) && isCounted(state, graph, index),
  );
  const working = others.filter(({ id }) => busy.has(id));
  return { working, open: others.length - working.length };
}

function alternativesOf({ or_groups, atoms }: State, atom: string): readonly Atom[] {
  const group = or_groups.find(({ choices }) => choices.includes(atom));
  if (group === undefined) return [];
  return atoms.filter(({ id }) => id !== atom && group.choices.includes(id) && !group.failed.includes(id));
}
