/**
 * Everything that can happen to a loop. Time, chance, cost and the work of the world arrive here and
 * nowhere else; a journal line is one of these, and replaying the lines through `step` gives the same
 * state again (SPEC sections 4 and 8).
 */
import type { ChecklistVerdict } from "./verdict.ts";
import type { Judged } from "./judged.ts";
import type { Redirect } from "./redirect.ts";
import type { Marks } from "./state.ts";
import type { Answered, Answers } from "./tree-answers.ts";

/** What runs beside the attempts, one of each at most. */
export type BackgroundCall = "check" | "planner";

/** What calls of an agent cost, as far as it was reported. */
export interface Usage {
  /** How often one was called and was there. */
  readonly calls?: number;
  readonly cost_usd?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/**
 * An atom as a planner or a splitting worker proposes it. `depends_on` may name siblings or existing atoms; siblings that
 * name one `or_group` are alternatives, the first is tried first.
 */
export interface ProposedAtom extends Marks {
  readonly id?: string;
  readonly description: string;
  readonly depends_on?: readonly string[];
  readonly or_group?: string;
}

/** Work that is in the integration branch although the state file does not say so. */
export interface AdoptedWork {
  readonly attempt: string;
  readonly atom: string;
  readonly commit: string | null;
  readonly summary: string;
  readonly artifacts: readonly string[];
  /** The state file, written since it was integrated, does not hold it: it is to be taken out, not taken up. */
  readonly stale?: true;
}

/** A commit that took work out; `lost`: further atoms, whose work could not stand without it. */
export interface Revert {
  readonly commit: string;
  readonly lost: readonly string[];
}

/** What the journal remembers of earlier runs of this loop: fuel that is never refunded, and lessons. */
export interface Memory {
  readonly cost_usd: number;
  /** Input and output together; absent: none were reported. */
  readonly tokens?: number;
  readonly active_ms: number;
  /** Attempts spent, by atom id. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly nogoods: readonly Nogood[];
  /** Findings of probes that said "feasible", by atom id. */
  readonly probed: Readonly<Record<string, string>>;
  /** What the checks answered, by tree; absent: nothing yet. */
  readonly answers?: Answers;
  /** What a judge decided, by leaf and tree; absent: nothing yet. */
  readonly judged?: readonly Judged[];
  /** The chance of a verdict by luck that the loop was aligned, or last run, with; absent: nobody said. */
  readonly trust?: number;
  /** What was planned after failed verdicts, oldest first; absent: nothing yet. */
  readonly plans?: readonly Plan[];
}

/** Why an attempt or an alternative was given up (SPEC section 7). */
export interface Nogood {
  readonly atom: string;
  /** Its id; of what a verdict said: {@link BASE_CASE}. */
  readonly attempt: string;
  readonly reason: string;
  /** The telling part of what showed it: an output, a judge's reasons. Bounded. */
  readonly evidence?: string;
  /** In which it conflicted with what others integrated. */
  readonly files?: readonly string[];
}

/** In the place of an attempt: the base case failed, and says why. */
export const BASE_CASE = "base case";
/** In the place of an attempt: a person said it. */
export const PERSON = "a person";

/** What was planned after a failed verdict, and for which items. */
export interface Plan {
  readonly atoms: readonly string[];
  readonly reason: string;
  readonly failing: readonly string[];
}

/** What a planner says of an atom that is to blame (SPEC section 4). */
export type Advice =
  | { readonly kind: "reword"; readonly description: string }
  | { readonly kind: "split"; readonly atoms: readonly ProposedAtom[] }
  /** Done in its place; the atom itself is given up. */
  | { readonly kind: "alternative"; readonly atom: ProposedAtom }
  /** What it has to wait for, too. */
  | { readonly kind: "reorder"; readonly depends_on: readonly string[] }
  | { readonly kind: "hopeless" };

/** `conflict` alone retries from the new base without giving up an OR choice. */
export type FailureKind = "failed" | "unreadable" | "timeout" | "infeasible" | "conflict" | "protected";

interface Stamped {
  /** ISO 8601. */
  readonly at: string;
}
interface OfAttempt extends Stamped {
  /** `<atom>.<number>`, see `attemptId`. */
  readonly attempt: string;
  readonly usage?: Usage;
  /** Who worked it: "claude:opus", "codex"; of a command line no more than its program. */
  readonly agent?: string;
}

export type Event =
  | (Stamped & {
      readonly type: "run_started";
      readonly run: string;
      /** `halted`: a person runs a stopped loop again. `crashed`: the last run never halted. */
      readonly from: "pending" | "halted" | "crashed";
      readonly memory: Memory;
      readonly settings: RunSettings;
      /** What the checks answered in earlier runs does not count any more: a person mended what lies outside the commit. */
      readonly forget_answers?: true;
      /** Integrated by the crashed run before it could write so: attempt ids found in the integration branch. */
      readonly integrated?: readonly AdoptedWork[];
      /** Atoms whose work was taken out, by a revert that the crashed run could not write about any more. */
      readonly lost?: readonly string[];
      /** Atoms whose work a redirect of the stopped loop gave up: it is taken out before anything starts. */
      readonly revert?: readonly string[];
    })
  | (OfAttempt & {
      readonly type: "work_succeeded";
      readonly summary: string;
      readonly artifacts: readonly string[];
      readonly subject?: string;
    })
  | (OfAttempt & { readonly type: "work_split"; readonly children: readonly ProposedAtom[]; readonly reason: string })
  | (OfAttempt & { readonly type: "probe_feasible"; readonly findings: string })
  | (OfAttempt & {
      readonly type: "attempt_failed";
      readonly kind: FailureKind;
      readonly reason: string;
      /** Of a conflict: where it is. Bounded. */
      readonly files?: readonly string[];
      /** What the goal's checks said of its work. */
      readonly evidence?: string;
      /** Its agent ended without an answer, and without having worked as far as it reported. */
      readonly died?: true;
    })
  | (OfAttempt & {
      readonly type: "attempt_integrated";
      readonly commit: string | null;
      readonly artifacts: readonly string[];
    })
  | (OfAttempt & { readonly type: "attempt_aborted" })
  | (OfAttempt & { readonly type: "agent_unavailable"; readonly reason: string })
  /**
   * The revert that was asked for is done. `lost`: atoms whose work could not stand without it; `gone`: commits that are no part
   * of the branch any more, where it went back to `commit`.
   */
  | (Stamped & {
      readonly type: "work_reverted";
      readonly commit: string | null;
      readonly lost: readonly string[];
      readonly gone?: readonly string[];
    })
  | (Stamped & {
      readonly type: "base_case_checked";
      readonly verdict: ChecklistVerdict;
      readonly commit: string | null;
      /** Object id of the tree that was checked; absent: it has none, or no check ran there. */
      readonly tree?: string;
      /** What checks answered at the commit before the work, where that was not known. */
      readonly before?: { readonly tree: string; readonly answers: readonly Answered[] };
      /** What changed in the person's own checkout while the loop ran, for a verdict of true. */
      readonly strayed?: readonly string[];
      /** There is a judge: what stayed undecided was not for want of one. */
      readonly asked?: true;
      readonly usage?: Usage;
      readonly unavailable?: string;
    })
  | (Stamped & {
      readonly type: "replanned";
      readonly atoms: readonly ProposedAtom[];
      readonly reason: string;
      /** What only a person can do, in a sentence: then there is nothing to plan. */
      readonly needs_person?: string;
      readonly usage?: Usage;
      readonly unavailable?: string;
    })
  /** The planner's answer about one atom; null: it gave none that can be used. */
  | (Stamped & {
      readonly type: "advised";
      readonly atom: string;
      readonly advice: Advice | null;
      readonly reason: string;
      /** As in `replanned`. */
      readonly needs_person?: string;
      readonly usage?: Usage;
      readonly unavailable?: string;
    })
  | (Stamped & { readonly type: "stop_requested"; readonly reason: string })
  | (Stamped & { readonly type: "redirect_requested"; readonly redirect: Redirect })
  /** A person edits the loop: while it is held nothing is started. */
  | (Stamped & { readonly type: "hold_changed"; readonly held: boolean })
  | (Stamped & { readonly type: "tampered"; readonly files: readonly string[] })
  /** A check or a planner call was killed because it had become pointless. */
  | (Stamped & { readonly type: "background_aborted"; readonly call: BackgroundCall; readonly usage?: Usage })
  /** The duration budget's deadline passed. */
  | (Stamped & { readonly type: "time_passed" });

/** What a run may narrow; it can never raise a limit of the state file. */
export interface RunSettings {
  /** Slots of this run. */
  readonly parallel?: number;
  readonly max_iterations?: number;
  readonly max_cost_usd?: number;
  /** Input and output together, of all runs of the loop. */
  readonly max_tokens?: number;
  readonly max_duration_ms?: number;
  /** There is a planner, who is asked about an atom that is to blame before stalls stop the run. */
  readonly planner?: true;
  /** Attempts in a row whose agent died before the run stops as `agent_unavailable`; absent: no matter how many. */
  readonly max_deaths?: number;
  /** The chance of a verdict by luck that is accepted in this loop (luck.ts); 1: any; absent or 0: each check is run once. */
  readonly trust?: number;
  readonly verify_each: boolean;
  /** A person said beforehand that assertions judged true need no further confirmation. */
  readonly confirmed: boolean;
}

export function attemptId(atom: string, number: number): string {
  return `${atom}.${number}`;
}

/** The atom whose attempt it is. */
export function atomIn(attempt: string): string {
  return attempt.replace(/\.\d+$/, "");
}
