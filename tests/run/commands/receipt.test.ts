/** What a run leaves on the screen: the receipt. Pure. */
import { expect, test } from "vitest";
import type { RunReport } from "../../../src/run/report.ts";
import { EXIT_CODES, type Outcome } from "../../../src/core/state.ts";
import { describeEvent } from "../../../src/terminal/event-text.ts";
import { plain } from "../../../src/terminal/paint.ts";
import { nextStep } from "../../../src/command/next-step.ts";
import { receipt } from "../../../src/run/commands/receipt.ts";
import { lineOf } from "../../support/lines.ts";

const ENDED = { exit_code: 1, timed_out: false, duration_ms: 1_500, dropped_bytes: 0 };
const UNIT = {
  item: "unit",
  check: { type: "command", value: "npm test" },
  passed: false,
  evidence: { kind: "command", command: "npm test", ...ENDED, output: "ok 1\n\u001b[31mnot ok 2 - login\u001b[0m\n" },
} as const;
const READS = { item: "reads well", check: { type: "assertion", value: "reads well" } } as const;
const NO_JUDGE = { kind: "undecided", reason: "no judge" } as const;
const AT = { timestamp: "2026-01-01T00:00:00Z" };

const REPORT: RunReport = {
  run: "r1",
  outcome: "or_group_exhausted",
  message: "OR group exhausted: token_method",
  goal: "Log in with a token",
  iteration: 4,
  max_iterations: 20,
  measure: 2,
  stall_count: 1,
  attempts: 7,
  failures: 3,
  other_calls: 2,
  cost_usd: 1.234,
  tokens: 0,
  active_ms: 125_000,
  waited_ms: 0,
  verdict: {
    passed: false,
    checklist: [{ item: "Tests", passed: false, group: [UNIT, { ...READS, passed: null, evidence: NO_JUDGE }] }],
    skipped: ["reads well"],
    requires_user_confirmation: false,
  },
  commit: "abc",
  atoms: [
    { id: "A1", description: "User model", status: "resolved", counted: false },
    { id: "A2", description: "In two parts", status: "pending", counted: false },
    { id: "A3", description: "Login", status: "pending", counted: true },
    {
      id: "A4",
      description: "Tokens",
      status: "pending",
      counted: true,
      failed: { times: 3, reason: "9060 !== 10000" },
    },
  ],
  trail: [
    { ...AT, or_group: "token_method", selected: "A4_alt", reason: "tokens failed" },
    { ...AT, type: "user_correction", reason: "max_iterations: 10 -> 20" },
  ],
  corrections: [{ ...AT, type: "constraint_change", description: "max_iterations: 10 -> 20", trail_cleared: false }],
  history: [{ commit: "0123456789abcdef", what: "A1: made the model", agent: "claude:opus" }],
  agents: [{ agent: "claude:opus", attempts: 2, failures: 1, cost_usd: 0.2 }],
  notes: ["one worktree was cleaned up"],
  place: "The work is on the branch aot/log-in.",
  merged: false,
};

test("SPEC 9: the receipt says how it ended, with evidence, trail, corrections, cost and the next step", () => {
  expect(receipt(REPORT, plain)).toMatchInlineSnapshot(`
    "
    Log in with a token
    Stopped: no alternative is left in the OR group token_method

    base case
      ✗ Tests
        ✗ unit (command: npm test): exit code 1 after 1.5s: not ok 2 - login
        ? assertion: reads well: no judge

    unresolved
      A4  Tokens
          failed 3 times: 9060 !== 10000
      A3  Login

    history    0123456789  A1: made the model
    choices    token_method: A4_alt (tokens failed)
    redirects  constraint_change: max_iterations: 10 -> 20
    notes      one worktree was cleaned up

    7 attempts (3 failed), 2 other calls in this run | iteration 4 of 20 | 2 left | 2m 5s and $1.23 in all
    The work is on the branch aot/log-in.
    next: add an alternative with \`aot redirect add ID --or-group GROUP --description ...\`, then \`aot run\`"
  `);
});

test("SPEC 7: of an exhausted group nothing is called chosen, and each choice says why it was given up", () => {
  const exhausted = [
    { or_group: "token_method", choices: [{ id: "A4" }, { id: "A4_alt", reason: "sessions need a store" }] },
  ];
  const text = receipt({ ...REPORT, exhausted }, plain);
  expect(text).toContain(
    "choices\n  token_method: exhausted, no choice is left\n    A4 given up in an earlier run\n    A4_alt given up: sessions need a store\n",
  );
  expect(text).not.toContain("token_method: A4_alt");
});

test("SPEC 6: a judge's reasons are reported, criterion by criterion", () => {
  const scores = [{ criterion: "Design", score: 2, reason: "two modules do the same" }];
  const check = { type: "quality", criteria: "Design", pass_threshold: 3 } as const;
  const evidence = { kind: "scores", scores, average: 2, threshold: 3 } as const;
  const checklist = [{ item: "clean", check, passed: false as const, evidence }];
  const verdict = { passed: false as const, checklist, skipped: [], requires_user_confirmation: false };
  expect(receipt({ ...REPORT, verdict }, plain)).toContain("Design 2: two modules do the same");
});

