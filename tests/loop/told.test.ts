/** What prompts tell of the checks, of what decides them, of the place and of others at work (SPEC sections 6 and 7). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BASE_CASE } from "../../src/core/event.ts";
import type { Check, Objective } from "../../src/core/state.ts";
import { advicePrompt, plannerPrompt, probePrompt, workerPrompt, type WorkBrief } from "../../src/loop/prompt.ts";
import { CHECKS_LIMIT, checksSection, type GoalBrief } from "../../src/loop/told.ts";

function objectiveOf(checks: readonly Check[], more: Partial<Objective> = {}): Objective {
  return {
    goal: "Ship it",
    base_case: { checklist: checks.map((check, at) => ({ item: `check ${at}`, check })) },
    background_intent: "why",
    deliverables: "what",
    definition_of_done: "All green",
    constraints: { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 },
    ...more,
  };
}

const NO_WORSE: Check = {
  type: "command",
  value: "npx mocha",
  expect: "no_worse",
  must_pass: ["idle > waits"],
  timeout: 300,
  allow_changed: ["test/idle.js"],
};
const GOAL: GoalBrief = {
  objective: objectiveOf([NO_WORSE, { type: "command", value: "npm run lint", baseline: "pass" }]),
  failedThen: (check) => (check === NO_WORSE ? ["idle > waits", "old > fails"] : []),
  facts: {
    deciding: ["test/**", "of package.json: how tests are run"],
    repository: ["The repository's own commands: `npm test` (package.json)."],
    network: "The network reaches your own service, nothing else; checks reach nothing.",
    set_up: "Dependencies are set up before each attempt and each check: `npm ci` where package-lock.json has changed.",
  },
  env: { AOT_PORT: "4101" },
};
const atom = { id: "A2", description: "Write the docs", depends_on: [] };
const work = (brief: GoalBrief, more: Partial<WorkBrief> = {}): string =>
  workerPrompt({ ...brief, atom, bindings: {}, nogoods: [], ...more });

test("TOLD-2: a long command is whole beside short ones, and of what a check said the reason is kept", () => {
  const value = `node -e '${"x".repeat(9_000)}'`;
  const evidence = `exit code 1\n${"✔ fine\n".repeat(150)}Error: no such door\n${"    at a (b.js:1)\n".repeat(150)}`;
  const lesson = { atom: "A2", attempt: BASE_CASE, reason: "it does not pass", evidence };
  const prompt = work({ objective: objectiveOf([{ type: "command", value }, NO_WORSE]) }, { nogoods: [lesson] });
  expect(prompt).toContain(value);
  expect(prompt).toContain("Error: no such door");
  expect(prompt).not.toContain("✔ fine");
});

/** Each fact of the goal and the place, and what is left of the brief without it. */
const FACTS: readonly (readonly [fact: string, without: GoalBrief])[] = [
  ["These tests have to pass: idle > waits.", { ...GOAL, objective: objectiveOf([{ type: "command", value: "x" }]) }],
  ["These failed then, and may go on failing: old > fails.", { objective: GOAL.objective }],
  ["none that passed when the goal was agreed may fail", { objective: objectiveOf([{ type: "command", value: "x" }]) }],
  ["It may take 300 s.", { objective: objectiveOf([{ type: "command", value: "x" }]) }],
  ["The work may change what decides it: test/idle.js.", { objective: objectiveOf([{ type: "command", value: "x" }]) }],
  ["It passed when the goal was agreed", { objective: objectiveOf([NO_WORSE]) }],
  ["- test/**", { objective: GOAL.objective }],
  ["Put new tests into new files", { objective: objectiveOf([{ type: "file", value: "x" }]) }],
  ["The repository's own commands: `npm test`", { objective: GOAL.objective }],
  ["The network reaches your own service", { objective: GOAL.objective }],
  ["`npm ci` where package-lock.json has changed", { objective: GOAL.objective }],
  ["$AOT_PORT is a port of your own", { objective: GOAL.objective }],
];

