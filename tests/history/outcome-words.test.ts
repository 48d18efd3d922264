/** How a loop ended, said once: against the messages that the decision itself gives (SPEC sections 4 and 9). */
import { expect, test } from "vitest";
import { OUTCOMES, outcomeRow } from "../../src/core/outcome.ts";
import { outcomeSentence } from "../../src/history/outcome-words.ts";
import { decide, type Standing } from "../../src/core/converge.ts";
import { CALM } from "../support/standings.ts";

const GOES_ON: Standing = { ...CALM, measure: 2, max_iterations: 5 };

function said(change: Partial<Standing>): string {
  const decision = decide({ ...GOES_ON, ...change });
  if (decision.kind !== "halt") throw new Error(`it goes on: ${JSON.stringify(change)}`);
  const { words, reason } = outcomeSentence(decision.outcome, decision.message);
  expect(words).toBe(outcomeRow(decision.outcome).words);
  return `${words}${reason}`;
}

test("SPEC 9: outcome and reason are one sentence that says each thing once, whatever the decision says", () => {
  expect(said({ base_case: true })).toBe("Verified: the base case holds");
  expect(said({ stop_requested: true })).toBe("Stopped on request");
  expect(said({ stop_requested: true, stop_reason: "lunch" })).toBe("Stopped on request: lunch");
  expect(said({ stall_count: 3 })).toBe("Stopped: no progress in 3 iterations in a row (limit 3), 2 atoms left");
  expect(said({ iteration: 5 })).toBe("Stopped: the iterations are spent (5 of at most 5), 2 atoms left");
  expect(said({ budget: "max_cost_usd $5" })).toBe("Stopped: the budget is spent: max_cost_usd $5");
  expect(said({ exhausted: ["token"] })).toBe("Stopped: no alternative is left in the OR group token");
  expect(said({ exhausted: ["token", "login"] })).toBe("Stopped: no alternative is left in the OR groups token, login");
  expect(said({ deadlock: "A2 waits for A1" })).toBe("Stopped: nothing can run: A2 waits for A1");
  expect(said({ base_case: null, measure: 0, undecided: ["it reads well"] })).toBe(
    "Stopped: a human or a judge has to decide: it reads well",
  );
  expect(said({ base_case: true, unconfirmed: true })).toMatch(
    /^Stopped: a human or a judge has to decide: the base case is met as far as it can be checked; /,
  );
  expect(said({ unavailable: "not logged in" })).toBe("Stopped: the agent is not available: not logged in");
  expect(said({ tampered: ["a.test.ts"] })).toBe(
    "Stopped: protected files were changed since the goal was aligned: a.test.ts",
  );
});

test("SPEC 9: a reason in other words is behind the outcome's as it is", () => {
  for (const outcome of OUTCOMES) {
    expect(outcomeSentence(outcome, "")).toEqual({ words: outcomeRow(outcome).words, reason: "" });
    expect(outcomeSentence(outcome, "$1 of a kind").reason).toBe(": $1 of a kind");
  }
});
