import { outcomeRow, type Outcome } from "../core/outcome.ts";
import type { Control } from "../core/state.ts";

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
  const { words, says_again } = outcomeRow(outcome);
  if (message === "") return { words, reason: "" };
  const twice = says_again.find(([beginning]) => beginning.test(message));
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