test.each(FACTS)(
  "SPEC 6, 7: who plans or works reads %j where it is so, and nothing where it is not",
  (fact, without) => {
    const prompts = (brief: GoalBrief): readonly string[] => [
      work(brief),
      probePrompt({ ...brief, atom, bindings: {}, nogoods: [] }),
      plannerPrompt({ ...brief, failing: [] }),
      advicePrompt({ ...brief, atom, why: "it failed twice", nogoods: [], others: [] }),
    ];
    for (const prompt of prompts(GOAL)) expect(prompt).toContain(fact);
    for (const prompt of prompts(without)) expect(prompt).not.toContain(fact);
  },
);

test("SPEC 7: a check's command is told whole, and a rubric with its levels, weight and threshold", () => {
  const value = `node -e '${"check(1);".repeat(200)}' END`;
  const rubric = [{ criterion: "Clear", weight: 2, description: "a user gets it", levels: { 1: "no", 5: "yes" } }];
  const told = checksSection(
    objectiveOf([
      { type: "command", value },
      { type: "quality", rubric, pass_threshold: 4 },
    ]),
  );
  expect(told).toContain(value);
  for (const part of ["has to reach 4", "Clear (weight 2): a user gets it", "1: no", "5: yes"])
    expect(told).toContain(part);
});

test("law TOLD-2: the checks take no more than their limit, whatever they are", () => {
  const check = fc.record({ type: fc.constant("command" as const), value: fc.string({ maxLength: 9_000 }) });
  fc.assert(
    fc.property(fc.array(check, { minLength: 1, maxLength: 60 }), (checks) => {
      const lines = Math.min(checks.length, 31) * 20;
      expect(checksSection(objectiveOf(checks)).length).toBeLessThanOrEqual(CHECKS_LIMIT * 1.1 + lines + 100);
    }),
    { numRuns: 50 },
  );
});

test("SPEC 7: a worker hears who works beside it, how much else is open, and when nothing is, however large the graph", () => {
  const working = [{ id: "A1", description: "Write the code", touches: ["src/idle.js"] }];
  const two = "- A1: Write the code (src/idle.js)\n2 more atoms are open.";
  expect(work(GOAL, { peers: { working, open: 2 } })).toContain(two);
  expect(work(GOAL, { peers: { working: [], open: 1 } })).toContain("1 more atom is open");
  expect(work(GOAL, { peers: { working: [], open: 0 } })).toContain("after this atom every check above has to pass");
  const many = (n: number): string => {
    const working = Array.from({ length: n }, (_, at) => ({ id: `A${1_000 + at}`, description: "does a part" }));
    return work(GOAL, { peers: { working, open: 1_000 + n } });
  };
  expect(many(900).length - many(100).length).toBeLessThan(10);
});

test("SPEC 7: a probe is told its alternative, and that its answer is not the work", () => {
  const alternatives = [{ id: "A3", description: "Do it by hand" }];
  const prompt = probePrompt({ ...GOAL, atom, bindings: {}, nogoods: [], alternatives });
  expect(work(GOAL, { alternatives })).toContain("somebody else does this\n- A3: Do it by hand");
  for (const part of ["A3: Do it by hand", "not the work", "Read only", '"feasible"']) expect(prompt).toContain(part);
});

test("SPEC 7: what checks said is no failure of an attempt, and a session's worker is not told to leave files behind", () => {
  const nogoods = [
    { atom: "A2", attempt: "base case", reason: "npm test does not pass", evidence: "1 failing" },
    { atom: "A2", attempt: "A2.1", reason: "ran out of ideas" },
  ];
  const prompt = work(GOAL, { nogoods });
  expect(prompt).toContain("## What the checks said\n- npm test does not pass\n  1 failing");
  expect(prompt).toMatch(/## What failed before[^\n]*\n- an attempt: ran out of ideas\n/);
  expect(work(GOAL, { nogoods: nogoods.slice(0, 1) })).not.toContain("What failed before");
  expect(prompt).toContain("git add -f");
  expect(work(GOAL, { in_session: true })).not.toContain("git add -f");
});
