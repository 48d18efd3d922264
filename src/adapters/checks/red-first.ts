/**
 * Red first (SPEC section 6): every check is run once before any work. One that already passes proves nothing,
 * one that cannot run decides nothing.
 */
import { checkTypeRow } from "../../core/check-types.ts";
import type { BaseCase } from "../../core/state.ts";
import { leavesOf, type ChecklistVerdict, type Leaf, type LeafPath, type LeafResult } from "../../core/verdict.ts";
import { checkWarnings } from "./checker.ts";
import { isCrash } from "./command-check.ts";
import { verifyBaseCase, type VerifyOptions } from "./verify.ts";

/**
 * `red`: fails before the work, as wanted; `vacuous`: passes before any work; `invariant`: passes and is declared
 * `baseline: pass`; `broken`: could not be run or looked at; `undecided`: needs a judge, or was stopped.
 */
export type Standing = "red" | "vacuous" | "invariant" | "broken" | "undecided";

export interface RedFirstLeaf extends Leaf {
  readonly standing: Standing;
  /** What it means and what to do, in a sentence. */
  readonly why: string;
  readonly result: LeafResult;
}

export interface CheckWarning {
  readonly path: LeafPath;
  readonly item: string;
  readonly message: string;
}

export interface RedFirstReport {
  readonly leaves: readonly RedFirstLeaf[];
  /** What looks wrong without running anything, and contradictions with what was declared. */
  readonly warnings: readonly CheckWarning[];
  readonly verdict: ChecklistVerdict;
  /** The goal as a whole would be verified before any work: the base case is vacuous. */
  readonly would_complete_now: boolean;
}

/**
 * Runs every mechanical check once in `dir`, the project before any work; asks no judge.
 * A vacuous leaf inside an `any_of` or beside red ones need not make the whole vacuous: see `would_complete_now`.
 */
export async function redFirst(
  baseCase: BaseCase,
  dir: string,
  options: Pick<VerifyOptions, "checker" | "signal" | "parallel">,
): Promise<RedFirstReport> {
  const results = new Map<string, LeafResult>();
  const { checker } = options;
  const recording: VerifyOptions["checker"] = {
    async run(leaf, where, signal) {
      const result = await checker.run(leaf, where, signal);
      results.set(leaf.path.join("."), result);
      return result;
    },
  };
  const verdict = await verifyBaseCase(baseCase, dir, { ...options, checker: recording });
  const leaves = leavesOf(baseCase).map((leaf) => assess(leaf, results.get(leaf.path.join(".")) ?? NOT_RUN));
  const warnings = leaves.flatMap(({ path, item, check, standing }) => {
    const messages = [...checkWarnings(check, dir)];
    if (check.baseline === "pass" && standing === "red")
      messages.push(
        "it is declared to pass before the work (baseline: pass) but fails now; repair it first, or take the declaration away",
      );
    return messages.map((message) => ({ path, item, message }));
  });
  return { leaves, warnings, verdict, would_complete_now: verdict.passed === true };
}

const NOT_RUN: LeafResult = {
  passed: null,
  evidence: { kind: "undecided", reason: "needs a judge, or was stopped before it ran" },
};

function assess(leaf: Leaf, result: LeafResult): RedFirstLeaf {
  const unable = whyUnable(leaf, result);
  if (unable !== null) return { ...leaf, result, standing: "broken", why: `cannot be run: ${unable}` };
  if (result.passed === null)
    return {
      ...leaf,
      result,
      standing: "undecided",
      why: result.evidence.kind === "undecided" ? result.evidence.reason : "not decided",
    };
  if (!result.passed) return { ...leaf, result, standing: "red", why: "fails before the work, as it should" };
  if (leaf.check.baseline === "pass")
    return { ...leaf, result, standing: "invariant", why: "passes before the work and is declared to stay so" };
  return {
    ...leaf,
    result,
    standing: "vacuous",
    why: whyVacuous(leaf),
  };
}

/** Why a check that passes before any work proves nothing, and what to write in its place. */
function whyVacuous({ check }: Leaf): string {
  const [now, instead] = checkTypeRow(check.type).vacuous;
  return `${now} before any work, so that it proves nothing: it would pass if nobody did anything. ${instead}; or declare that it only has to stay so (--invariant, in a file baseline: pass)`;
}

/** A `command` that dies of a signal is red, not broken: the crash may be what the work is about. */
function whyUnable(leaf: Leaf, { evidence }: LeafResult): string | null {
  if (evidence.kind === "error") return evidence.message;
  if (evidence.kind !== "command" || evidence.note === undefined) return null;
  const crashed = !evidence.timed_out && isCrash(evidence);
  return !checkTypeRow(leaf.check.type).negated && crashed ? null : evidence.note;
}
