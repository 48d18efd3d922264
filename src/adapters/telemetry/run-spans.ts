/**
 * A run as OpenTelemetry spans and metrics, read off its journal lines: run > iteration > attempt > agent call, and run >
 * base case > check, judge. Agent calls carry the GenAI semantic conventions.
 *
 * RUN-SPANS-1 nothing that an agent, a goal or a check says is in it: names, ids, kinds, numbers; what somebody wrote
 *    only if `content` says so;
 * RUN-SPANS-2 every span that was begun is ended when the run is.
 */
import type * as Api from "@opentelemetry/api";
import type { Attributes, Context, Span } from "@opentelemetry/api";
import type { Usage } from "../../core/event.ts";
import type { JournalLine, LineOf } from "../../core/journal-line.ts";
import { checkNodesOf, isMechanical } from "../../core/verdict.ts";
import { createRunMetrics, agentAttributes, usageAttributes, type RunMetrics } from "./run-metrics.ts";

export interface RunSpans {
  line(line: JournalLine): void;
  /** Ends what is open (RUN-SPANS-2). */
  end(): void;
}

interface Open {
  readonly span: Span;
  readonly context: Context;
  readonly began: number;
}

interface OpenAttempt extends Open {
  readonly role: string;
  /** Its agent call, as long as it lasts. */
  call: Open | null;
}

interface Tracing {
  readonly api: typeof Api;
  readonly metrics: RunMetrics;
  readonly content: boolean;
  readonly iterations: Map<number, Open>;
  readonly attempts: Map<string, OpenAttempt>;
  run: Open | null;
  /** When the base case was last asked for, or the planner: the time of the line that led to it. */
  asked: number;
  last: number;
}

/** @param content whether texts may be recorded (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT) */
export function createRunSpans(api: typeof Api, { content }: { readonly content: boolean }): RunSpans {
  const tracing: Tracing = {
    api,
    metrics: createRunMetrics(api),
    content,
    iterations: new Map(),
    attempts: new Map(),
    run: null,
    asked: 0,
    last: 0,
  };
  return {
    line: (line) => {
      tracing.last = Date.parse(line.time);
      read(tracing, line, tracing.last);
    },
    end: () => endAll(tracing),
  };
}

function begin(
  { api }: Tracing,
  name: string,
  parent: Open | null,
  { began, attributes }: { readonly began: number; readonly attributes: Attributes },
): Open {
  const above = parent?.context ?? api.ROOT_CONTEXT;
  const span = api.trace.getTracer("aot-loop").startSpan(name, { startTime: began, attributes }, above);
  return { span, context: api.trace.setSpan(above, span), began };
}

function fail({ api }: Tracing, span: Span, type: string, message?: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: api.SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}

function read(tracing: Tracing, line: JournalLine, time: number): void {
  switch (line.event) {
    case "run_started":
      endAll(tracing);
      tracing.run = begin(tracing, "aot.run", null, {
        began: time,
        attributes: { "aot.run.id": line.run, "aot.run.from": line.from },
      });
      tracing.asked = time;
      return;
    case "iteration_opened":
      return openIteration(tracing, line.iteration, time);
    case "iteration_judged":
      return judged(tracing, line, time);
    case "attempt_started":
      return startAttempt(tracing, line, time);
    case "work_succeeded":
      return endCall(tracing, line, time, null);
    case "work_split":
    case "probe_feasible":
      endCall(tracing, line, time, null);
      return endAttempt(tracing, line.attempt, time, { error: null });
    case "attempt_integrated":
      return endAttempt(tracing, line.attempt, time, { error: null });
    case "attempt_failed":
      endCall(tracing, line, time, line.kind);
      return endAttempt(tracing, line.attempt, time, { error: line.kind, reason: line.reason });
    case "agent_unavailable":
    case "attempt_aborted":
      endCall(tracing, line, time, line.event);
      return endAttempt(tracing, line.attempt, time, { error: line.event });
    case "attempt_discarded":
      return endAttempt(tracing, line.attempt, time, { error: "discarded" });
    case "atom_resolved":
    case "planner_asked":
      tracing.asked = time;
      return;
    case "base_case_checked":
      return checked(tracing, line, time);
    case "advised":
    case "replanned":
      agentCall(tracing, "planner", { began: tracing.asked, time, usage: line.usage });
      return;
    case "waiting":
      return waiting(tracing, line, time);
    case "halted":
      tracing.run?.span.setAttribute("aot.outcome", line.outcome);
      if (line.outcome === "tampered" || line.outcome === "agent_unavailable")
        if (tracing.run !== null) fail(tracing, tracing.run.span, line.outcome);
      return;
    case "run_ended":
      tracing.run?.span.setAttributes({ "aot.cost_usd": line.cost_usd, "aot.active_ms": line.active_ms });
      return endAll(tracing);
    default:
      return;
  }
}

function waiting({ attempts, run }: Tracing, { attempt = "", wait_ms }: LineOf<"waiting">, time: number): void {
  (attempts.get(attempt) ?? run)?.span.addEvent("aot.rate_limited", { "aot.wait_ms": wait_ms }, time);
}

