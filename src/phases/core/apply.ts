/**
 * A phase loop after an action, or why the action is refused (SPEC section 11). Pure.
 *
 * APPLY-1 a status changes only as the tables of `state.ts` say;
 * APPLY-2 work begins only when every phase before it is over and every gate before it is settled;
 * APPLY-3 a gate is decided only when its turn has come, and a human one is passed only by a person;
 * APPLY-4 what is required is never skipped (a phase), or only with a reason (a gate);
 * APPLY-5 each accepted action sets `last_updated`, a refused one changes nothing.
 */
import { nearest } from "../../core/nearest.ts";
import { accepted, type Problem, type Refused, refused, type Result } from "../../core/problem.ts";
import { GATE_TARGETS, LOOP_TARGETS, PHASE_TARGETS, type Action, type GateAction, type PhaseAction } from "./action.ts";
import type { LoopDefinition } from "./definition.ts";
import { generate } from "./generate.ts";
import { blockerOfGate, blockerOfPhase, currentPhase, gateIn, isDone, phaseIn, type Blocker } from "./sequence.ts";
import {
  GATE_TRANSITIONS,
  LOOP_TRANSITIONS,
  PHASE_TRANSITIONS,
  type GateState,
  type PhaseLoop,
  type PhaseState,
  type Metric,
} from "./state.ts";

/** @param now ISO 8601, later than `last_updated` */
export function apply(definition: LoopDefinition, loop: PhaseLoop, action: Action, now: string): Result<PhaseLoop> {
  const changed = change(definition, loop, action, now);
  if (!changed.ok) return changed;
  const next = changed.value;
  const status = next.status === "active" && isDone(next) ? "complete" : next.status;
  const phase = currentPhase(next)?.name ?? next.phases.at(-1)?.name ?? next.phase;
  return accepted({ ...next, status, phase, last_updated: now });
}

function change(definition: LoopDefinition, loop: PhaseLoop, action: Action, now: string): Result<PhaseLoop> {
  if (action.type === "resume") return resumed(definition, loop, action.reopen, now);
  if (loop.status !== "active") return notActive(loop);
  if ("phase" in action) return changePhase(definition, loop, action, now);
  if ("gate" in action) return changeGate(definition, loop, action, now);
  switch (action.type) {
    case "pause":
      return accepted({ ...loop, status: LOOP_TARGETS.pause });
    case "fail_loop":
      return accepted({
        ...loop,
        status: LOOP_TARGETS.fail_loop,
        phases: loop.phases.map((phase) => (phase.status === "active" ? reset(phase) : phase)),
      });
    case "count":
      return counted(loop, action);
  }
}

// ── the loop ────────────────────────────────────────────────────────────────

function resumed(
  definition: LoopDefinition,
  loop: PhaseLoop,
  reopen: "retry" | "restart" | undefined,
  now: string,
): Result<PhaseLoop> {
  if (reopen === "restart" && loop.status === "complete") return accepted(generate(definition, now, loop.mode));
  if (reopen === "retry" && loop.status === "failed") return accepted({ ...loop, status: "active" });
  if (reopen !== undefined)
    return refused(
      `the loop ${loop.loop} is ${loop.status}: --${reopen} is for a loop that is ${reopen === "retry" ? "failed" : "complete"}`,
      "resume it without the flag, or look at it with `aot phases status`",
    );
  // The session was interrupted: it goes on where it stood.
  if (loop.status === "active" || LOOP_TRANSITIONS[loop.status].includes("active"))
    return accepted({ ...loop, status: LOOP_TARGETS.resume });
  return notActive(loop);
}

function notActive(loop: PhaseLoop): Refused {
  const hints = {
    active: "",
    paused: "allowed: resume (`aot phases resume`)",
    failed: "nothing is allowed any more; to go on from the phase that failed: `aot phases resume --retry`",
    complete: "nothing is allowed any more; to begin again: `aot phases resume --restart`",
  };
  return refused(`the loop ${loop.loop} is ${loop.status}`, hints[loop.status]);
}

// ── phases ──────────────────────────────────────────────────────────────────

function changePhase(definition: LoopDefinition, loop: PhaseLoop, action: PhaseAction, now: string): Result<PhaseLoop> {
  const phase = phaseIn(loop, action.phase);
  if (phase === undefined)
    return unknown(
      "unknown_phase",
      "phase",
      action.phase,
      loop.phases.map((one) => one.name),
    );
  const target = PHASE_TARGETS[action.type];
  if (!PHASE_TRANSITIONS[phase.status].includes(target))
    return refused(
      `the phase ${phase.name} is ${phase.status} and cannot become ${target}`,
      `${allowed(PHASE_TRANSITIONS[phase.status])}; phases: ${table(PHASE_TRANSITIONS)}`,
    );
  if (action.type === "start_phase") {
    const blocker = blockerOfPhase(definition, loop, phase.name);
    if (blocker !== null) return blocked(`the phase ${phase.name} cannot start yet`, blocker);
  }
  if (action.type === "skip_phase" && phase.required)
    return refused(`the phase ${phase.name} is required and cannot be skipped`, "work it: `aot phases start`");
  return accepted({
    ...loop,
    phases: loop.phases.map((one) => (one === phase ? phaseAfter(phase, action, loop, now) : one)),
  });
}

