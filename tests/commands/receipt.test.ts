/** What a run leaves on the screen: the receipt, and the lines and the region before it. Pure. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RunReport } from "../../src/app/run-report.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { EXIT_CODES, type Outcome } from "../../src/core/state.ts";
import { widthOf } from "../../src/commands/clip.ts";
import { describeEvent } from "../../src/commands/event-text.ts";
import { plain } from "../../src/commands/paint.ts";
import { nextStep, receipt } from "../../src/commands/receipt.ts";
import { createRunView } from "../../src/commands/run-view.ts";

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
  tokens: 0,
  active_ms: 125_000,
  waited_ms: 0,
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
    { id: "A1", description: "User model", status: "resolved", counted: false },
    { id: "A2", description: "In two parts", status: "pending", counted: false },
    { id: "A3", description: "Login", status: "pending", counted: true },
    {
      id: "A4",
      description: "Tokens",
      status: "pending",
      counted: true,
      failed: { times: 3, reason: "tests fail: 9060 !== 10000" },
    },
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
    Stopped: no alternative is left (OR group exhausted: token_method)

    base case
      ✗ Tests
        ✗ unit (command: npm test): exit code 1 after 1.5s: not ok 2 - login
        ? assertion: reads well: no judge

    unresolved
      A4  Tokens
          failed 3 times: tests fail: 9060 !== 10000
      A3  Login

    history
      0123456789  A1: made the model

    choices
      token_method: A4_alt (tokens failed)

    redirects
      constraint_change: max_iterations: 10 -> 20

    notes
      one worktree was cleaned up

    7 attempts in this run, 3 failed | iteration 4 of 20 | 2 left | 2m 5s and $1.23 in all
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

test("SPEC 9: the receipt says a thing once", () => {
  const first = (outcome: Outcome, message: string): string | undefined =>
    receipt({ ...REPORT, outcome, message }, plain).split("\n")[2];
  expect(first("verified", "the base case is verified")).toBe("Verified: the base case holds");
  expect(first("stop_requested", "stopped on request: lunch")).toBe("Stopped on request: lunch");
  expect(first("stop_requested", "stopped on request")).toBe("Stopped on request");
  expect(first("stalled", "no progress in 3 iterations")).toBe("Stopped: no progress (no progress in 3 iterations)");
});

const line = (event: object): JournalLine =>
  ({ time: "2026-01-01T00:00:00.000Z", run: "r", iteration: 1, ...event }) as JournalLine;

const at5s = (): number => Date.parse("2026-01-01T00:00:05.400Z");

function terminal(size: { columns: number; rows: number }, describe?: (atom: string) => string | undefined) {
  const written: string[] = [];
  const view = createRunView({
    write: (text) => written.push(text),
    paint: plain,
    screen: () => size,
    now: at5s,
    ...(describe === undefined ? {} : { describe }),
  });
  return { view, size, last: () => written.at(-1) ?? "" };
}

test("on a terminal an atom's success is one line, and the region below is redrawn in place and goes at the end", () => {
  const { view, last } = terminal({ columns: 80, rows: 24 }, () => "User model");
  view.line(line({ event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" }));
  expect(last()).toBe("⠋ A1  5s    User model\n  iteration 1 · 1 at work · $0.00\n");
  const success = [
    { event: "work_succeeded", attempt: "A1.1", atom: "A1", summary: "made the model", usage: { cost_usd: 0.03 } },
    { event: "attempt_integrated", attempt: "A1.1", atom: "A1", commit: "abc", artifacts: [] },
  ];
  for (const event of success) {
    view.line(line(event));
    expect(last()).not.toMatch(/\d\d:\d\d:\d\d/);
  }
  view.line(line({ event: "atom_resolved", atom: "A1", measure: 9 }));
  expect(last()).toMatch(
    /^\u001b\[1A\r\u001b\[J\d\d:\d\d:\d\d ✓ A1 made the model · 9 left · \$0\.03\n {2}iteration 1 · 9 left · 0 at work · \$0\.03\n$/,
  );
  view.close();
  expect(last()).toBe("\u001b[1A\r\u001b[J");
});

test("on a terminal a success keeps to its line, a failure is told whole", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 40, max: 200 }),
      fc.string({ unit: "binary", maxLength: 300 }),
      (columns, summary) => {
        const { view, last } = terminal({ columns, rows: 24 });
        view.line(line({ event: "work_succeeded", attempt: "A1.1", atom: "A1", summary }));
        view.line(line({ event: "atom_resolved", atom: "A1", measure: 9 }));
        const [fact = ""] = last()
          .replace(/^\u001b\[\d+A\r\u001b\[J/, "")
          .split("\n");
        expect(fact).toContain("· 9 left");
        expect(widthOf(fact)).toBeLessThanOrEqual(columns);
      },
    ),
  );
  const { view, last } = terminal({ columns: 40, rows: 24 });
  view.line(line({ event: "attempt_failed", attempt: "A1.1", atom: "A1", kind: "failed", reason: "x".repeat(100) }));
  expect(last()).toContain(`✗ A1 failed: ${"x".repeat(100)}\n`);
});

test("the region never outgrows the terminal, and goes whole when it became narrower or wider meanwhile", () => {
  const sizes = fc.record({ columns: fc.integer({ min: 8, max: 130 }), rows: fc.integer({ min: 4, max: 40 }) });
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 2, maxLength: 5 }), fc.integer({ min: 0, max: 20 }), (seen, atoms) => {
      const size = { ...(seen[0] ?? { columns: 80, rows: 24 }) };
      const { view, last } = terminal(size, () => "a description of some length, 説明");
      for (let n = 1; n <= atoms; n++)
        view.line(line({ event: "attempt_started", attempt: `A${n}.1`, atom: `A${n}`, role: "worker" }));
      view.tick();
      for (const next of seen) {
        const before = last()
          .replace(/^\u001b\[\d+A\r\u001b\[J/, "")
          .split("\n")
          .slice(0, -1);
        for (const row of before) expect(widthOf(row)).toBeLessThan(size.columns);
        expect(before.length).toBeLessThan(size.rows);
        Object.assign(size, next);
        view.tick();
        const reflowed = before.reduce((sum, row) => sum + Math.max(1, Math.ceil(widthOf(row) / next.columns)), 0);
        expect(last().startsWith(`\u001b[${Math.min(reflowed, next.rows - 1)}A\r\u001b[J`)).toBe(true);
      }
    }),
  );
});

test("elsewhere there are plain lines only, and a reader that leaves does not end the run", () => {
  let text = "";
  const view = createRunView({ write: (part) => (text += part), paint: plain, screen: () => null, now: () => 0 });
  view.line(line({ event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" }));
  view.tick();
  view.close();
  expect(text).toMatch(/^\d\d:\d\d:\d\d A1 worker started \(A1\.1\)\n$/);
  const deaf = createRunView({
    write: () => {
      throw new Error("EPIPE");
    },
    paint: plain,
    screen: () => null,
    now: () => 0,
  });
  expect(() => deaf.line(line({ event: "note", message: "x" }))).not.toThrow();
});

test("J3: a line of an unknown kind is shown as it is, and nothing in a line steers the terminal", () => {
  expect(describeEvent({ event: "future", what: 1 }).text).toContain('future {"event":"future"');
  expect(describeEvent({ event: "note", message: "a\u001b[2Jb\u0007\nc" }).text).toBe("ab c");
  expect(describeEvent({}).text).toContain("?");
});

test("SPEC 10: where several agents worked, the receipt says who did what; one alone is not named", () => {
  expect(receipt(REPORT, (_, text) => text)).not.toContain("claude:opus");
  const codex = { agent: "codex", attempts: 1, failures: 0, cost_usd: 0 };
  const text = receipt({ ...REPORT, agents: [...REPORT.agents, codex] }, (_, said) => said);
  expect(text).toContain("A1: made the model [claude:opus]");
  expect(text).toContain("claude:opus  2 attempts, 1 failed, $0.20");
  expect(text).toContain("codex  1 attempt, 0 failed, $0.00");
});
