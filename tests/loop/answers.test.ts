import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  DRAFT_SCHEMA,
  PLANNER_SCHEMA,
  PROBE_SCHEMA,
  qualitySchema,
  WORKER_SCHEMA,
} from "../../src/loop/answer-types.ts";
import {
  readAssertionAnswer,
  readAssertionVote,
  readDraftAnswer,
  readProbeAnswer,
  readQualityAnswer,
  readRatings,
  readWorkerAnswer,
} from "../../src/loop/answers.ts";
import { readAdviceAnswer, readPlannerAnswer } from "../../src/loop/answers.ts";

const RUBRIC = [{ criterion: "Readability" }, { criterion: "Design", weight: 2 }];

test("SPEC 7: any JSON at all is read or refused with a sentence, never thrown at", () => {
  const readers = [
    readWorkerAnswer,
    readProbeAnswer,
    readPlannerAnswer,
    readAssertionAnswer,
    readAssertionVote,
    readDraftAnswer,
    readQualityAnswer(RUBRIC),
    readRatings(RUBRIC),
  ];
  const keys = "success summary artifacts split reason feasible findings atoms scores passed evidence Design".split(
    " ",
  );
  const near = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), near, fc.constant(undefined)), fc.constantFrom(...readers), (answer, read) => {
      const reading = read(answer);
      if (!reading.ok) expect(reading.problem).toMatch(/\S/);
    }),
    { numRuns: 2_000 },
  );
});

test("SPEC 7: success is a boolean; nothing that looks like one decides", () => {
  for (const success of ["true", 1, null, undefined, "yes", []]) {
    const reading = readWorkerAnswer({ success, summary: "done" });
    expect(reading).toEqual({
      ok: false,
      problem: expect.stringMatching(/success is not true or false: |has no success/),
    });
  }
});

test("SPEC 7: a worker's result; absent artifacts are none, its usage is nobody's surprise", () => {
  expect(readWorkerAnswer({ success: true, summary: "s", usage: { cost_usd: 1 } })).toEqual({
    ok: true,
    value: { kind: "result", success: true, summary: "s", artifacts: [] },
  });
  expect(readWorkerAnswer({ success: false, summary: "s", artifacts: null, split: null, reason: null })).toEqual({
    ok: true,
    value: { kind: "result", success: false, summary: "s", artifacts: [] },
  });
  expect(readWorkerAnswer({ success: true, summary: "s", artifacts: ["a.ts"], subject: "x", split: [] })).toEqual({
    ok: true,
    value: { kind: "result", success: true, summary: "s", artifacts: ["a.ts"], subject: "x" },
  });
});

test.each([
  [{ success: true }, "summary"],
  [{ success: true, summary: "  " }, "summary"],
  [{ success: true, summary: "s", artifacts: "a.ts" }, "artifacts"],
  [{ success: true, summary: "s", artifacts: [1] }, "artifacts[0]"],
  [{ success: true, summary: "s", split: [{ description: "d" }], reason: "r" }, "exclude each other"],
  [{ split: [{ description: "d" }] }, "reason"],
  [{ split: [], reason: "r" }, "split has no item"],
  [{ split: [{ id: "x" }], reason: "r" }, "split[0] has no description"],
  [
    {
      split: [
        { id: "x", description: "d" },
        { id: "x", description: "e" },
      ],
      reason: "r",
    },
    "used twice",
  ],
  [{ split: [{ id: "x", description: "d", depends_on: ["x"] }], reason: "r" }, "depends on itself"],
  [[], "has to be a JSON object"],
])("SPEC 7: a worker's %j is refused and %s is named", (answer, named) => {
  expect(readWorkerAnswer(answer)).toEqual({ ok: false, problem: expect.stringContaining(named) });
});

test("SPEC 7: a split names smaller atoms and why", () => {
  expect(
    readWorkerAnswer({
      split: [
        { description: "d", depends_on: ["A1"], more: 1 },
        { id: "y", description: "e", depends_on: [] },
      ],
      reason: "big",
    }),
  ).toEqual({
    ok: true,
    value: {
      kind: "split",
      children: [
        { description: "d", depends_on: ["A1"] },
        { id: "y", description: "e" },
      ],
      reason: "big",
      warnings: [expect.stringContaining("split[0].more is no field of the answer, and was left out: one of id,")],
    },
  });
});

