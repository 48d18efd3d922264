import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BASE_CASE, PERSON } from "../../src/core/event.ts";
import type { Objective } from "../../src/core/state.ts";
import type { Leaf } from "../../src/core/verdict.ts";
import { DIFF_LIMIT, LESSON_LIMIT, lessonsText, MOST_LESSONS } from "../../src/loop/lessons.ts";
import { cut } from "../../src/loop/prompt-text.ts";
import {
  draftPrompt,
  judgePrompt,
  plannerPrompt,
  probePrompt,
  PROMPT_LIMIT,
  workerPrompt,
  type WorkBrief,
} from "../../src/loop/prompt.ts";

const OBJECTIVE: Objective = {
  goal: "Ship the parser",
  base_case: {
    checklist: [
      { item: "tests pass", check: { type: "command", value: "npm test" } },
      { item: "either", any_of: [{ item: "doc", check: { type: "file", value: "README.md" } }] },
    ],
  },
  background_intent: "why",
  deliverables: "what",
  definition_of_done: "All green",
  constraints: { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 },
  protected: ["tests/**"],
};
const BRIEF: WorkBrief = {
  objective: OBJECTIVE,
  atom: { id: "A2", description: "Write the lexer" },
  bindings: { A1: { summary: "Made the grammar", artifacts: ["grammar.md"] } },
  nogoods: [{ atom: "A2", attempt: "A2.1", reason: "regex ran out of stack" }],
  findings: "use a table",
};

test("SPEC 7: a worker gets the atom, the criteria, its dependencies' bindings, earlier failures and the rules", () => {
  const prompt = workerPrompt(BRIEF);
  const parts =
    "A2|Write the lexer|Ship the parser|All green|tests pass (command: npm test)|doc (file: README.md)|Made the grammar|" +
    'grammar.md|- an attempt: regex ran out of stack|use a table|tests/**|"success"|"split": [{"id"?: string, ';
  for (const part of parts.split("|")) expect(prompt).toContain(part);
  // Mostly of its work, and little of the answer's form.
  expect(prompt.length - prompt.indexOf("## Answer")).toBeLessThan(800);
  expect(prompt.trimEnd().endsWith("}")).toBe(true);
});

test("SPEC 7: an atom that is the goal, and a check whose item is its own text, are said once", () => {
  const atom = { id: "A1", description: OBJECTIVE.goal };
  expect(workerPrompt({ ...BRIEF, atom }).split(OBJECTIVE.goal)).toHaveLength(2);
  const base_case = { checklist: [{ item: "npm test", check: { type: "command" as const, value: "npm test" } }] };
  expect(workerPrompt({ ...BRIEF, objective: { ...OBJECTIVE, base_case } })).toContain("\n- command: npm test\n");
});

test("SPEC 16: a worker is shown how commits are called here, but in a session, where it commits nothing", () => {
  const facts = { subjects: ["feat(lexer): read", "fix: stop"] };
  const rule = '72 characters, worded as its last commits are: "feat(lexer): read", "fix: stop".';
  expect(workerPrompt({ ...BRIEF, facts })).toContain(rule);
  expect(workerPrompt({ ...BRIEF, facts, in_session: true })).not.toContain("commits are");
});

test("SPEC 7: a long command stands once in a prompt, with a number that stands for it elsewhere", () => {
  const value = `node -e "${"check(1); ".repeat(100)}"`;
  const base_case = { checklist: [{ item: value, check: { type: "command" as const, value } }] };
  const objective = { ...OBJECTIVE, base_case };
  const nogoods = [
    { atom: "A2", attempt: BASE_CASE, reason: `command: ${value} did not pass before any work`, evidence: "no door" },
    { atom: "A2", attempt: "A2.1", reason: "claimed success", evidence: `command: ${value}: exit code 1` },
  ];
  const leaf = { path: [0], item: value, check: { type: "command" as const, value }, passed: false as const };
  const failing = [{ ...leaf, evidence: { kind: "judgement" as const, reason: "x" } }];
  const prompt = workerPrompt({ ...BRIEF, objective, nogoods });
  expect(prompt).toContain(`- check 1: command: ${value}\n`);
  for (const said of ["- check 1 did not pass before any work\n  no door", "claimed success\n  check 1: exit code 1"])
    expect(prompt).toContain(said);
  for (const one of [prompt, plannerPrompt({ objective, failing, nogoods })]) expect(one.split(value)).toHaveLength(2);
});

test("SPEC 6: a planner gets the failing leaves with their evidence", () => {
  const check = { type: "command" as const, value: "npm test" };
  const evidence = {
    kind: "command" as const,
    command: "npm test",
    exit_code: 1,
    timed_out: false,
    duration_ms: 5,
    output: "1 failing: lexer.test.ts",
    dropped_bytes: 0,
  };
  const prompt = plannerPrompt({
    objective: OBJECTIVE,
    failing: [{ path: [0], item: "tests pass", check, passed: false, evidence }],
    atoms: [{ id: "A1", binding: { summary: "wrote the lexer", artifacts: ["git ignores lib/x.js"] } }, { id: "A2" }],
  });
  for (const part of [
    "tests pass",
    "exit code 1",
    "1 failing: lexer.test.ts",
    '"atoms"',
    "A1: wrote the lexer",
    "lib/x.js",
  ])
    expect(prompt).toContain(part);
});

