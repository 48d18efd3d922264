/** Real definitions vary; all load, and what contradicts itself is named (SPEC section 11). */
import { describe, expect, test } from "vitest";
import { deliverablesOf } from "../../../src/phases/core/definition.ts";
import { generate } from "../../../src/phases/core/generate.ts";
import { stateText } from "../../../src/phases/core/print-state.ts";
import { readDefinition } from "../../../src/phases/core/read-definition.ts";
import { BARE, definitionOf, GARDEN, KITCHEN, second, textsAtHand, whyNoRealLoops } from "./definitions.ts";

function reported(value: object | string): { problems: readonly string[]; warnings: readonly string[] } {
  const read = readDefinition(typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const line = (problem: { message: string; hint?: string; at?: { line: number } }): string =>
    `${problem.at?.line}: ${problem.message} / ${problem.hint}`;
  return { problems: read.ok ? [] : read.problems.map(line), warnings: read.warnings.map(line) };
}

test("the seed's generation, key by key and in its order", () => {
  const text = stateText(generate(definitionOf(GARDEN), second(0)));
  const plan = {
    status: "active",
    required: true,
    skills: ["survey", "draw"],
    deliverables: [],
    startedAt: null,
    completedAt: null,
  };
  const gate = {
    status: "pending",
    required: true,
    approvalType: "human",
    deliverables: ["PLAN.md", "BUDGET.md"],
    passedAt: null,
    skippedReason: null,
  };
  expect(text).toBe(
    `${JSON.stringify(
      {
        loop: "garden-loop",
        version: "2.1.0",
        mode: "greenfield",
        phase: "PLAN",
        status: "active",
        gates: {
          "plan-gate": gate,
          "soil-gate": { ...gate, approvalType: "auto", deliverables: [] },
          "market-gate": { ...gate, required: false, approvalType: "conditional", deliverables: [] },
        },
        phases: {
          PLAN: plan,
          DIG: { ...plan, status: "pending", skills: ["spade"] },
          FENCE: { ...plan, status: "pending", required: false, skills: [] },
          HARVEST: { ...plan, status: "pending", skills: ["basket"] },
        },
        metrics: {},
        started_at: second(0),
        last_updated: second(0),
      },
      null,
      2,
    ).replace(
      /\[\n\s+((?:"[^"]*"(?:,\n\s+)?)+)\n\s+\]/g,
      (_, items: string) => `[${items.replace(/,\n\s+/g, ", ")}]`,
    )}\n`,
  );
});

test("SPEC 11: skills as objects, `automated`, no mode, names that look like numbers", () => {
  const kitchen = definitionOf(KITCHEN);
  expect(kitchen).toMatchObject({
    mode: null,
    phases: [
      {
        name: "Mise en place",
        required: false,
        skills: [{ id: "chop" }, { id: "weigh", required: false }, { id: "wash", required: true }],
      },
      { name: "2" },
      { name: "1" },
    ],
    gates: [{ id: "taste", approval: "auto" }, { id: "look" }, { id: "clean" }],
  });
  const text = stateText(generate(kitchen, second(0)));
  expect(text.indexOf('"2": {')).toBeLessThan(text.indexOf('"1": {'));
  expect(text).toContain('"mode": "default"');
  expect(stateText(generate(kitchen, second(0), "rush"))).toContain('"mode": "rush"');
  expect(reported(KITCHEN).warnings).toEqual([
    expect.stringContaining(
      "the gate look belongs after 2, as taste does / all of them have to be settled, in the file's order",
    ),
    expect.stringContaining("the gate clean is required, and the phase Mise en place before it is not"),
    expect.stringContaining("defaults.mode is missing / say it with --mode"),
    expect.stringContaining('defaults.autonomy is not understood: "supervised" is assumed'),
  ]);
});

test("READ-DEFINITION-2: what a file does not say is assumed, and reported", () => {
  expect(definitionOf(BARE)).toEqual({
    id: "bare",
    version: "0.0.0",
    mode: null,
    autonomy: "supervised",
    gates: [],
    phases: [{ name: "ONLY", required: true, skills: [], deliverables: [], results: [] }],
  });
  expect(reported(BARE).warnings.map((line) => line.replace(/ \/.*/, ""))).toEqual([
    expect.stringContaining("phases[0].required is missing: true is assumed"),
    expect.stringContaining('version is missing: "0.0.0" is assumed'),
    expect.stringContaining("defaults.mode is missing"),
  ]);
  const odd = {
    ...GARDEN,
    gates: [{ id: "g", afterPhase: "DIG", approvalType: "owner", deliverables: [{ file: "A.md" }] }],
  };
  expect(definitionOf(odd).gates).toEqual([
    { id: "g", after: "DIG", required: true, approval: "human", deliverables: ["A.md"], checks: [], criteria: [] },
  ]);
  expect(reported(odd).warnings[1]).toContain('gates[0].approvalType is not understood: "human" is assumed');
});

test("what is not understood is reported with what would be; each gate is informed of its own phase, also where two share an id", () => {
  const odd = {
    id: "odd",
    colour: 1,
    phases: [{ name: "A" }, { name: "B" }],
    gates: [
      { id: "g", afterPhase: "C", approvalType: "quorum" },
      { id: "g", afterPhase: "A", approvalType: null },
    ],
    defaults: { autonomy: "full" },
  };
  const read = readDefinition(`\ufeff${JSON.stringify(odd, null, 1).replaceAll("\n", "\r\n")}`);
  expect(read.ok ? [] : read.problems).toMatchObject([
    { code: "duplicate_id", at: { line: 19, column: 10 } },
    { code: "unknown_phase", path: ["gates", 0, "afterPhase"], at: { line: 15 } },
  ]);
  const approvals = read.warnings.filter(({ path }) => path?.at(-1) === "approvalType");
  expect(approvals.map(({ hint }) => hint)).toEqual(
    Array(2).fill(
      "write it down if it is something else: one of human, manual, conditional, auto, automated, automatic",
    ),
  );
  expect(read.warnings.find(({ path }) => path?.at(-1) === "autonomy")?.hint).toContain("supervised, semi-autonomous");
});

test("SPEC 11: checks of a gate, deliverables of a phase, its AoT loop, and the autonomy", () => {
  const aot = { goal: "g", base_case: { type: "file", value: "x" } };
  const definition = definitionOf({
    id: "x",
    phases: [
      { name: "A", deliverables: ["A.md", { file: "B.md" }], aot },
      { name: "B", aot: null },
    ],
    gates: [
      { id: "g", afterPhase: "A", approvalType: "auto", deliverables: ["A.md", "C.md"], checks: ["npm test"] },
      {
        id: "h",
        afterPhase: "A",
        checks: [
          { type: "not_file", value: "*.orig" },
          { type: "command", value: "make", timeout: 300 },
        ],
      },
      { id: "i", afterPhase: "B", checks: "npm run lint" },
    ],
    defaults: { autonomy: "semi-autonomous" },
  });
  const [a, b] = definition.phases;
  if (a === undefined || b === undefined) throw new Error("two phases");
  expect([definition.autonomy, JSON.parse(a.aot ?? ""), b.aot]).toEqual(["semi-autonomous", aot, undefined]);
  expect(deliverablesOf(definition, a)).toEqual(["A.md", "B.md", "C.md"]);
  expect(definition.gates.map(({ checks }) => checks)).toEqual([
    [{ type: "command", value: "npm test" }],
    [
      { type: "not_file", value: "*.orig" },
      { type: "command", value: "make", timeout: 300 },
    ],
    [{ type: "command", value: "npm run lint" }],
  ]);
});

test("a check that cannot be understood is refused with its place", () => {
  const problems = (checks: unknown): readonly string[] =>
    reported({ id: "x", phases: [{ name: "A" }], gates: [{ id: "g", afterPhase: "A", checks }] }).problems;
  expect(problems([{ type: "comand", value: "x" }])[0]).toContain("gates[0].checks[0].type is no kind of check");
  expect(problems([{ type: "command" }])[0]).toContain("gates[0].checks[0].value is missing");
  expect(problems([{ type: "command", value: "x", timeout: "5m" }])[0]).toContain("seconds, above 0");
  expect(problems([7])[0]).toContain("gates[0].checks[0] has to be a text");
  expect(problems({})[0]).toContain("gates[0].checks has to be a list");
});

describe("contradictions", () => {
  const phase = (name: string): object => ({ name, skills: [], required: true });
  const of = (phases: readonly object[], gates: readonly object[]): object => ({
    id: "x",
    version: "1",
    phases,
    gates,
  });
  test.each([
    [
      "two phases of one name",
      of([phase("A"), phase("A")], []),
      '11: two phases are called "A": phases[0] and phases[1]',
    ],
    [
      "two gates of one id",
      of(
        [phase("A")],
        [
          { id: "g", afterPhase: "A" },
          { id: "g", afterPhase: "A" },
        ],
      ),
      'two gates are called "g"',
    ],
    [
      "a gate after an unknown phase",
      of([phase("INIT")], [{ id: "g", afterPhase: "Init" }]),
      'belongs after "Init", and there is no such phase',
    ],
    ["a gate that belongs nowhere", of([phase("A")], [{ id: "g" }]), "gates[0].afterPhase is missing"],
    ["no phases", of([], []), "phases is empty"],
    ["a phase without a name", of([{}], []), "phases[0].name is missing"],
    ["an id that leads elsewhere", { ...of([phase("A")], []), id: "../x" }, "id cannot name a state file"],
    ["a skill that is none", of([{ name: "A", skills: [{}] }], []), "phases[0].skills[0] does not name its skill"],
    ["no object", [], "has to be an object"],
  ])("%s", (_, value, message) => {
    const { problems } = reported(value);
    expect(problems.join("\n")).toContain(message);
  });

  test.each([
    ["{", "1: a key in double quotes belongs here"],
    ['{"a": 1,}', "1: a key in double quotes belongs here"],
    ['{"a": 1\n "b": 2}', "2: a comma or } belongs here"],
    ['{"a": 1, "a": 2}', '1: the key "a" is defined twice'],
    ["{} {}", "1: unexpected text after the end"],
    ['{"a": // x\n1}', "1: this is no JSON value"],
    ['["a\nb"]', "1: this string is not closed"],
    ["", "1: the text ends where a value belongs"],
  ])("JSON: %s", (text, message) => {
    expect(reported(text).problems.join("\n")).toContain(message);
  });

  test("JSON: nested without end", () => {
    expect(reported("[".repeat(100_000)).problems.join("\n")).toContain("1: nested deeper than 200 levels");
  });
});

for (const [name, text] of textsAtHand())
  test(`SPEC 11: ${name} loads`, () => {
    expect(reported(text).problems).toEqual([]);
    const definition = definitionOf(text);
    expect(definition.phases.length).toBeGreaterThan(0);
  });

test.skipIf(whyNoRealLoops !== null)(
  `real definitions${whyNoRealLoops === null ? "" : ` (skipped: ${whyNoRealLoops})`}`,
  () => {
    expect(textsAtHand().length).toBeGreaterThan(3);
  },
);

describe("READ-DEFINITION-3: nobody's gate, deliverable or check is dropped", () => {
  const A = { name: "Assess", id: "ASSESS", required: true, skills: [] };
  const B = { name: "Enable", required: true, skills: [] };
  const base = { id: "sales", version: "1", defaults: { mode: "m" } };
  const gateOf = (gate: object): object => definitionOf({ ...base, phases: [A, B], gates: [gate] }).gates[0] ?? {};

  test("a phase's id names it, where no phase has that name", () => {
    expect(gateOf({ id: "g", afterPhase: "ASSESS" })).toMatchObject({ after: "Assess" });
    const named = [
      { ...A, name: "X" },
      { ...B, name: "ASSESS" },
    ];
    const both = definitionOf({ ...base, phases: named, gates: [{ id: "g", afterPhase: "ASSESS" }] });
    expect(both.gates).toMatchObject([{ after: "ASSESS" }]);
  });

  test("gates nested in a phase, or named there; `manual` and `type`", () => {
    const nested = { id: "plan", approvalType: "manual", guarantees: [{ type: "file_exists", path: "q.json" }] };
    const phases = [{ ...A, gates: [nested, "later"] }, B];
    const read = definitionOf({ ...base, phases, gates: [{ id: "later", type: "auto", criteria: ["it is good"] }] });
    expect(read.gates).toMatchObject([
      { id: "plan", after: "Assess", approval: "human", checks: [{ type: "file", value: "q.json" }] },
      { id: "later", after: "Assess", approval: "auto", criteria: ["it is good"] },
    ]);
    expect(reported({ ...base, phases: [{ ...A, gates: ["nobody"] }] }).problems[0]).toContain("no such gate");
    expect(
      reported({ ...base, phases: [{ ...A, gates: [{ id: "g", afterPhase: "Enable" }] }, B] }).problems[0],
    ).toContain("take one of them away");
  });

  test("what a phase is to come to in words is kept, and reported as unchecked", () => {
    const read = { ...base, phases: [{ ...A, requiredDeliverables: ["needs analysis", "N.md"] }] };
    expect(definitionOf(read).phases).toMatchObject([{ deliverables: ["N.md"], results: ["needs analysis"] }]);
    expect(reported(read).warnings.join()).toContain('no file: "needs analysis"');
  });

  test("a key that looks like one of them and is not read is refused by name", () => {
    for (const [value, name] of [
      [{ ...base, phases: [{ ...A, gate: { id: "g" } }] }, "phases[0].gate"],
      [{ ...base, phases: [{ ...A, acceptanceCriteria: ["x"] }] }, "phases[0].acceptanceCriteria"],
      [{ ...base, phases: [A], approvalGates: [{}] }, "approvalGates"],
      [{ ...base, phases: [A], gates: [{ id: "g", afterPhase: "Assess", approval: "human" }] }, "gates[0].approval"],
    ] as const)
      expect(reported(value).problems.join()).toContain(`${name} is not understood`);
    expect(reported({ ...base, phases: [{ ...A, gate: null }], metadata: { gate: 1 } }).problems).toEqual([]);
  });

  test("a deliverable outside of the project is refused", () => {
    for (const file of ["../up.md", "/etc/passwd", "a/../../b", "C:\\x", "~/x", "..\\x"])
      expect(reported({ ...base, phases: [{ ...A, deliverables: [file] }] }).problems.join()).toContain("outside");
    expect(reported({ ...base, phases: [{ ...A, deliverables: ["a/../b.md", "./c", "..d"] }] }).problems).toEqual([]);
  });
});