const DRAFT = {
  goal: "g",
  background_intent: "b",
  deliverables: "d",
  definition_of_done: "dod",
  base_case: { checklist: [] },
  atoms: [{ id: "A1", description: "d" }],
};
const TWO_WAYS = [
  { id: "a", description: "quick", or_group: "way" },
  { id: "b", description: "slow", or_group: "way", probe: true },
];
const READERS: readonly (readonly [string, (atoms: unknown) => unknown])[] = [
  ["a plan", (atoms) => readPlannerAnswer({ atoms, reason: "r" })],
  ["a split", (atoms) => readWorkerAnswer({ split: atoms, reason: "r" })],
  ["a draft", (atoms) => readDraftAnswer({ ...DRAFT, atoms })],
];

test.each(READERS)("SPEC 7: %s may propose alternatives and probes; what is no alternative is reported", (_, read) => {
  const found = (atoms: unknown): unknown => {
    const { value } = read(atoms) as { readonly value?: { readonly atoms?: unknown; readonly children?: unknown } };
    return value?.atoms ?? value?.children;
  };
  expect(found(TWO_WAYS)).toEqual(TWO_WAYS);
  // Some models fill every key of a schema.
  expect(
    found([
      { description: "d", or_group: "", probe: false },
      { description: "e", or_group: null, probe: null },
    ]),
  ).toEqual([{ description: "d" }, { description: "e" }]);
  const lone = [{ description: "d", or_group: "way" }];
  expect(found(lone)).toEqual([{ description: "d" }]);
  expect(read(lone)).toMatchObject({
    value: { warnings: [expect.stringMatching(/\[0\]\.or_group "way" names no other/)] },
  });
  for (const or_group of ["two words", 3, {}, "x".repeat(65)])
    expect(read([{ description: "d", or_group }])).toMatchObject({
      ok: false,
      problem: expect.stringContaining("or_group"),
    });
  expect(read([TWO_WAYS[0], { ...TWO_WAYS[1], depends_on: ["a"] }])).toMatchObject({
    ok: false,
    problem: expect.stringContaining('depends on "a", its alternative in "way"'),
  });
});

test("SPEC 7, A5: a field that nobody knows is named, beside the atoms and in them; null says nothing", () => {
  const atoms = [
    { description: "d", priority: 1, notes: null },
    { description: "e", orGroup: "way" },
  ];
  expect(readPlannerAnswer({ atoms, reason: "r", risks: ["many"] })).toMatchObject({
    ok: true,
    value: {
      warnings: [
        expect.stringContaining("atoms[0].priority is no field of the answer, and was left out: one of id,"),
        expect.stringContaining("atoms[1].orGroup is no field of the answer, and was left out: did you mean or_group?"),
        "risks is no field of the answer, and was left out: one of atoms, reason, needs_person",
      ],
    },
  });
});

test("SPEC 7: probe, planner and assertion", () => {
  expect(readProbeAnswer({ feasible: false, findings: "no API" })).toEqual({
    ok: true,
    value: { feasible: false, findings: "no API" },
  });
  expect(readProbeAnswer({ feasible: true, findings: "f", cost_estimate: 3 })).toMatchObject({
    ok: true,
    value: { cost_estimate: "3" },
  });
  expect(readProbeAnswer({ feasible: "true", findings: "f" })).toMatchObject({ ok: false });
  expect(readPlannerAnswer({ atoms: [], reason: "r" })).toMatchObject({ ok: false });
  const needs_person = "allow it";
  for (const empty of [{}, { atoms: [], reason: "" }, { atoms: null }])
    expect(readPlannerAnswer({ ...empty, needs_person })).toMatchObject({
      ok: true,
      value: { atoms: [], needs_person },
    });
  expect(readPlannerAnswer({ atoms: [{ description: "d" }], needs_person })).toMatchObject({ ok: false });
  expect(readAdviceAnswer({ advice: "", needs_person })).toMatchObject({
    ok: true,
    value: { advice: null, needs_person },
  });
  expect(readPlannerAnswer({ atoms: [{ description: "d" }], reason: "r" })).toEqual({
    ok: true,
    value: { atoms: [{ description: "d" }], reason: "r" },
  });
  expect(readAssertionAnswer({ passed: "true", evidence: "e" })).toMatchObject({ ok: false });
  expect(readAssertionAnswer({ passed: true })).toMatchObject({ ok: false });
});