test("SPEC 9: every outcome has words and a next step; only verified is called so", () => {
  for (const outcome of Object.keys(EXIT_CODES) as Outcome[]) {
    const text = receipt({ ...REPORT, outcome }, plain);
    expect(text).toContain(`next: ${nextStep({ outcome })}`);
    expect(text.includes("Verified")).toBe(outcome === "verified");
  }
});

test("SPEC 9: the receipt says a thing once", () => {
  const first = (outcome: Outcome, message: string): string | undefined =>
    receipt({ ...REPORT, outcome, message }, plain).split("\n")[2];
  expect(first("verified", "the base case is verified")).toBe("Verified: the base case holds");
  expect(first("stop_requested", "stopped on request: lunch")).toBe("Stopped on request: lunch");
  expect(first("stop_requested", "stopped on request")).toBe("Stopped on request");
  expect(first("budget", "budget spent: max_cost_usd $5")).toBe("Stopped: the budget is spent: max_cost_usd $5");
  expect(first("agent_unavailable", "the agent is not available: not logged in")).toBe(
    "Stopped: the agent is not available: not logged in",
  );
  expect(first("stalled", "no progress in 3 iterations")).toBe("Stopped: no progress in 3 iterations");
});

test("SPEC 6, 9: a person's yes is asked for where it is missing, and not once it was given", () => {
  const asks = { passed: true, requires_user_confirmation: true } as const;
  const leaf = { ...READS, ...asks, evidence: { kind: "judgement", reason: "it does" } } as const;
  const verdict = { ...asks, checklist: [leaf], skipped: [] };
  expect(receipt({ ...REPORT, verdict, outcome: "needs_confirmation" }, plain)).toContain(
    "needs a human's confirmation",
  );
  expect(receipt({ ...REPORT, verdict, outcome: "verified" }, plain)).not.toContain("needs a human's confirmation");
  const checked = describeEvent(lineOf({ event: "base_case_checked", verdict })).text;
  expect(checked, "a judge's word alone is no verification").not.toContain("verified");
  expect(
    describeEvent(lineOf({ event: "base_case_checked", verdict: { ...verdict, requires_user_confirmation: false } }))
      .text,
  ).toBe("base case: passed");
});

test("SPEC 7: of a program that failed the end of what it said is shown, where the reason stands", () => {
  const reason = `exit code 3: ${"thinking\\n".repeat(40)}the library is gone`;
  for (const event of ["attempt_failed", "atom_reset", "choice_given_up"])
    expect(describeEvent(lineOf({ event, reason })).text).toMatch(/exit code 3: .*the library is gone$/);
});

test("what is counted is counted in words: one atom is no atoms", () => {
  const reported = (event: string, atoms: readonly string[]): string =>
    describeEvent(lineOf({ event, atoms: atoms.map((id) => ({ id })), reason: "r" })).text;
  expect(reported("atoms_added", ["A1"])).toBe("1 atom added: r");
  expect(reported("replanned", ["A1", "A2"])).toBe("planner: 2 atoms: r");
  expect(reported("replanned", [])).toBe("planner: no atoms: r");
});

test("JOURNAL-2: a line of an unknown kind is shown as it is, and nothing in a line steers the terminal", () => {
  expect(describeEvent(lineOf({ event: "future", what: 1 })).text).toContain('future {"event":"future"');
  expect(describeEvent(lineOf({ event: "note", message: "a\u001b[2Jb\u0007\nc" })).text).toBe("ab c");
  expect(describeEvent(lineOf({})).text).toContain("?");
});

test("SPEC 10: where several agents worked, the receipt says who did what; one alone is not named", () => {
  expect(receipt(REPORT, (_, text) => text)).not.toContain("claude:opus");
  const codex = { agent: "codex", attempts: 1, failures: 0, cost_usd: 0 };
  const text = receipt({ ...REPORT, agents: [...REPORT.agents, codex] }, (_, said) => said);
  expect(text).toContain("A1: made the model [claude:opus]");
  expect(text).toContain("claude:opus  2 attempts, 1 failed, $0.20");
  expect(text).toContain("codex  1 attempt, 0 failed, no cost reported");
});

test("SPEC 8: what the loop itself says is reported to its end, where the next step stands", () => {
  const message = `somebody changed ${"/a/long/path".repeat(20)} while the run was at work; use \`aot redirect\``;
  for (const event of ["note", "halted", "run_ended"])
    expect(describeEvent(lineOf({ event, message, outcome: "verified" })).text).toContain("use `aot redirect`");
  expect(receipt({ ...REPORT, notes: [message] }, plain)).toContain("use `aot redirect`");
});
