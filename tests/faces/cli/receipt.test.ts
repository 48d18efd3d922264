/** What a run leaves on the screen: the receipt, and the lines and the region before it. Pure. */
import { expect, test } from "vitest";
import type { RunReport } from "../../../src/app/run-report.ts";
import type { JournalLine } from "../../../src/core/journal.ts";
import { EXIT_CODES, type Outcome } from "../../../src/core/state.ts";
import { describeEvent } from "../../../src/faces/cli/event-text.ts";
import { plain } from "../../../src/faces/cli/paint.ts";
import { nextStep, receipt } from "../../../src/faces/cli/receipt.ts";
import { createRunView } from "../../../src/faces/cli/run-view.ts";

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
  cost_usd: 1.234,
  active_ms: 125_000,
  verdict: {
    passed: false,
    checklist: [
      {
        item: "Tests",
        passed: false,
        group: [
          {
            item: "unit",
            check: { type: "command", value: "npm test" },
            passed: false,
            evidence: {
              kind: "command",
              command: "npm test",
              exit_code: 1,
              timed_out: false,
              duration_ms: 1_500,
              output: "ok 1\n\u001b[31mnot ok 2 - login\u001b[0m\n",
              dropped_bytes: 0,
            },
          },
          {
            item: "reads well",
            check: { type: "assertion", value: "reads well" },
            passed: null,
            evidence: { kind: "undecided", reason: "no judge" },
          },
        ],
      },
    ],
    skipped: ["reads well"],
    requires_user_confirmation: false,
  },
  commit: "abc",
  atoms: [
    { id: "A1", description: "User model", status: "resolved" },
    { id: "A4", description: "Tokens", status: "pending" },
  ],
  trail: [{ or_group: "token_method", selected: "A4_alt", reason: "tokens failed", timestamp: "2026-01-01T00:00:00Z" }],
  corrections: [
    {
      timestamp: "2026-01-01T00:00:00Z",
      type: "constraint_change",
      description: "max_iterations: 10 -> 20",
      trail_cleared: false,
    },
  ],
  history: [{ commit: "0123456789abcdef", what: "A1: made the model" }],
  notes: ["one worktree was cleaned up"],
  place: "The work is on the branch aot/log-in.",
  merged: false,
};

test("SPEC 9: the receipt says how it ended, with evidence, trail, corrections, cost and the next step", () => {
  expect(receipt(REPORT, plain)).toMatchInlineSnapshot(`
    "
    Log in with a token
    Stopped: no alternative is left (OR group exhausted: token_method)

    base case
      ✗ Tests
        ✗ unit (command: npm test): exit code 1 after 1.5s: not ok 2 - login
        ? assertion: reads well: no judge

    unresolved
      A4  Tokens

    history
      0123456789  A1: made the model

    choices
      token_method: A4_alt (tokens failed)

    redirects
      constraint_change: max_iterations: 10 -> 20

    notes
      one worktree was cleaned up

    iteration 4 of 20 | 7 attempts, 3 failed | 2 left | 2m 5s | $1.23
    The work is on the branch aot/log-in.
    next: add an alternative with \`aot redirect add ID --or-group GROUP --description ...\`, then \`aot run\`"
  `);
});

test("SPEC 9: every outcome has words and a next step; only verified is called so", () => {
  for (const outcome of Object.keys(EXIT_CODES) as Outcome[]) {
    const text = receipt({ ...REPORT, outcome }, plain);
    expect(text).toContain(`next: ${nextStep(outcome)}`);
    expect(text.includes("Verified")).toBe(outcome === "verified");
  }
});

const line = (event: object): JournalLine =>
  ({ time: "2026-01-01T00:00:00.000Z", run: "r", iteration: 1, ...event }) as JournalLine;

test("on a terminal the region below the facts is redrawn in place and goes at the end", () => {
  let screen = "";
  const view = createRunView({
    write: (text) => (screen += text),
    paint: plain,
    columns: 80,
    now: () => Date.parse("2026-01-01T00:00:05.000Z"),
  });
  view.line(line({ event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" }));
  expect(screen).toContain("A1  worker  5s\n  iteration 1 | 1 at work | $0.00\n");
  view.line(line({ event: "atom_resolved", atom: "A1", measure: 3 }));
  expect(screen).toContain("\u001b[2A\u001b[J");
  expect(screen).toContain("A1 resolved, 3 left\n");
  view.line(line({ event: "attempt_integrated", attempt: "A1.1", atom: "A1", commit: null, artifacts: [] }));
  expect(screen).toMatch(/iteration 1 \| 3 left \| 0 at work \| \$0\.00\n$/);
  view.close();
  expect(screen.endsWith("\u001b[1A\u001b[J")).toBe(true);
});

test("elsewhere there are plain lines only, and a reader that leaves does not end the run", () => {
  let text = "";
  const view = createRunView({ write: (part) => (text += part), paint: plain, columns: null, now: () => 0 });
  view.line(line({ event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" }));
  view.tick();
  view.close();
  expect(text).toMatch(/^\d\d:\d\d:\d\d A1 worker started \(A1\.1\)\n$/);
  const deaf = createRunView({
    write: () => {
      throw new Error("EPIPE");
    },
    paint: plain,
    columns: null,
    now: () => 0,
  });
  expect(() => deaf.line(line({ event: "note", message: "x" }))).not.toThrow();
});

test("J3: a line of an unknown kind is shown as it is, and nothing in a line steers the terminal", () => {
  expect(describeEvent({ event: "future", what: 1 }).text).toContain('future {"event":"future"');
  expect(describeEvent({ event: "note", message: "a\u001b[2Jb\u0007\nc" }).text).toBe("ab c");
  expect(describeEvent({}).text).toContain("?");
});