test("SPEC 6: a judge gets the rubric with its levels, its scope and no word of a worker", () => {
  const leaf: Leaf = {
    path: [0],
    item: "good code",
    check: {
      type: "quality",
      rubric: [{ criterion: "Design", description: "sound", levels: { 1: "a mess", 5: "clear" } }],
      pass_threshold: 3,
      scope: "src/**",
    },
  };
  const prompt = judgePrompt({ leaf });
  for (const part of ["good code", "Design: sound", "1: a mess", "5: clear", "src/**", '"scores"'])
    expect(prompt).toContain(part);
  const sound: Leaf = { path: [0], item: "sound", check: { type: "assertion", value: "No dead code" } };
  expect(judgePrompt({ leaf: sound })).toContain("No dead code");
});

test("SPEC 10: a draft's prompt carries the goal, what was settled and what was wrong", () => {
  const prompt = draftPrompt({
    given: { goal: "a CLI", clarifications: [{ question: "Which OS?", resolution: "Linux" }] },
    problems: ["base_case is empty"],
  });
  for (const part of ["a CLI", "Which OS? Linux", "base_case is empty", '"checklist"']) expect(prompt).toContain(part);
});

test("SPEC 7: a worker is asked for its atom's own done where it has one, and for the atom where not", () => {
  const atom = { ...BRIEF.atom, criteria: "command: node lexer.test.js" };
  for (const prompt of [workerPrompt({ ...BRIEF, atom }), workerPrompt({ ...BRIEF, atom, in_session: true })]) {
    expect(prompt).toContain("Write the lexer\nDone when: command: node lexer.test.js");
    expect(prompt).toContain('success: true only when "Done when" above holds');
  }
  expect(probePrompt({ ...BRIEF, atom })).toContain("Done when: command: node lexer.test.js");
  expect(workerPrompt(BRIEF)).not.toContain("Done when");
});

test("SPEC 6, 7: a draft is told the law, the place, and every field that a check may have, in few words", () => {
  const facts = { deciding: ["test/**"], repository: ["Its own commands: `npm test` (package.json)."] };
  const prompt = draftPrompt({ given: { goal: "g" }, facts, protected: ["LICENSE"] });
  for (const part of ["- test/**", "new tests into new files", "npm test", "does not count: LICENSE"])
    expect(prompt).toContain(part);
  for (const field of ['baseline: "pass"', "no_worse", "must_pass", "allow_changed", "timeout", "network", "criteria"])
    expect(prompt).toContain(field);
  for (const field of ["or_group", "probe", '"rubric"', '"levels"', '"pass_threshold"', "any_of"])
    expect(prompt).toContain(field);
  expect(prompt).not.toContain("A person can allow it");
  expect(draftPrompt({ given: { goal: "g" } })).toContain("Tests, and what says how they are run, count as they were");
  expect(prompt.length).toBeLessThan(9_000);
});

const text = fc.oneof(
  fc.string(),
  fc.tuple(fc.constantFrom("x", "\n", "word ", "\u{1F600}"), fc.nat(60_000)).map(([unit, n]) => unit.repeat(n)),
);
const brief: fc.Arbitrary<WorkBrief> = fc.record({
  objective: fc.tuple(text, text, fc.nat(400)).map(([goal, done, n]) => ({
    ...OBJECTIVE,
    goal,
    definition_of_done: done,
    protected: Array.from({ length: n }, (_, i) => `some/long/path/${i}/**`),
    base_case: {
      checklist: Array.from({ length: n + 1 }, (_, i) => ({
        item: goal.slice(0, 2_000) + i,
        check: { type: "command" as const, value: done.slice(0, 2_000) },
      })),
    },
  })),
  atom: fc.record({ id: text, description: text }),
  bindings: fc
    .tuple(fc.nat(300), text)
    .map(([n, summary]) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, i) => [`A${i}`, { summary, artifacts: [summary.slice(0, 5_000)] }]),
      ),
    ),
  nogoods: fc
    .tuple(fc.nat(300), text)
    .map(([n, reason]) => Array.from({ length: n }, (_, i) => ({ atom: "A", attempt: `A.${i}`, reason }))),
  findings: text,
});

