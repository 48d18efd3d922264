/**
 * Carries out what `step` asks for: one small function per effect, each answering with one event.
 *
 * P1 each effect that awaits an answer gets exactly one event, whatever the port does;
 * P2 effects on the workspace start in the order they were asked for (the workspace keeps that order);
 * P3 a rejected promise of a port is a defect: it fails the run and is never taken for a result.
 */
import { attemptId, type Event, type Nogood, type Usage } from "../core/event.ts";
import type { Attempt, Effect } from "../core/effect.ts";
import { PLANNER_SCHEMA, PROBE_SCHEMA, WORKER_SCHEMA } from "../core/answer-schema.ts";
import { readPlannerAnswer, readProbeAnswer, readWorkerAnswer } from "../core/answer.ts";
import { formatDuration, limitsOf } from "../core/fuel.ts";
import { bindingsFor } from "../core/bindings.ts";
import { indexIn } from "../core/graph.ts";
import type { Mark } from "../core/journal.ts";
import { activeMs, type Loop } from "../core/loop.ts";
import { at } from "../core/vec.ts";
import type { LeafVerdict } from "../core/verdict.ts";
import { ask, sum, type AskOutcome } from "./ask.ts";
import type { Agent, AgentRequest, Clock, Store, Verifier, Workspace } from "./ports.ts";
import { plannerPrompt, probePrompt, workerPrompt } from "./prompt.ts";

export interface Ports {
  readonly worker: Agent;
  readonly probe: Agent;
  /** Null: each failing check becomes an atom of its own. */
  readonly planner: Agent | null;
  readonly verifier: Verifier;
  readonly workspace: Workspace;
  readonly store: Store;
  readonly clock: Clock;
}

export interface CallLimits {
  /** Absolute limit of one agent call, milliseconds. */
  readonly timeout_ms: number;
  readonly idle_timeout_ms?: number;
  /** What one call may cost at most, USD. */
  readonly max_call_usd?: number;
  /** How long a rate limit is waited for before the run stops, milliseconds. */
  readonly max_wait_ms: number;
  /** Folder for the agents' raw output. */
  readonly logs?: string;
}

export interface Performer {
  perform(effect: Effect): void;
  /** Aborts every agent and check that is at work. */
  kill(): void;
  /** Everything that was started has ended. */
  settled(): Promise<void>;
}

export interface PerformerOptions {
  readonly ports: Ports;
  readonly limits: CallLimits;
  readonly stateNow: () => Loop;
  readonly send: (entry: Event | Mark) => void;
  readonly fail: (error: unknown) => void;
}

type Stampless = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

interface Desk extends PerformerOptions {
  readonly controllers: Map<string, AbortController>;
  readonly timers: Set<() => void>;
  answer(event: Stampless): void;
}

const BACKGROUND = "background";

