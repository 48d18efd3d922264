/** Verifies the base case at the end of a session's iteration (SPEC section 6), whatever the session says of it. */
import { accepted, refused, type Result } from "../core/problem.ts";
import { afterCheck, type SessionStep } from "../core/session.ts";
import type { BaseCase, State } from "../core/state.ts";
import { evidenceText } from "../core/telling.ts";
import { failingLeaves, isMechanical, leavesOf, type LeafVerdict } from "../core/verdict.ts";
import { plansText } from "../loop/prompt.ts";
import { checkLine } from "../loop/prompt-text.ts";
import { isoNow } from "../host/clock.ts";

export interface Settled {
  /** In order; `last` is the last of them and says what to do. */
  readonly steps: readonly SessionStep[];
  readonly last: SessionStep;
  /** What fails, each with why. */
  readonly failing: readonly string[];
  /** What earlier plans came to; empty: there was none, or nothing fails. */
  readonly plans: string;
}

/** Characters of one check's evidence that the coordinator gets; the worker who mends it gets more. */
const LONGEST_EVIDENCE = 500;

function withEvidence({ item, check, evidence }: LeafVerdict): string {
  return `${checkLine(item, check)}: ${evidenceText(evidence, LONGEST_EVIDENCE)}`;
}

/** Items of the base case that need a judge. */
export function judgedItems(baseCase: BaseCase): readonly string[] {
  return leavesOf(baseCase).flatMap(({ item, check }) => (isMechanical(check) ? [] : [item]));
}

/**
 * Verifies the base case if the step asks for it.
 * @param project the folder that the session works in
 * @param before the state that the step was made on
 * @param scores what the session's judge said; null: nothing
 * @returns refused: the check was not finished, and decides nothing
 */
export async function settleCheck(
  { file, project }: { readonly file: string; readonly project: string },
  before: State,
  step: SessionStep,
  { scores, signal }: { readonly scores: string | null; readonly signal: AbortSignal },
): Promise<Result<Settled>> {
  if (step.turn.kind !== "verify") return accepted({ steps: [step], last: step, failing: [], plans: "" });
  const { loop } = step.turn;
  const { objective } = before;
  const [{ verifyIn }, { tamperedIn }] = await Promise.all([
    import("../verify/verify-loop.ts"),
    import("../verify/tampered-files.ts"),
  ]);
  const tampered = await tamperedIn(file, objective, project);
  if (!tampered.ok) return tampered;
  if (tampered.value.length > 0) {
    const last = afterCheck(loop, { type: "tampered", at: isoNow(), files: tampered.value }, before);
    return accepted({ steps: [step, last], last, failing: [], plans: "" });
  }
  const deciders = { confirm: false, ...(scores === null ? {} : { scores }) };
  const verified = await verifyIn(loop.state, { dir: project, stateFile: file }, deciders, signal);
  if (!verified.ok) return verified;
  if (signal.aborted)
    return refused("the verification did not finish in time", "run `aot verify` and look what takes so long");
  const verdict = verified.value;
  const last = afterCheck(loop, { type: "base_case_checked", at: isoNow(), verdict, commit: null }, before);
  const failing = verdict.passed === false ? failingLeaves(verdict) : [];
  const plans = failing.length === 0 ? "" : plansText({ plans: loop.run.plans, failing });
  return accepted({ steps: [step, last], last, failing: failing.map(withEvidence), plans });
}