function openIteration(tracing: Tracing, iteration: number, time: number): void {
  tracing.iterations.get(iteration)?.span.end(time);
  const attributes = { "aot.iteration": iteration };
  tracing.iterations.set(iteration, begin(tracing, "aot.iteration", tracing.run, { began: time, attributes }));
}

function judged(tracing: Tracing, line: LineOf<"iteration_judged">, time: number): void {
  tracing.asked = time;
  tracing.metrics.measure(line.measure);
  const open = tracing.iterations.get(line.iteration);
  open?.span.setAttributes({
    "aot.measure": line.measure,
    "aot.movement": line.movement,
    "aot.stall_count": line.stall_count,
  });
  open?.span.end(time);
  tracing.iterations.delete(line.iteration);
}

// ── attempts ────────────────────────────────────────────────────────────────

function startAttempt(tracing: Tracing, line: LineOf<"attempt_started">, time: number): void {
  const { attempt, atom, role, iteration } = line;
  endAttempt(tracing, attempt, time, { error: "unsettled" });
  const about = { "aot.attempt": attempt, "aot.atom": atom, "aot.role": role };
  const open = begin(tracing, "aot.attempt", tracing.iterations.get(iteration) ?? tracing.run, {
    began: time,
    attributes: about,
  });
  const call = begin(tracing, "invoke_agent", open, {
    began: time,
    attributes: { "gen_ai.operation.name": "invoke_agent", ...about },
  });
  tracing.attempts.set(attempt, { ...open, role, call });
}

function endCall(
  tracing: Tracing,
  line: { readonly attempt: string; readonly usage?: Usage; readonly agent?: string },
  time: number,
  error: string | null,
): void {
  const attempt = tracing.attempts.get(line.attempt);
  const call = attempt?.call ?? null;
  // What failed behind the call (a conflict, a protected file) is no failure of the agent's.
  if (attempt === undefined || call === null) return;
  attempt.call = null;
  const about = agentAttributes(line.agent);
  if (line.agent !== undefined) call.span.updateName(`invoke_agent ${line.agent}`);
  call.span.setAttributes({ ...about, ...usageAttributes(line.usage) });
  if (error !== null) fail(tracing, call.span, error);
  call.span.end(time);
  tracing.metrics.call({ ...about, "aot.role": attempt.role }, time - call.began, line.usage, error);
}

function endAttempt(
  tracing: Tracing,
  id: string,
  time: number,
  { error, reason }: { readonly error: string | null; readonly reason?: string },
): void {
  const open = tracing.attempts.get(id);
  if (open === undefined) return;
  tracing.attempts.delete(id);
  open.call?.span.end(time);
  if (error !== null) fail(tracing, open.span, error, tracing.content ? reason : undefined);
  open.span.end(time);
  tracing.metrics.attempt(open.role, error ?? "ok", time - open.began);
}

// ── the base case ───────────────────────────────────────────────────────────

/** Mechanical checks run first, one after the other; what is left of the time is the judge's. */
function checked(tracing: Tracing, line: LineOf<"base_case_checked">, time: number): void {
  const leaves = checkNodesOf(line.verdict.checklist);
  const lasted = leaves.map(({ evidence }) => (evidence.kind === "command" ? evidence.duration_ms : 0));
  const mechanical = lasted.reduce((sum, one) => sum + one, 0);
  const began = Math.min(tracing.asked, time - mechanical);
  const open = begin(tracing, "aot.check_base_case", tracing.run, {
    began,
    attributes: { "aot.passed": String(line.verdict.passed) },
  });
  let at = began;
  for (const [index, leaf] of leaves.entries()) {
    if (!isMechanical(leaf.check)) continue;
    const item = tracing.content ? { "aot.check.item": leaf.item } : {};
    const about = { "aot.check.type": leaf.check.type, "aot.check.index": index, "aot.passed": String(leaf.passed) };
    const check = begin(tracing, "aot.check", open, { began: at, attributes: { ...about, ...item } });
    at += lasted[index] ?? 0;
    check.span.end(at);
  }
  if (line.usage !== undefined) agentCall(tracing, "judge", { began: at, time, usage: line.usage }, open);
  open.span.end(time);
  tracing.asked = time;
}

function agentCall(
  tracing: Tracing,
  role: string,
  { began, time, usage }: { readonly began: number; readonly time: number; readonly usage: Usage | undefined },
  parent = tracing.run,
): void {
  // The journal does not tell who it was: the role is what it is known by.
  const about = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": role, "aot.role": role };
  const call = begin(tracing, `invoke_agent ${role}`, parent, {
    began,
    attributes: { ...about, ...usageAttributes(usage) },
  });
  call.span.end(time);
  tracing.metrics.call({ "aot.role": role }, time - began, usage, null);
}

function endAll(tracing: Tracing): void {
  const { attempts, iterations, last } = tracing;
  for (const id of attempts.keys()) endAttempt(tracing, id, last, { error: "unsettled" });
  for (const [iteration, { span }] of iterations) {
    span.end(last);
    iterations.delete(iteration);
  }
  tracing.run?.span.end(last);
  tracing.run = null;
}
