/** Each of the eleven rules, broken once (SPEC section 11). */
import { expect, test } from "vitest";
import { apply } from "../../../src/phases/core/apply.ts";
import { generate } from "../../../src/phases/core/generate.ts";
import { stateText } from "../../../src/phases/core/print-state.ts";
import { breachProblem, readState } from "../../../src/phases/core/read-state.ts";
import { breachesOf, RULES, type Rule } from "../../../src/phases/core/rules.ts";
import { definitionOf, GARDEN, second } from "./definitions.ts";

const garden = definitionOf(GARDEN);
const fresh = stateText(generate(garden, second(0)));

/** What is broken, in the text of a state that has just begun. */
const BREAKS: Readonly<Record<Rule, readonly [from: string | RegExp, to: string, path: string, line: string]>> = {
  1: [/,\s*"HARVEST": \{[^}]*\}/, "", "phases", '"phases"'],
  2: [/,\s*"market-gate": \{[^}]*\}/, "", "gates", '"gates"'],
  3: ['"FENCE"', '"Fence"', "phases.Fence", '"Fence"'],
  4: ['"soil-gate"', '"Soil-gate"', "gates.Soil-gate", '"Soil-gate"'],
  5: ['"PLAN.md", "BUDGET.md"', '"PLAN.md"', "gates.plan-gate.deliverables", '["PLAN.md"]'],
  6: ['"survey", "draw"', '"draw", "survey"', "phases.PLAN.skills", '["draw", "survey"]'],
  7: [/"started_at": "[^"]*"/, '"started_at": "yesterday"', "started_at", "yesterday"],
  8: [/"status": "active",\s*"gates"/, '"status": "paused", "gates"', "status", '"paused"'],
  9: ['"phase": "PLAN"', '"phase": "DIG"', "phase", '"phase": "DIG"'],
  10: ['"status": "pending"', '"status": "passed"', "gates.plan-gate.status", '"status": "passed"'],
  11: [/("PLAN": \{\s*"status": )"active"/, '$1"pending"', "phases.PLAN.status", '"pending"'],
};

test("the state that a loop begins with breaks none", () => {
  const read = readState(fresh);
  expect(read.ok && breachesOf(garden, read.value.loop)).toEqual([]);
});

for (const [name, [from, to, path, line]] of Object.entries(BREAKS)) {
  const rule = Number(name) as Rule;
  test(`SPEC 11: rule ${rule}, ${RULES[rule]}: a breach is named, with its place`, () => {
    const text = fresh.replace(from, to);
    expect(text).not.toBe(fresh);
    const read = readState(text);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const breach = breachesOf(garden, read.value.loop).find((one) => one.rule === rule);
    if (breach === undefined) throw new Error("it is not named");
    const problem = breachProblem(read.value, breach);
    expect(problem).toMatchObject({
      code: "phase_rule",
      message: expect.stringContaining(`rule ${rule}: `),
      hint: expect.stringMatching(/./),
    });
    expect(problem.path?.join(".")).toBe(path);
    const row = text.split("\n")[(problem.at?.line ?? 0) - 1] ?? "";
    expect(rule <= 2 ? text : row).toContain(line);
  });
}

test("rules 8 to 11 go with a loop that has moved on", () => {
  let loop = generate(garden, second(0));
  for (const action of [
    { type: "complete_phase", phase: "PLAN", deliverables: [] },
    { type: "pass_gate", gate: "plan-gate", by: "person" },
  ] as const) {
    const next = apply(garden, loop, action, second(1));
    if (!next.ok) throw new Error("refused");
    loop = next.value;
  }
  const broken = (change: Partial<typeof loop>): readonly Rule[] =>
    breachesOf(garden, { ...loop, ...change }).map(({ rule }) => rule);
  expect(broken({})).toEqual([]);
  expect(broken({ status: "complete" })).toEqual([8]);
  expect(broken({ phase: "PLAN" })).toEqual([9]);
  expect(broken({ gates: loop.gates.map((gate) => ({ ...gate, passedAt: null })) })).toEqual([10]);
  expect(broken({ gates: loop.gates.map((gate) => ({ ...gate, skippedReason: "r" })) })).toEqual([10, 10, 10]);
  expect(broken({ phases: loop.phases.map((phase) => ({ ...phase, status: "active" as const })) })).toContain(11);
  expect(broken({ phases: loop.phases.map((phase) => ({ ...phase, startedAt: second(0) })) })).toEqual([11, 11, 11]);
});