export function createPerformer(options: PerformerOptions): Performer {
  const open = new Set<Promise<void>>();
  const desk: Desk = {
    ...options,
    controllers: new Map(),
    timers: new Set(),
    answer: (event) => options.send({ ...event, at: options.ports.clock.now() }),
  };
  return {
    perform: (effect) => {
      const task = performing(desk, effect);
      if (task === null) return;
      const tracked = task.catch(options.fail).finally(() => open.delete(tracked));
      open.add(tracked);
    },
    kill: () => {
      for (const controller of desk.controllers.values()) controller.abort();
      for (const cancel of desk.timers) cancel();
      desk.timers.clear();
    },
    settled: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

function performing(desk: Desk, effect: Effect): Promise<void> | null {
  switch (effect.type) {
    case "start_attempt":
      return underControl(desk, effect.attempt.id, (signal) => attempt(desk, effect, signal));
    case "integrate":
      return integrate(desk, effect);
    case "shelve":
      return shelve(desk, effect.attempt, effect.reason);
    case "revert":
      return revert(desk, effect.atoms, effect.reason);
    case "check_base_case":
      return underControl(desk, BACKGROUND, (signal) => checkBaseCase(desk, signal));
    case "replan":
      return underControl(desk, BACKGROUND, (signal) => replan(desk, effect.failing, signal));
    case "abort_attempt":
      desk.controllers.get(effect.attempt.id)?.abort();
      return null;
    case "abort_background":
      desk.controllers.get(BACKGROUND)?.abort();
      return null;
    case "wake_in":
      desk.timers.add(desk.ports.clock.after(effect.ms, () => desk.answer({ type: "time_passed" })));
      return null;
    case "halt":
      return null;
  }
}

async function underControl(desk: Desk, name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  desk.controllers.set(name, controller);
  try {
    await work(controller.signal);
  } finally {
    // The next check may have begun while this one's checkout was released: it keeps its own controller.
    if (desk.controllers.get(name) === controller) desk.controllers.delete(name);
  }
}

// ── attempts ────────────────────────────────────────────────────────────────

async function attempt(
  desk: Desk,
  effect: Extract<Effect, { type: "start_attempt" }>,
  signal: AbortSignal,
): Promise<void> {
  const { id, role } = effect.attempt;
  const place = await desk.ports.workspace.start(effect.attempt);
  if (signal.aborted) return desk.answer({ type: "attempt_aborted", attempt: id });
  const request = requestOf(desk, effect, place.dir);
  if (role === "probe") {
    const outcome = await patiently(desk, id, signal, () => ask(desk.ports.probe, request, readProbeAnswer, signal));
    return desk.answer(
      outcome.kind !== "answered" ? unanswered(id, outcome) : { ...spent(outcome), ...probeEvent(id, outcome.value) },
    );
  }
  const outcome = await patiently(desk, id, signal, () => ask(desk.ports.worker, request, readWorkerAnswer, signal));
  if (outcome.kind !== "answered") return desk.answer(unanswered(id, outcome));
  const { value } = outcome;
  if (value.kind === "split")
    return desk.answer({
      type: "work_split",
      attempt: id,
      children: value.children,
      reason: value.reason,
      ...spent(outcome),
    });
  if (!value.success)
    return desk.answer({
      type: "attempt_failed",
      attempt: id,
      kind: "failed",
      reason: value.summary,
      ...spent(outcome),
    });
  desk.answer({
    type: "work_succeeded",
    attempt: id,
    summary: value.summary,
    artifacts: value.artifacts,
    ...spent(outcome),
  });
}

function probeEvent(attempt: string, answer: { readonly feasible: boolean; readonly findings: string }): Stampless {
  if (answer.feasible) return { type: "probe_feasible", attempt, findings: answer.findings };
  return { type: "attempt_failed", attempt, kind: "infeasible", reason: answer.findings };
}

function unanswered(attempt: string, outcome: Exclude<AskOutcome<unknown>, { kind: "answered" }>): Stampless {
  if (outcome.kind === "aborted") return { type: "attempt_aborted", attempt, ...spent(outcome) };
  if (outcome.kind === "unavailable")
    return { type: "agent_unavailable", attempt, reason: outcome.reason, ...spent(outcome) };
  return { type: "attempt_failed", attempt, kind: outcome.failure, reason: outcome.reason, ...spent(outcome) };
}

function spent(outcome: { readonly usage?: Usage }): { readonly usage?: Usage } {
  return outcome.usage === undefined ? {} : { usage: outcome.usage };
}

function requestOf(desk: Desk, effect: Extract<Effect, { type: "start_attempt" }>, cwd: string): AgentRequest {
  const { attempt, nogoods, findings } = effect;
  const { state, view } = desk.stateNow();
  const index = indexIn(view.graph, attempt.atom);
  const { id, description } = at(state.atoms, index);
  const atom = { id, description };
  const bindings = bindingsFor(state, view.graph, index);
  const brief = {
    objective: state.objective,
    atom,
    bindings,
    nogoods,
    ...(findings === undefined ? {} : { findings }),
  };
  return {
    role: attempt.role,
    call: attempt.id,
    atom,
    prompt: attempt.role === "probe" ? probePrompt(brief) : workerPrompt(brief),
    bindings,
    nogoods,
    schema: attempt.role === "probe" ? PROBE_SCHEMA : WORKER_SCHEMA,
    cwd,
    ...callLimits(desk, attempt.id),
  };
}

/** Limits of one call: its own, and what is left of the run's. */
function callLimits(
  desk: Desk,
  call: string,
): Pick<AgentRequest, "timeout_ms" | "idle_timeout_ms" | "budget_usd" | "log_file"> {
  const { limits } = desk;
  const { state, run } = desk.stateNow();
  const bounds = limitsOf(state.objective.constraints, run.settings);
  const timeLeft = bounds.max_duration_ms - activeMs({ ...run, now: desk.ports.clock.now() });
  const budget = Math.min(bounds.max_cost_usd - run.cost_usd, limits.max_call_usd ?? Infinity);
  return {
    timeout_ms: Math.max(1, Math.min(limits.timeout_ms, timeLeft)),
    ...(limits.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: limits.idle_timeout_ms }),
    ...(Number.isFinite(budget) ? { budget_usd: Math.max(0, budget) } : {}),
    ...(limits.logs === undefined ? {} : { log_file: `${limits.logs}/${call.replaceAll(/[^\w.-]/g, "_")}.log` }),
  };
}

/**
 * Waits for a rate limit that ends within the bound, saying until when; anything else is answered as it is, with
 * the usage of all calls.
 */
async function patiently<T>(
  desk: Desk,
  what: string,
  signal: AbortSignal,
  call: () => Promise<AskOutcome<T>>,
): Promise<AskOutcome<T>> {
  let waited = 0;
  let usage: Usage | undefined;
  for (;;) {
    const outcome = await call();
    usage = sum(usage, outcome.usage);
    const wait = outcome.kind === "unavailable" ? outcome.retry_after_ms : undefined;
    if (wait === undefined || waited + wait > desk.limits.max_wait_ms || signal.aborted)
      return usage === undefined ? outcome : { ...outcome, usage };
    waited += Math.max(wait, 1_000);
    const reason = outcome.kind === "unavailable" ? outcome.reason : "";
    desk.send({ event: "note", message: `${what} waits ${formatDuration(wait)} for the agent: ${reason}` });
    await pause(desk, Math.max(wait, 1_000), signal);
  }
}

function pause(desk: Desk, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = desk.ports.clock.after(ms, resolve);
    signal.addEventListener("abort", () => (cancel(), resolve()), { once: true });
  });
}

