/** The commands that act on a phase, a gate or the loop: each makes one action, and says what came of it. */
import { required, type Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { accepted, type Result } from "../../core/problem.ts";
import { listOf } from "../../edit/commands/edit-answer.ts";
import { phaseMeant, type ActedOn } from "../answer.ts";
import type { Action } from "../core/action.ts";
import type { PhaseLoop } from "../core/state.ts";
import { pausePhases } from "../pause.ts";
import { act, phaseFileOf, reopenIn } from "./answer.ts";

type Choose = (loop: PhaseLoop) => Result<Action>;

/**
 * @param choose reads the call (and refuses it: Unusable), then chooses by the loop
 * @param says what was done, in a sentence
 */
function doing(choose: (call: Call) => Choose, says: (call: Call, done: ActedOn) => string): Run {
  return async (call) => await act(call, choose(call), (done) => says(call, done));
}

const always =
  (action: Action): Choose =>
  () =>
    accepted(action);

const gateOf = (call: Call): string => required(call.arg("gate"), "gate");
const reasonOf = (call: Call): string => required(call.text("reason"), "reason");

/** The action on the phase that is named, or the current one. */
function onPhase(call: Call, make: (phase: string) => Action): Choose {
  return (loop) => {
    const phase = phaseMeant(loop, call.arg("phase"));
    return phase.ok ? accepted(make(phase.value)) : phase;
  };
}

export const approve = doing(
  (call) => always({ type: "pass_gate", gate: gateOf(call), by: "person" }),
  (call) => `${gateOf(call)} is passed`,
);

export const reject = doing(
  (call) => always({ type: "fail_gate", gate: gateOf(call), reason: reasonOf(call) }),
  (call) => `${gateOf(call)} is failed: ${reasonOf(call)}`,
);

export const retryGate = doing(
  (call) => always({ type: "retry_gate", gate: gateOf(call) }),
  (call) => `${gateOf(call)} is pending again`,
);

export const skipGate = doing(
  (call) => always({ type: "skip_gate", gate: gateOf(call), reason: call.text("reason") ?? null }),
  (call) => `${gateOf(call)} is skipped`,
);

export const skip = doing(
  (call) =>
    always({ type: "skip_phase", phase: required(call.arg("phase"), "phase"), reason: call.text("reason") ?? null }),
  (call) => `${call.arg("phase")} is skipped`,
);

export const start = doing(
  (call) => onPhase(call, (phase) => ({ type: "start_phase", phase })),
  (_, { loop }) => `${loop.phase} is active`,
);

export const complete = doing(
  (call) => {
    const deliverables = listOf(call.texts("deliverables"));
    return onPhase(call, (phase) => ({ type: "complete_phase", phase, deliverables }));
  },
  (call, { before }) => `${call.arg("phase") ?? before.phase} is complete`,
);

export const fail = doing(
  (call) => {
    const reason = reasonOf(call);
    if (call.isSet("unrecoverable")) return always({ type: "fail_loop", reason });
    return onPhase(call, (phase) => ({ type: "fail_phase", phase, reason }));
  },
  (call, { before, loop }) =>
    loop.status === "failed"
      ? `${loop.loop} failed: ${call.text("reason")}`
      : `${call.arg("phase") ?? before.phase} failed: it is pending again`,
);

/** @throws Unusable */
export const count = doing(
  (call) => {
    const written = required(call.arg("value"), "value");
    const value = written.trim() === "" ? Number.NaN : Number(written);
    if (!Number.isFinite(value)) throw new Unusable(`${JSON.stringify(written)} is no number`, "write a number: 3");
    const by = call.isSet("add") ? { by: true as const } : {};
    return always({ type: "count", metric: required(call.arg("metric"), "metric"), value, ...by });
  },
  (call, { loop }) => `${call.arg("metric")}: ${loop.metrics.find(({ name }) => name === call.arg("metric"))?.value}`,
);

/** @throws Unusable */
export const resume = doing(
  (call) => always({ type: "resume", ...reopenIn(call) }),
  (_, { loop, before }) => `${loop.loop} goes on${before.status === "active" ? "" : `, it was ${before.status}`}`,
);

const pauseHere = doing(
  () => always({ type: "pause" }),
  (_, { loop }) => `${loop.loop} is paused`,
);

/** A run that works the loop is asked; without one the file is changed. */
export const pause: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const { path, shown } = file.value;
  const asked = await pausePhases(path);
  if (asked === null) return await pauseHere(call);
  if (!asked.ok) return failure(asked.problems, shown);
  return { exit: 0, json: { success: true, state_file: path, message: asked.value, via: "runner" }, text: asked.value };
};
