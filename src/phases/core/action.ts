/** Everything that a person, an agent or a check can ask of a phase loop. A history of these gives its state again. */
import type { GateStatus, LoopStatus, PhaseStatus } from "./state.ts";

export type Action =
  | { readonly type: "start_phase"; readonly phase: string }
  | { readonly type: "complete_phase"; readonly phase: string; readonly deliverables: readonly string[] }
  /** It is reset, and may be started again. */
  | { readonly type: "fail_phase"; readonly phase: string; readonly reason: string }
  | { readonly type: "skip_phase"; readonly phase: string; readonly reason: string | null }
  /** `check`: its deliverables and checks were looked at by a program. */
  | { readonly type: "pass_gate"; readonly gate: string; readonly by: "person" | "check" }
  | { readonly type: "fail_gate"; readonly gate: string; readonly reason: string }
  | { readonly type: "retry_gate"; readonly gate: string }
  | { readonly type: "skip_gate"; readonly gate: string; readonly reason: string | null }
  | { readonly type: "pause" }
  /** `retry` reopens a failed loop, `restart` a complete one; both are a human's decision. */
  | { readonly type: "resume"; readonly reopen?: "retry" | "restart" }
  /** Nothing can mend it; the phase that is worked is reset. */
  | { readonly type: "fail_loop"; readonly reason: string }
  /** `by`: adds to what it is; else it is set. */
  | { readonly type: "count"; readonly metric: string; readonly value: number; readonly by?: true };

export type PhaseAction = Extract<Action, { readonly phase: string }>;
export type GateAction = Extract<Action, { readonly gate: string }>;

/** Where each leads to. */
export const PHASE_TARGETS: Readonly<Record<PhaseAction["type"], PhaseStatus>> = {
  start_phase: "active",
  complete_phase: "complete",
  fail_phase: "pending",
  skip_phase: "skipped",
};
export const GATE_TARGETS: Readonly<Record<GateAction["type"], GateStatus>> = {
  pass_gate: "passed",
  fail_gate: "failed",
  retry_gate: "pending",
  skip_gate: "skipped",
};
export const LOOP_TARGETS: Readonly<Record<"pause" | "resume" | "fail_loop", LoopStatus>> = {
  pause: "paused",
  resume: "active",
  fail_loop: "failed",
};

/** The command line that asks for it. */
export function commandOf(action: Action): string {
  const words = (...parts: readonly string[]): string => ["aot phases", ...parts].join(" ");
  switch (action.type) {
    case "start_phase":
      return words("start", quoted(action.phase));
    case "complete_phase":
      return words("complete", quoted(action.phase));
    case "fail_phase":
      return words("fail", quoted(action.phase), "--reason ...");
    case "skip_phase":
      return words("skip", quoted(action.phase));
    case "pass_gate":
      return words("approve", quoted(action.gate));
    case "fail_gate":
      return words("reject", quoted(action.gate), "--reason ...");
    case "retry_gate":
      return words("retry", quoted(action.gate));
    case "skip_gate":
      return words("skip-gate", quoted(action.gate), ...(action.reason === null ? [] : ["--reason ..."]));
    case "pause":
      return words("pause");
    case "resume":
      return words("resume", ...(action.reopen === undefined ? [] : [`--${action.reopen}`]));
    case "fail_loop":
      return words("fail --unrecoverable --reason ...");
    case "count":
      return words("count", quoted(action.metric), String(action.value));
  }
}

function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : JSON.stringify(word);
}
