/** SPEC 16: a pull request says what a maintainer decides by, each thing once. */
import { expect, test } from "vitest";
import type { State } from "../../src/core/state.ts";
import { createStory } from "../../src/history/run-story.ts";
import { pullRequestOf, type PullRequest } from "../../src/run/pull-request.ts";
import { stateOfAtoms } from "../support/states.ts";

function leaf(item: string, passed: boolean, ...names: string[]): object {
  const counts = { format: "tap", total: 3, passed: 2, failed: 1, skipped: 0 };
  const tests = { ...counts, pre_existing: { total: names.length, names } };
  const ended = { exit_code: passed ? 0 : 1, timed_out: false, duration_ms: 1_000, output: "", dropped_bytes: 0 };
  const evidence = { kind: "command", command: item, ...ended, log: "check-1", tests };
  return { item, check: { type: "command", value: item }, passed, evidence };
}
const SAID = { kind: "judgement", reason: "it is" };
const JUDGED = { item: "plain", check: { type: "assertion", value: "plain" }, passed: true, evidence: SAID };
const checked = (commit: string, ...checklist: object[]): object => {
  const verdict = { passed: true, checklist, skipped: [], requires_user_confirmation: false };
  return { event: "base_case_checked", verdict, commit };
};
const started = (attempt: string): object => {
  return { event: "attempt_started", attempt, atom: attempt.slice(0, 2), role: "worker" };
};
const failed = (attempt: string, reason: string): object => ({ event: "attempt_failed", attempt, reason });
const STORY = [
  ...["A1.1", "A1.2", "A2.1", "A2.2", "A2.3"].map(started),
  failed("A1.1", "no hash holds"),
  failed("A1.2", "no hash holds"),
  failed("A2.1", "the counter\nstarts at 2"),
  failed("A2.2", "the counter starts at 2"),
  { event: "choice_given_up", or_group: "ids", choice: "A1", reason: "no hash holds" },
  { event: "replanned", atoms: [], reason: "none", usage: { calls: 1 } },
  checked("c0", JUDGED),
  checked("c1", JUDGED),
  { event: "work_succeeded", attempt: "A2.3", summary: "Ids count <up>", artifacts: [] },
  { event: "attempt_integrated", attempt: "A2.3", commit: "c1", files: [] },
  checked("0123456789", leaf("npm test", true, "the old one"), {
    item: "It is documented",
    passed: true,
    any_of: [leaf("grep -q ids docs", true), leaf("grep -q ``` readme", false)],
  }),
];

function stateOf(goal: string, definition_of_done: string): State {
  const state = stateOfAtoms(2);
  const atoms = state.atoms.map((atom) => ({ ...atom, or_group: "ids" }));
  const ids = { name: "ids", choices: ["A1", "A2"], selected: "A2", failed: ["A1"] };
  return { ...state, objective: { ...state.objective, goal, definition_of_done }, atoms, or_groups: [ids] };
}

const DONE = "Every check of the base case passes.";

function request(goal: string, done = DONE, more: object[] = []): PullRequest {
  const story = createStory();
  for (const event of [...STORY, ...more])
    story.read({ time: "2026-01-01T00:00:00.000Z", run: "r", iteration: 1, ...event });
  return pullRequestOf(stateOf(goal, done), story.now(), more.length > 0 ? "sha256:1" : null);
}

test("SPEC 16: the title is the goal, or what its only commit is called, and has no dots where it ends", () => {
  expect(request("Give ids that last, @all").title).toBe("Give ids that last, @\u2060all");
  const long = "Give ids that last as long as the store itself does, because a link is never taken back";
  expect(request(long).title).toBe("Give ids that last as long as the store itself does, because a link is");
  expect(request("Make pass: npm test").title).toBe("Ids count <up>");
  const one = [
    { event: "restarted" },
    started("A2.1"),
    { event: "work_succeeded", attempt: "A2.1", summary: "Ids count", artifacts: [], subject: "fix(ids): count up" },
    { event: "attempt_integrated", attempt: "A2.1", commit: "c1", files: [] },
  ];
  const { title, body } = request("Give ids that last", DONE, one);
  expect(title).toBe("fix(ids): count up");
  expect(body).toContain("## Work\n\n- fix(ids): count up\n");
  const lessons = [{ atom: "A2", attempt: "A2.1", reason: "claimed success, and npm test does not pass" }];
  const refuted = request("Give ids", DONE, [...one, { event: "atom_reset", atom: "A2", reason: "x", lessons }]).body;
  expect(refuted).toContain("- A2.1: claimed success, and npm test does not pass\n\n## Cost\n\n1 attempt (1 failed);");
});

test("SPEC 16: what failed before and still does, groups, what lost, and each reason once", () => {
  expect(request("Give ids that last").body).toBe(`## Goal

Give ids that last

## Verdict

\`\`\`text
✓ command: npm test: exit code 0 after 1s, 2 of 3 tests passed, 1 failed: failed before, too: the old one
✓ It is documented (any of)
  ✓ command: grep -q ids docs: exit code 0 after 1s, 2 of 3 tests passed, 1 failed
  ✗ command: grep -q ''' readme: exit code 1 after 1s, 2 of 3 tests passed, 1 failed
\`\`\`

Checked on a fresh clone of 0123456789.

## Work

- Ids count &lt;up>

## Given up

- Step 1 of the work, in a few words: no hash holds

## Failed attempts

- A2.1, A2.2: the counter starts at 2

## Cost

5 attempts (4 failed), 1 other call; no cost reported.
`);
  const usage = { calls: 1, cost_usd: 0.25 };
  const { body } = request("x", "@all agree", [{ event: "replanned", atoms: [], reason: "none", usage }]);
  expect(body).toContain("\n\nDone when: @\u2060all agree\n");
  expect(body).toContain("5 attempts (4 failed), 2 other calls; $0.25. Receipt: sha256:1\n");
});