const QUOTES = [{ file: "a.ts", line: 3, text: "let a;" }];
const both = (design: unknown, quotes: unknown = QUOTES): unknown => ({
  scores: [
    { criterion: "Design", score: design, reason: "r", quotes },
    { criterion: "Readability", score: 4, reason: "r", quotes: QUOTES },
  ],
});

test("SPEC 6: a missing, doubled or out-of-range score is asked for again, never counted as something", () => {
  const read = readQualityAnswer(RUBRIC);
  expect(read(both(3))).toEqual({
    ok: true,
    value: {
      scores: [
        { criterion: "Readability", score: 4, reason: "r", quotes: QUOTES },
        { criterion: "Design", score: 3, reason: "r", quotes: QUOTES },
      ],
    },
  });
  for (const score of [0, 5.1, 6, -1, "3", null, Number.NaN]) expect(read(both(score))).toMatchObject({ ok: false });
  expect(read({ scores: [{ criterion: "Design", score: 3, quotes: QUOTES }] })).toEqual({
    ok: false,
    problem: 'no score for the criterion "Readability"',
  });
  expect(
    read({
      scores: [...(both(3) as { scores: unknown[] }).scores, { criterion: "Design", score: 5, reason: "again" }],
    }),
  ).toMatchObject({ ok: false });
});

test("SPEC 7: an atom's criteria are a sentence, or a check as its words; what is empty is none", () => {
  const check = { type: "command", value: "npm test" };
  const said = ["it works", check, "", null].map((criteria) => ({ description: "d", criteria }));
  expect(readPlannerAnswer({ atoms: said, reason: "r" })).toEqual({
    ok: true,
    value: {
      atoms: [
        { description: "d", criteria: "it works" },
        { description: "d", criteria: "command: npm test" },
        ...PLAIN,
      ],
      reason: "r",
    },
  });
  const wrong = readPlannerAnswer({ atoms: [{ description: "d", criteria: { type: "file" } }], reason: "r" });
  expect(wrong).toMatchObject({ ok: false, problem: expect.stringContaining("atoms[0].criteria has no value") });
});
const PLAIN = [{ description: "d" }, { description: "d" }];

test("SPEC 4, law A3: nothing but what an atom is about comes out of a proposal, however it is dressed up: no limit, no goal, no verdict", () => {
  const extra = fc.dictionary(
    fc.constantFrom("status", "binding", "constraints", "objective", "or_groups", "protected", "control"),
    fc.jsonValue(),
  );
  const atom = extra.map((more) => ({ ...more, description: "d", touches: ["src/**"] }));
  fc.assert(
    fc.property(fc.array(atom, { minLength: 1, maxLength: 5 }), extra, (atoms, more) => {
      const clean = atoms.map(() => ({ description: "d", touches: ["src/**"] }));
      const plan = readPlannerAnswer({ ...more, atoms, reason: "r" });
      const { warnings, ...value } = plan.ok ? plan.value : { atoms: null };
      expect(value).toEqual({ atoms: clean, reason: "r" });
      const dressed = [more, ...atoms].some((one) =>
        Object.entries(one).some(([key, said]) => !(key in (clean[0] ?? {})) && said !== null),
      );
      expect(warnings !== undefined).toBe(dressed);
      expect(readWorkerAnswer({ ...more, split: atoms, reason: "r" })).toMatchObject({
        ok: true,
        value: { kind: "split", children: clean },
      });
    }),
  );
});

