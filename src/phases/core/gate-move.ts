/**
 * What becomes of a gate whose turn has come, without a person if that may be (SPEC section 11). Pure.
 *
 * GATE-MOVE-1 a human gate is never passed here, and a required one never skipped: a person sees it, whatever the autonomy;
 *    an optional one asks nobody;
 * GATE-MOVE-2 what a program cannot decide passes nothing;
 * GATE-MOVE-3 a phase is sent back at most MOST_SENT_BACK times in a row before a person is asked: the loop halts.
 */
import type { Passed } from "../../core/verdict.ts";
import type { Autonomy, Gate } from "./definition.ts";

/** What looking at a gate's deliverables and checks gave. */
export interface GateLook {
  readonly passed: Passed;
  /** What failed or could not be decided, in words; empty when all passed. */
  readonly reason: string;
}

export type GateMove =
  | { readonly kind: "pass" }
  | { readonly kind: "skip"; readonly reason: string }
  /** It failed; the phase before it is worked once more with the reason. */
  | { readonly kind: "send_back"; readonly reason: string }
  /** A person decides. `why`: what stands against passing it, may be empty. `failed`: which the state records. */
  | { readonly kind: "ask"; readonly why: string; readonly failed: boolean };

export const MOST_SENT_BACK = 2;

/** Whether a program looks at it first: there is something to look at, and it may pass by it. */
export function isLookedAt(gate: Gate): boolean {
  if (gate.approval !== "conditional") return gate.approval === "auto";
  // Without anything that could fail, nobody said when it passes by itself.
  return (
    gate.condition !== undefined || gate.criteria.length > 0 || gate.deliverables.length > 0 || gate.checks.length > 0
  );
}

/**
 * @param look null: nobody looked (`isLookedAt`)
 * @param sent_back how often its checks sent the phase back since a person last spoke
 */
export function gateMove(gate: Gate, autonomy: Autonomy, look: GateLook | null, sent_back: number): GateMove {
  if (look?.passed === true && gate.approval !== "human") return { kind: "pass" };
  if (gate.approval === "human" || look === null)
    return gate.required ? { kind: "ask", why: "", failed: false } : { kind: "skip", reason: "optional" };
  const failed = look.passed === false && gate.approval === "auto";
  if (!gate.required) return { kind: "skip", reason: `optional: ${look.reason}` };
  if (autonomy === "supervised") return { kind: "ask", why: look.reason, failed };
  const sends = look.passed === false && (gate.approval === "auto" || autonomy === "autonomous");
  if (sends && sent_back < MOST_SENT_BACK) return { kind: "send_back", reason: look.reason };
  const often = sends ? ` (the phase before it was sent back ${sent_back} times)` : "";
  return { kind: "ask", why: `${look.reason}${often}`, failed };
}

/** How often a gate can send its phase back by itself. */
export function mostSentBack(gate: Gate, autonomy: Autonomy): number {
  if (!isLookedAt(gate)) return 0;
  return gateMove(gate, autonomy, { passed: false, reason: "no" }, 0).kind === "send_back" ? MOST_SENT_BACK : 0;
}