// ── workspace ───────────────────────────────────────────────────────────────

async function integrate(desk: Desk, effect: Extract<Effect, { type: "integrate" }>): Promise<void> {
  const {
    attempt: { id, atom },
    summary,
    artifacts,
  } = effect;
  const { state, view } = desk.stateNow();
  const { description } = at(state.atoms, indexIn(view.graph, atom));
  const result = await desk.ports.workspace.integrate(effect.attempt, { description, summary, artifacts });
  switch (result.kind) {
    case "integrated":
      return desk.answer({
        type: "attempt_integrated",
        attempt: id,
        commit: result.commit,
        artifacts: artifacts.length > 0 ? artifacts : result.files,
      });
    case "conflict":
      return desk.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "conflict",
        reason: `merge conflict in ${result.files.join(", ")}: others changed the same lines meanwhile; work from what is there now`,
      });
    case "protected":
      return desk.answer({
        type: "attempt_failed",
        attempt: id,
        kind: "protected",
        reason: `it changed protected files: ${result.files.join(", ")}; they decide the verdict and no attempt may touch them`,
      });
    case "failed":
      return desk.answer({ type: "attempt_failed", attempt: id, kind: "failed", reason: result.reason });
  }
}

async function shelve(desk: Desk, shelved: Attempt, reason: string): Promise<void> {
  const { kept } = await desk.ports.workspace.shelve(shelved, reason);
  if (kept !== null) desk.send({ event: "note", message: `the work of ${shelved.id} is kept in ${kept}` });
}

async function revert(desk: Desk, atoms: readonly string[], reason: string): Promise<void> {
  const { commit, lost } = await desk.ports.workspace.revert(atoms, reason);
  desk.answer({ type: "work_reverted", commit, lost });
}

// ── checks and replanning ───────────────────────────────────────────────────

async function checkBaseCase(desk: Desk, signal: AbortSignal): Promise<void> {
  const { workspace, verifier } = desk.ports;
  const changed = await workspace.tampered();
  if (changed.length > 0) return desk.answer({ type: "tampered", files: changed });
  const { objective } = desk.stateNow().state;
  const place = await workspace.checkout();
  try {
    if (place.tampered !== undefined && place.tampered.length > 0)
      return desk.answer({ type: "tampered", files: place.tampered });
    const checked = await verifier.verify(objective.base_case, place.dir, signal);
    if (signal.aborted) return desk.answer({ type: "background_aborted", ...spent(checked) });
    const { verdict, unavailable } = checked;
    desk.answer({
      type: "base_case_checked",
      verdict,
      commit: place.commit,
      ...spent(checked),
      ...(unavailable === undefined ? {} : { unavailable }),
    });
  } finally {
    await place.release();
  }
}

async function replan(desk: Desk, failing: readonly LeafVerdict[], signal: AbortSignal): Promise<void> {
  const { planner, workspace } = desk.ports;
  if (planner === null) return desk.answer({ type: "replanned", atoms: [], reason: "there is no planner" });
  const { state, run } = desk.stateNow();
  const place = await workspace.checkout();
  try {
    const call = `planner.${attemptId(run.id, state.control.iteration)}`;
    const request: AgentRequest = {
      role: "planner",
      call,
      prompt: plannerPrompt({ objective: state.objective, failing }),
      bindings: {},
      nogoods: NONE,
      schema: PLANNER_SCHEMA,
      cwd: place.dir,
      ...callLimits(desk, call),
    };
    const outcome = await patiently(desk, "the planner", signal, () =>
      ask(planner, request, readPlannerAnswer, signal),
    );
    if (outcome.kind === "aborted") return desk.answer({ type: "background_aborted", ...spent(outcome) });
    if (outcome.kind === "answered")
      return desk.answer({
        type: "replanned",
        atoms: outcome.value.atoms,
        reason: outcome.value.reason,
        ...spent(outcome),
      });
    const reason = `the planner gave no plan: ${outcome.reason}`;
    desk.answer({
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

const NONE: readonly Nogood[] = [];