test("SPEC 7: no prompt is longer than its limit, whatever goes in", () => {
  fc.assert(
    fc.property(brief, (given) => {
      expect(workerPrompt(given).length).toBeLessThanOrEqual(PROMPT_LIMIT);
      expect(probePrompt(given).length).toBeLessThanOrEqual(PROMPT_LIMIT);
      const evidence = { kind: "judgement" as const, reason: given.findings ?? "" };
      const failing = given.nogoods.map((n, i) => ({
        path: [i],
        item: n.reason,
        check: { type: "assertion" as const, value: n.reason },
        passed: false as const,
        evidence,
      }));
      const atoms = Object.entries(given.bindings).map(([id, binding]) => ({ id, binding }));
      expect(plannerPrompt({ objective: given.objective, failing, atoms }).length).toBeLessThanOrEqual(PROMPT_LIMIT);
      const clarifications = given.nogoods.map((n) => ({ question: n.reason, resolution: n.reason }));
      expect(
        draftPrompt({
          given: { goal: given.findings ?? "", clarifications },
          problems: given.nogoods.map((n) => n.reason),
        }).length,
      ).toBeLessThanOrEqual(PROMPT_LIMIT);
    }),
    { numRuns: 40 },
  );
});

test("law PROMPT-1: with more of everything than is shown, a prompt grows by no more than its counters", () => {
  const of = (n: number): WorkBrief => ({
    ...BRIEF,
    bindings: Object.fromEntries(
      Array.from({ length: n }, (_, i) => [`A${1000 + i}`, { summary: "did it", artifacts: [] }]),
    ),
    nogoods: Array.from({ length: n }, (_, i) => ({ atom: "A2", attempt: `A2.${1000 + (i % 1000)}`, reason: "no" })),
  });
  expect(workerPrompt(of(1_000)).length - workerPrompt(of(100)).length).toBeLessThan(10);
});

const failures = (n: number): WorkBrief => ({
  ...BRIEF,
  nogoods: Array.from({ length: n }, (_, i) => ({
    atom: "A2",
    attempt: `A2.${i + 1}`,
    reason: `reason ${i} ${"why ".repeat(300)}`,
    evidence: "said ".repeat(400),
    kept: { name: `aot/loop/attempt/A2-${i + 1}-r1`, commit: "abc123def456", diff: "+line\n".repeat(2_000) },
  })),
  limits: { attempt: n + 1, of: 12, timeout_ms: 1_800_000, budget_usd: 1.5 },
});

test("SPEC 7: lessons are bounded: ten failures cost no more than six, and six no more than their limit", () => {
  const length = (n: number): number => workerPrompt(failures(n)).length;
  const [none, one, three, six, ten] = [0, 1, 3, 6, 10].map(length) as [number, number, number, number, number];
  expect(one - none).toBeLessThanOrEqual(LESSON_LIMIT + 1.5 * DIFF_LIMIT + 200);
  expect(three - one).toBeLessThanOrEqual(2 * LESSON_LIMIT + 200);
  expect(ten - one).toBeLessThanOrEqual(MOST_LESSONS * (LESSON_LIMIT + 50) + 200);
  expect(ten - six).toBeLessThan(100);
});

test("SPEC 7: a lesson has its reason, its evidence, its commit and what it changed; the limits are said", () => {
  const prompt = workerPrompt(failures(1));
  for (const part of ["- an attempt: reason 0", "said said", "Its work is commit abc123def456", "+line"])
    expect(prompt).toContain(part);
  // The one before was a probe.
  expect(prompt).toMatch(/This is attempt 1 of at most 11\. It may take at most 30m 0s, 1\.50 USD; then/);
});

test("SPEC 7: the same reason is said once with a count, and the first evidence is not pushed out by newer failures", () => {
  const same = lessonsText(
    Array.from({ length: 7 }, (_, i) => ({ atom: "A", attempt: `A.${i + 1}`, reason: "no port" })),
  );
  expect(same).toBe("- 7 attempts: no port");
  const said = [{ attempt: "A.1" }, { attempt: "B.1", at: "B (by hand)" }, { attempt: PERSON }];
  expect(lessonsText(said.map((one) => ({ ...one, atom: "A", reason: "no" })))).toBe(
    "- an attempt: no\n- an attempt at B (by hand): no\n- a person: no",
  );
  const first = { atom: "A", attempt: "A.0", reason: "npm test does not pass", evidence: "MARK" };
  const later = Array.from({ length: 9 }, (_, i) => ({ atom: "A", attempt: `A.${i}`, reason: `reason ${i}` }));
  const text = lessonsText([first, ...later]);
  expect(text).toContain("MARK");
  expect(text).toContain("reason 8");
  expect(text).toContain("(4 more are not shown)");
});

test("cut keeps the beginning and the end, says what is missing, and halves no character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.nat(200), (given, max) => {
      const shown = cut(given, max);
      expect(shown.length).toBeLessThanOrEqual(max);
      if (given.length <= max) expect(shown).toBe(given);
    }),
  );
  const shown = cut("\u{1F600}".repeat(500), 101);
  expect(Buffer.from(shown, "utf8").toString("utf8")).toBe(shown);
  expect(cut(`begin${"x".repeat(500)}end`, 100)).toMatch(/^begin[^]*characters left out[^]*end$/);
});
