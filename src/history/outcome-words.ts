import type { Control, Outcome } from "../core/state.ts";

/** Each outcome as a person is told of it (SPEC section 9). */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  verified: "Verified: the base case holds",
  stop_requested: "Stopped on request",
  stalled: "Stopped: no progress",
  max_iterations: "Stopped: the iterations are spent",
  budget: "Stopped: the budget is spent",
  or_group_exhausted: "Stopped: no alternative is left",
  deadlock: "Stopped: nothing can run",
  needs_confirmation: "Stopped: a human or a judge has to decide",
  agent_unavailable: "Stopped: the agent is not available",
  tampered: "Stopped: protected files were changed",
  flaky_check: "Stopped: a check cannot be believed",
};

/** How a message begins that says an outcome's words once more, and what stands for that beginning behind them. */
const SAID_TWICE: Readonly<Record<Outcome, readonly (readonly [beginning: RegExp, instead: string])[]>> = {
  verified: [[/^the base case is verified$/, ""]],
  stop_requested: [
    [/^stopped(?: on request)?$/, ""],
    [/^stopped(?: on request)?: /, ": "],
  ],
  stalled: [[/^no progress /, " "]],
  max_iterations: [
    [/^iteration (\d+) of at most (\d+) is spent/, " ($1 of at most $2)"],
    [/^(\d+) of (\d+) iterations are spent/, " ($1 of $2)"],
  ],
  budget: [[/^budget spent: /, ": "]],
  or_group_exhausted: [
    [/^OR group exhausted: (?=.*, )/, " in the OR groups "],
    [/^OR group exhausted: /, " in the OR group "],
  ],
  deadlock: [[/^deadlock: /, ": "]],
  needs_confirmation: [[/^nobody decided: /, ": "]],
  agent_unavailable: [[/^the agent is not available: /, ": "]],
  tampered: [[/^protected files changed /, " "]],
  flaky_check: [[/^a check cannot be believed: /, ": "]],
};

/** `words` and `reason`, one behind the other, are the sentence that says once how a loop ended, and why. */
export interface OutcomeSentence {
  readonly words: string;
  /** Begins with what joins it to the words; empty: they say it all. */
  readonly reason: string;
}

/**
 * How a loop ended as every page and every receipt tells it (SPEC section 9).
 * @param message why, as the halt said it; may be empty
 */
export function outcomeSentence(outcome: Outcome, message: string): OutcomeSentence {
  const words = OUTCOME_WORDS[outcome];
  if (message === "") return { words, reason: "" };
  const twice = SAID_TWICE[outcome].find(([beginning]) => beginning.test(message));
  return { words, reason: twice === undefined ? `: ${message}` : message.replace(...twice) };
}

/** How a loop stands, and why: how it ended where it did, else its status. @param message in place of the stop's reason */
export function controlSentence(
  { status, outcome = null, stop_reason }: Pick<Control, "status" | "outcome" | "stop_reason">,
  message = stop_reason ?? "",
): OutcomeSentence {
  if ((status === "stopped" || status === "completed") && outcome !== null)
    return outcomeSentence(outcome, outcome === "verified" ? "" : message);
  return { words: status, reason: message === "" ? "" : `: ${message}` };
}