test("SPEC 6: a judge's good word has to quote file and line; a bad one need not, for what is missing cannot be quoted", () => {
  const read = readQualityAnswer(RUBRIC);
  const bad = [undefined, [], "a.ts:3", [{ file: "a.ts", line: 0, text: "x" }], [{ file: "", line: 1, text: "x" }]];
  for (const quotes of [
    ...bad,
    [{ file: "a", line: 1.5, text: "x" }],
    [{ file: "a", line: 1 }],
    Array(9).fill(QUOTES[0]),
  ])
    expect(read(both(2, quotes === undefined ? null : quotes)), JSON.stringify(quotes)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/quotes|scores\[0\]/),
    });
  expect(read(both(1, null))).toMatchObject({ ok: true });
  expect(readAssertionVote({ passed: true, evidence: "e" })).toMatchObject({ ok: false });
  expect(readAssertionVote({ passed: false, evidence: "e" })).toMatchObject({ ok: true });
  expect(readAssertionVote({ passed: true, evidence: "e", quotes: QUOTES })).toEqual({
    ok: true,
    value: { passed: true, evidence: "e", quotes: QUOTES },
  });
});

test("a model API refuses oneOf, anyOf and allOf at the top of a schema: none is there", () => {
  for (const schema of [WORKER_SCHEMA, PROBE_SCHEMA, PLANNER_SCHEMA, DRAFT_SCHEMA, qualitySchema(RUBRIC)]) {
    expect(schema).toMatchObject({ type: "object" });
    expect(Object.keys(schema)).not.toEqual(expect.arrayContaining([expect.stringMatching(/Of$/)]));
  }
});

test("SPEC 10: a draft of the alignment", () => {
  const draft = DRAFT;
  expect(readDraftAnswer(draft)).toEqual({ ok: true, value: draft });
  for (const key of Object.keys(draft))
    expect(readDraftAnswer({ ...draft, [key]: undefined })).toMatchObject({
      ok: false,
      problem: expect.stringContaining(key),
    });
});

const HUGE = "x".repeat(20_000_000);

test("SPEC 8: whatever the size of an answer, what is read of it is bounded, begins as it came, and says what is missing", () => {
  const manyNames = Array.from({ length: 300_000 }, (_, i) => `src/file-${i}.ts`);
  const answers = [
    readWorkerAnswer({ success: true, summary: HUGE, artifacts: manyNames }),
    readWorkerAnswer({ success: false, summary: HUGE, artifacts: ["a.ts", HUGE] }),
    readWorkerAnswer({ split: [{ description: "d" }], reason: HUGE }),
    readProbeAnswer({ feasible: true, findings: HUGE, cost_estimate: { hours: HUGE } }),
    readPlannerAnswer({ atoms: [{ description: "d" }], reason: HUGE }),
    readAssertionAnswer({ passed: false, evidence: HUGE }),
    readQualityAnswer([{ criterion: "c" }])({ scores: [{ criterion: "c", score: 1, reason: HUGE }] }),
  ];
  for (const answer of answers) {
    const kept = JSON.stringify(answer);
    expect(answer.ok, kept.slice(0, 200)).toBe(true);
    expect(kept.length).toBeLessThan(40_000);
    expect(kept).toMatch(/xxx\\n\[\.\.\. \d{8} more characters were left out \.\.\.\]/);
  }
});

test("SPEC 7: artifacts that are left out are counted in the summary; no name is cut", () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `f${i}`);
  const few = readWorkerAnswer({ success: true, summary: "did", artifacts: names });
  expect(few).toEqual({
    ok: true,
    value: {
      kind: "result",
      success: true,
      summary: "did\n[... 800 more artifacts were left out ...]",
      artifacts: names.slice(0, 200),
    },
  });
});

test.each([
  ["id of a dependency", { split: [{ description: "d", depends_on: [HUGE] }], reason: "r" }, readWorkerAnswer],
  ["glob", { atoms: [{ description: "d", touches: [HUGE] }], reason: "r" }, readPlannerAnswer],
  ["quoted text", { passed: true, evidence: "e", quotes: [{ file: "f", line: 1, text: HUGE }] }, readAssertionVote],
  ["quoted file", { passed: true, evidence: "e", quotes: [{ file: HUGE, line: 1, text: "t" }] }, readAssertionVote],
])("SPEC 7: %s of 20 MB means nothing when it is cut: it is asked for again, in a few words", (_, answer, read) => {
  const reading = read(answer);
  expect(reading).toEqual({ ok: false, problem: expect.stringContaining("has 20000000 characters: at most") });
  expect(JSON.stringify(reading).length).toBeLessThan(300);
});
