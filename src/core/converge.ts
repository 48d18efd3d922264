/**
 * The decision (SPEC section 4): does the loop go on? What is progress is in progress.ts.
 *
 * CONVERGE-1 the first matching reason wins, in the order of `decide`;
 * CONVERGE-2 nothing but a verdict of true is called verified;
 * CONVERGE-3 what only a person can do ends the loop before more is spent on it.
 */
import { counted } from "./counted.ts";
import type { Outcome } from "./state.ts";
import type { Passed } from "./verdict.ts";

/** All that the decision looks at. */
export interface Standing {
  readonly redirect_requested: boolean;
  readonly stop_requested: boolean;
  readonly stop_reason: string | null;
  /** Protected files that changed in a way that is not an attempt's. */
  readonly tampered: readonly string[];
  /** Verdict on the integrated commit; undefined: not checked there. */
  readonly base_case: Passed | undefined;
  /** The verdict is true, but rests on a human's decision that was not given. */
  readonly unconfirmed: boolean;
  /** A session works it where the person does: the work is in no commit that a run would check. */
  readonly in_session: boolean;
  /** What changed in the person's own checkout while the loop ran: a true verdict may rest on it. */
  readonly strayed: readonly string[];
  /** Items of the base case that failed, for a false verdict. */
  readonly failing: readonly string[];
  /** Checks that answered both ways on the tree that is integrated now, each with both answers. */
  readonly flaky: readonly string[];
  /** Items that nobody decided, for a null verdict. */
  readonly undecided: readonly string[];
  /** There is a judge for them. */
  readonly asked: boolean;
  /** A null verdict halts only when nothing else is left to do. */
  readonly measure: number;
  /** Live OR groups of which every choice failed. */
  readonly exhausted: readonly string[];
  /** What each atom waits for, when nothing can run and nothing runs. */
  readonly deadlock: string | null;
  readonly unavailable: string | null;
  /** What only a person can do, as the planner said it. */
  readonly needs_person: string | null;
  readonly stall_count: number;
  readonly max_stall_count: number;
  readonly iteration: number;
  readonly max_iterations: number;
  /** The budget that is spent, in words. */
  readonly budget: string | null;
}

export type Decision =
  | { readonly kind: "interrupt" }
  | { readonly kind: "halt"; readonly outcome: Outcome; readonly message: string }
  | { readonly kind: "continue" };

/** SPEC section 4, decision after an iteration: first match wins. */
export function decide(standing: Standing): Decision {
  if (standing.redirect_requested) return { kind: "interrupt" };
  if (standing.stop_requested)
    return halt(
      "stop_requested",
      `stopped on request${standing.stop_reason === null ? "" : `: ${standing.stop_reason}`}`,
    );
  if (standing.tampered.length > 0)
    return halt("tampered", `protected files changed since the goal was aligned: ${standing.tampered.join(", ")}`);
  if (standing.base_case === true) return decideVerified(standing);
  if (standing.unavailable !== null)
    return halt("agent_unavailable", `the agent is not available: ${standing.unavailable}`);
  if (standing.needs_person !== null) return halt("needs_confirmation", `${PERSON_REASON}${standing.needs_person}`);
  if (standing.base_case === null && standing.measure === 0 && standing.flaky.length === 0)
    return decideUndecided(standing);
  if (standing.exhausted.length > 0)
    return halt("or_group_exhausted", `OR group exhausted: ${standing.exhausted.join(", ")}`);
  if (standing.deadlock !== null) return halt("deadlock", `deadlock: ${standing.deadlock}`);
  const spent = decideSpent(standing);
  return spent.kind === "halt" && isFlakyAlone(standing) ? decideFlaky(standing, spent.message) : spent;
}

/** The limits of the loop. */
function decideSpent(standing: Standing): Decision {
  if (standing.stall_count >= standing.max_stall_count)
    return halt(
      "stalled",
      `no progress in ${counted(standing.stall_count, "iteration")} in a row (limit ${standing.max_stall_count}), ${leftOver(standing)}`,
    );
  if (standing.iteration >= standing.max_iterations)
    return halt(
      "max_iterations",
      `iteration ${standing.iteration} of at most ${standing.max_iterations} is spent, ${leftOver(standing)}`,
    );
  if (standing.budget !== null) return halt("budget", `budget spent: ${standing.budget}`);
  return { kind: "continue" };
}

function leftOver({ measure, failing, flaky }: Standing): string {
  if (measure > 0) return `${counted(measure, "atom")} left`;
  const wrong = [...failing, ...flaky];
  return wrong.length === 0 ? "no atom left" : `no atom left, but the base case fails: ${wrong.join(", ")}`;
}

/** Nothing is left to do but checks that cannot be believed. */
function isFlakyAlone({ measure, flaky, failing }: Standing): boolean {
  return measure === 0 && flaky.length > 0 && failing.length === 0;
}

/** Such a check is worked like one that fails, as long as there is fuel (SPEC section 6). @param spent why there is none */
function decideFlaky({ flaky }: Standing, spent: string): Decision {
  return halt("flaky_check", `${FLAKY_REASON}${flaky.join("; ")} (${spent.replace(/, no atom left.*$/s, "")})`);
}

const FLAKY_REASON = "a check cannot be believed: ";

const PERSON_REASON = "the planner needs a person: ";

const NOBODY_DECIDED = "nobody decided: ";

/** Whether a halt with this message (`needs_confirmation`) wants a judge: a person's yes confirms only what one said. */
export function isUndecided(message: string): boolean {
  return message.startsWith(NOBODY_DECIDED);
}

/** A judge whom a spent budget held up has not said that he cannot decide. */
function decideUndecided({ asked, budget, undecided }: Standing): Decision {
  const open = `${NOBODY_DECIDED}${undecided.join(", ")}`;
  if (asked && budget !== null) return halt("budget", `budget spent: ${budget}; ${open}`);
  return halt("needs_confirmation", open);
}

const STRAYED_REASON = "the base case holds, but your own checkout changed while the loop was running: ";

/** Whether a halt with this message (`needs_confirmation`) wants a look at the checkout. */
export function isStrayed(message: string): boolean {
  return message.startsWith(STRAYED_REASON);
}

function decideVerified({ unconfirmed, in_session, strayed }: Standing): Decision {
  if (strayed.length > 0)
    return halt(
      "needs_confirmation",
      `${STRAYED_REASON}${strayed.join(", ")}. A check may have looked there instead of at the commit. Look at these files; \`aot run --accept checkout\` takes your checkout as it is now and verifies once more`,
    );
  if (!unconfirmed) return halt("verified", "the base case is verified");
  return halt(
    "needs_confirmation",
    `the base case is met as far as it can be checked; an assertion needs your confirmation: look at the work, then \`${in_session ? "aot state set-status completed --confirm" : "aot run --accept assertions"}\``,
  );
}

function halt(outcome: Outcome, message: string): Decision {
  return { kind: "halt", outcome, message };
}