function phaseAfter(phase: PhaseState, action: PhaseAction, loop: PhaseLoop, now: string): PhaseState {
  switch (action.type) {
    case "start_phase":
      return { ...phase, status: "active", startedAt: now };
    case "complete_phase": {
      const deliverables = [...new Set([...phase.deliverables, ...action.deliverables])];
      // A loop's first phase is active from the beginning, without a time of its own.
      const startedAt = phase.startedAt ?? loop.started_at;
      return { ...phase, status: "complete", deliverables, startedAt, completedAt: now };
    }
    case "fail_phase":
      return reset(phase);
    case "skip_phase":
      return { ...phase, status: "skipped" };
  }
}

function reset(phase: PhaseState): PhaseState {
  return { ...phase, status: "pending", deliverables: [], startedAt: null, completedAt: null };
}

// ── gates ───────────────────────────────────────────────────────────────────

function changeGate(definition: LoopDefinition, loop: PhaseLoop, action: GateAction, now: string): Result<PhaseLoop> {
  const gate = gateIn(loop, action.gate);
  if (gate === undefined)
    return unknown(
      "unknown_gate",
      "gate",
      action.gate,
      loop.gates.map((one) => one.id),
    );
  const target = GATE_TARGETS[action.type];
  if (!GATE_TRANSITIONS[gate.status].includes(target))
    return refused(
      `the gate ${gate.id} is ${gate.status} and cannot become ${target}`,
      `${allowed(GATE_TRANSITIONS[gate.status])}; gates: ${table(GATE_TRANSITIONS)}`,
    );
  const blocker = blockerOfGate(definition, loop, gate.id);
  if (blocker !== null) return blocked(`the gate ${gate.id} cannot be decided yet`, blocker);
  if (action.type === "pass_gate" && action.by !== "person" && gate.approvalType === "human")
    return refused(`the gate ${gate.id} is passed by a human only`, `pass it with \`aot phases approve ${gate.id}\``);
  if (action.type === "skip_gate" && gate.required && (action.reason ?? "").trim() === "")
    return refused(`the gate ${gate.id} is required: it is skipped only with a reason`, "say why with --reason");
  return accepted({ ...loop, gates: loop.gates.map((one) => (one === gate ? gateAfter(gate, action, now) : one)) });
}

function gateAfter(gate: GateState, action: GateAction, now: string): GateState {
  switch (action.type) {
    case "pass_gate":
      return { ...gate, status: "passed", passedAt: now };
    case "fail_gate":
      return { ...gate, status: "failed" };
    case "retry_gate":
      return { ...gate, status: "pending" };
    case "skip_gate":
      return { ...gate, status: "skipped", skippedReason: action.reason };
  }
}

// ── words ───────────────────────────────────────────────────────────────────

function blocked(message: string, blocker: Blocker): Refused {
  return "phase" in blocker
    ? refused(`${message}: the phase ${blocker.phase.name} before it is ${blocker.phase.status}`, "complete it first")
    : refused(
        `${message}: the gate ${blocker.gate.id} before it is ${blocker.gate.status}`,
        blocker.gate.status === "failed"
          ? `put it right, then \`aot phases retry ${blocker.gate.id}\``
          : `pass it (\`aot phases approve ${blocker.gate.id}\`) or skip it (\`aot phases skip-gate ${blocker.gate.id}\`)`,
      );
}

function unknown(
  code: "unknown_phase" | "unknown_gate",
  what: string,
  name: string,
  names: readonly string[],
): { readonly ok: false; readonly problems: readonly Problem[] } {
  const message = `there is no ${what} ${JSON.stringify(name)}`;
  const all = names.length === 0 ? `the loop has no ${what}s` : `${what}s: ${names.join(", ")}`;
  return { ok: false, problems: [{ code, message, hint: `${nearest(name, names, "")} ${all}`.trim() }] };
}

function allowed(targets: readonly string[]): string {
  return targets.length === 0 ? "nothing is allowed from here" : `allowed from here: ${targets.join(", ")}`;
}

function table(transitions: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(transitions)
    .flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
    .join(", ");
}

type Count = Extract<Action, { readonly type: "count" }>;

function counted(loop: PhaseLoop, action: Count): Result<PhaseLoop> {
  if (action.metric.trim() === "") return refused("a metric needs a name", "name what is counted: tests_written");
  const metrics = metricsAfter(loop.metrics, action);
  const value = metrics.find((metric) => metric.name === action.metric)?.value;
  if (value === undefined || !Number.isFinite(value))
    return refused(`${action.metric} would be no number`, "count with finite numbers");
  return accepted({ ...loop, metrics });
}

/** The counters once this is counted, too. */
export function metricsAfter(metrics: readonly Metric[], { metric: name, value, by }: Count): readonly Metric[] {
  const known = metrics.find((metric) => metric.name === name);
  // Adding 0 makes 0 of -0, which JSON cannot tell apart.
  const next = { name, value: (by === true ? (known?.value ?? 0) : 0) + value };
  return known === undefined ? [...metrics, next] : metrics.map((metric) => (metric === known ? next : metric));
}
