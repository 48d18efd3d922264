/**
 * What `step` asks the world to do, and what it found worth telling. Effects are data; `loop/perform.ts`
 * carries them out after the event is on disk. A fact changes nothing: it is a journal line and a line on
 * the screen.
 */
import type { Advice, BackgroundCall, Nogood, ProposedAtom } from "./event.ts";
import type { Movement } from "./progress.ts";
import type { Problem } from "./problem.ts";
import type { Outcome } from "./state.ts";
import type { LeafVerdict } from "./verdict.ts";

export type Role = "planner" | "worker" | "probe" | "judge";

export interface Attempt {
  readonly id: string;
  readonly atom: string;
  readonly role: "worker" | "probe";
  /** 1 for the atom's first attempt ever. */
  readonly number: number;
  readonly iteration: number;
}

/** What an attempt that succeeded says of its work, and who did it. */
export interface Work {
  readonly summary: string;
  readonly artifacts: readonly string[];
  /** What its commit is to be called. */
  readonly subject?: string;
  readonly agent?: string;
}

export type Effect =
  /** Start one agent on one atom, in a workspace of its own from the integration branch's tip. */
  | {
      readonly type: "start_attempt";
      readonly attempt: Attempt;
      readonly nogoods: readonly Nogood[];
      readonly findings?: string;
    }
  /** Commit the attempt's work and merge it; answers attempt_integrated or attempt_failed (conflict, protected). */
  | ({ readonly type: "integrate"; readonly attempt: Attempt } & Work)
  /** Kill the attempt's process group; its work is discarded. Answers attempt_aborted. */
  | { readonly type: "abort_attempt"; readonly attempt: Attempt }
  /** The attempt ended without being integrated: keep its work as a branch or patch and remove its workspace. No answer. */
  | { readonly type: "shelve"; readonly attempt: Attempt; readonly reason: string }
  /** Take what these atoms integrated out of the integration branch. Answers work_reverted. */
  | { readonly type: "revert"; readonly atoms: readonly string[]; readonly reason: string }
  /** Verify the integrated commit in a clean checkout. Answers base_case_checked or tampered. */
  | { readonly type: "check_base_case" }
  /** Ask the planner for atoms that make these leaves pass. Answers replanned. */
  | { readonly type: "replan"; readonly failing: readonly LeafVerdict[] }
  /** Ask the planner about an atom that is to blame. Answers advised. @param why in one sentence */
  | { readonly type: "ask_planner"; readonly atom: string; readonly why: string; readonly nogoods: readonly Nogood[] }
  /** Kill the running check, or the planner call. It answers as usual or with background_aborted. */
  | { readonly type: "abort_background"; readonly call: BackgroundCall }
  /** Send time_passed after this many milliseconds (duration budget). */
  | { readonly type: "wake_in"; readonly ms: number }
  | { readonly type: "halt"; readonly outcome: Outcome; readonly message: string };

export type Fact =
  | { readonly fact: "iteration_opened"; readonly iteration: number }
  | {
      readonly fact: "attempt_started";
      readonly attempt: string;
      readonly atom: string;
      readonly iteration: number;
      readonly role: "worker" | "probe";
    }
  | { readonly fact: "attempt_discarded"; readonly attempt: string; readonly atom: string; readonly reason: string }
  /** A worker's split could not be used; the attempt failed. */
  | { readonly fact: "split_refused"; readonly attempt: string; readonly atom: string; readonly reason: string }
  | { readonly fact: "atom_resolved"; readonly atom: string; readonly measure: number }
  | {
      readonly fact: "atom_decomposed";
      readonly atom: string;
      readonly children: readonly string[];
      readonly measure: number;
    }
  /** `lessons`: what it claimed was wrong; its work is taken out with the next `work_reverted`, or else by the next run. */
  | {
      readonly fact: "atom_reset";
      readonly atom: string;
      readonly reason: string;
      readonly lessons?: readonly Nogood[];
    }
  | {
      readonly fact: "choice_given_up";
      readonly or_group: string;
      readonly choice: string;
      readonly reason: string;
      readonly measure: number;
    }
  | { readonly fact: "choice_selected"; readonly or_group: string; readonly choice: string; readonly reason: string }
  | { readonly fact: "group_exhausted"; readonly or_group: string }
  | {
      readonly fact: "atoms_added";
      readonly atoms: readonly ProposedAtom[];
      readonly reason: string;
      readonly measure: number;
      /** Items of the base case that failed: what they were added for. */
      readonly failing?: readonly string[];
      /** What these atoms know from the beginning. */
      readonly lessons?: readonly Nogood[];
    }
  | { readonly fact: "planner_asked"; readonly atom: string; readonly why: string }
  /** `added`: atoms that are new with it; `group`: the OR group that was made of it; `was`: what it said before. */
  | {
      readonly fact: "advice_taken";
      readonly atom: string;
      readonly advice: Advice["kind"];
      readonly added: readonly string[];
      readonly group?: string;
      readonly was?: { readonly description?: string; readonly depends_on?: readonly string[] };
      readonly reason: string;
      readonly measure: number;
    }
  | { readonly fact: "advice_refused"; readonly atom: string; readonly reason: string }
  | {
      readonly fact: "iteration_judged";
      readonly iteration: number;
      readonly measure: number;
      readonly before: number;
      readonly movement: Movement;
      readonly stall_count: number;
      /** The atom that is to blame for a stall or an expansion. */
      readonly blamed?: string;
      /** What to do about it, with the first stall in a row. */
      readonly advice?: string;
    }
  | {
      readonly fact: "redirected";
      readonly description: string;
      /** `M` after it. */
      readonly measure: number;
      /** Attempts that it ended, and those that go on. Absent: no run worked the loop. */
      readonly interrupted?: readonly string[];
      readonly going_on?: readonly string[];
      /** Why a person rejected results: for the next attempts of these atoms. */
      readonly lessons?: readonly Nogood[];
      /** Atoms whose work is taken out: done with the next `work_reverted`, or else by the next run. */
      readonly revert?: readonly string[];
    }
  /** `problems`: the same with what to do about each. */
  | { readonly fact: "redirect_refused"; readonly reason: string; readonly problems: readonly Problem[] }
  | { readonly fact: "halted"; readonly outcome: Outcome; readonly message: string };
