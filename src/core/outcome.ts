/** How a run can end: a row for each outcome (SPEC section 9). Pure. */

interface OutcomeRow {
  /** Of `aot run`. */
  readonly exit_code: number;
  /** As every page and every receipt says it. */
  readonly words: string;
  /** How a message begins that says these words once more, and what replaces that beginning behind them. */
  readonly says_again: readonly (readonly [beginning: RegExp, instead: string])[];
  /** What a person can do about it. */
  readonly next: string;
}

const ROWS = {
  verified: {
    exit_code: 0,
    words: "Verified: the base case holds",
    says_again: [[/^the base case is verified$/, ""]],
    next: "look at the work; align the next goal with `aot align`",
  },
  stop_requested: {
    exit_code: 10,
    words: "Stopped on request",
    says_again: [
      [/^stopped(?: on request)?$/, ""],
      [/^stopped(?: on request)?: /, ": "],
    ],
    next: "go on with `aot run`",
  },
  stalled: {
    exit_code: 11,
    words: "Stopped: no progress",
    says_again: [[/^no progress /, " "]],
    next: "see what fails with `aot logs`, help with `aot redirect`, then `aot run`",
  },
  max_iterations: {
    exit_code: 12,
    words: "Stopped: the iterations are spent",
    says_again: [
      [/^iteration (\d+) of at most (\d+) is spent/, " ($1 of at most $2)"],
      [/^(\d+) of (\d+) iterations are spent/, " ($1 of $2)"],
    ],
    next: "give it more with `aot redirect limit max_iterations N` (or a larger --max-iterations), then `aot run`",
  },
  budget: {
    exit_code: 13,
    words: "Stopped: the budget is spent",
    says_again: [[/^budget spent: /, ": "]],
    next: "raise the limit with `aot redirect limit`, then `aot run`",
  },
  or_group_exhausted: {
    exit_code: 14,
    words: "Stopped: no alternative is left",
    says_again: [
      [/^OR group exhausted: (?=.*, )/, " in the OR groups "],
      [/^OR group exhausted: /, " in the OR group "],
    ],
    next: "add an alternative with `aot redirect add ID --or-group GROUP --description ...`, then `aot run`",
  },
  deadlock: {
    exit_code: 15,
    words: "Stopped: nothing can run",
    says_again: [[/^deadlock: /, ": "]],
    next: "see what waits for what with `aot status`, change it with `aot redirect`, then `aot run`",
  },
  needs_confirmation: {
    exit_code: 16,
    words: "Stopped: a human or a judge has to decide",
    says_again: [[/^(?:nobody decided|the planner needs a person): /, ": "]],
    next: "look at the work, then `aot confirm ITEM` or `aot reject ITEM --reason WHY`, then `aot run`; or `aot run --accept assertions` (all assertions) or `aot run --judge AGENT`; with scores of your own take the branch first, then `aot state set-status completed --scores FILE`",
  },
  agent_unavailable: {
    exit_code: 17,
    words: "Stopped: the agent is not available",
    says_again: [[/^the agent is not available: /, ": "]],
    next: "install it, log in (`aot doctor`) or wait until its limit ends, then `aot run`",
  },
  tampered: {
    exit_code: 18,
    words: "Stopped: protected files were changed",
    says_again: [[/^protected files changed /, " "]],
    next: "look at those files, restore them or align anew with `aot align --force`",
  },
  flaky_check: {
    exit_code: 19,
    words: "Stopped: a check cannot be believed",
    says_again: [[/^a check cannot be believed: /, ": "]],
    next: "make the check answer the same on the same files (or change it with `aot redirect`), then `aot run`; if what it needs outside the commit was missing and is there now, `aot run --accept answers`",
  },
} as const satisfies Readonly<Record<string, OutcomeRow>>;

/** Machine-readable reason of a halt. */
export type Outcome = keyof typeof ROWS;
export const OUTCOMES = Object.keys(ROWS) as readonly Outcome[];

export function outcomeRow(outcome: Outcome): OutcomeRow {
  return ROWS[outcome];
}

/** The exit code of `aot run` for each outcome. */
export const EXIT_CODES = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, ROWS[outcome].exit_code])) as {
  readonly [O in Outcome]: (typeof ROWS)[O]["exit_code"];
};
