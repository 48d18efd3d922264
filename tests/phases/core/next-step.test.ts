/** What a run does next (SPEC section 11, the resume logic of the seed). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Action } from "../../../src/phases/core/action.ts";
import { apply } from "../../../src/phases/core/apply.ts";
import type { LoopDefinition } from "../../../src/phases/core/definition.ts";
import { generate } from "../../../src/phases/core/generate.ts";
import { nextStep, type NextStep } from "../../../src/phases/core/next-step.ts";
import type { PhaseLoop } from "../../../src/phases/core/state.ts";
import { definitionOf, definitions, GARDEN, second } from "./definitions.ts";

const garden = definitionOf(GARDEN);

/** What a run makes of a step when its work and its gates go as `picks` say. */
function answerTo(step: NextStep, pick: number): Action | null {
  switch (step.kind) {
    case "start":
      return { type: "start_phase", phase: step.phase.name };
    case "work":
      return { type: "complete_phase", phase: step.phase.name, deliverables: [] };
    case "rework":
    case "stuck":
      return { type: "retry_gate", gate: step.gate.id };
    case "gate":
      if (pick % 3 === 0) return { type: "fail_gate", gate: step.gate.id, reason: "no" };
      return pick % 3 === 1
        ? { type: "skip_gate", gate: step.gate.id, reason: "why" }
        : { type: "pass_gate", gate: step.gate.id, by: "person" };
    default:
      return null;
  }
}

function driven(definition: LoopDefinition, picks: readonly number[]): PhaseLoop {
  let loop = generate(definition, second(0));
  for (let steps = 0; steps < 200; steps++) {
    // Past the picks everything is passed.
    const action = answerTo(nextStep(definition, loop), picks[steps] ?? 2);
    if (action === null) return loop;
    const next = apply(definition, loop, action, second(steps + 1));
    if (!next.ok) throw new Error(`a run was refused: ${JSON.stringify([action, next.problems])}`);
    loop = next.value;
  }
  throw new Error("it does not end");
}

test("every step is one that the transition tables allow, and answering each leads to completion", () => {
  fc.assert(
    fc.property(definitions, fc.array(fc.nat({ max: 9 }), { maxLength: 20 }), (definition, picks) => {
      expect(driven(definition, picks).status).toBe("complete");
    }),
    { numRuns: 300 },
  );
});

test("SPEC 11: in the order of the definition, a gate before the next phase", () => {
  const after = (...actions: readonly Action[]): NextStep["kind"] => {
    let loop = generate(garden, second(0));
    for (const [index, action] of actions.entries()) {
      const next = apply(garden, loop, action, second(index + 1));
      if (!next.ok) throw new Error(JSON.stringify(next.problems));
      loop = next.value;
    }
    return nextStep(garden, loop).kind;
  };
  const planned: Action = { type: "complete_phase", phase: "PLAN", deliverables: [] };
  const rejected: Action = { type: "fail_gate", gate: "plan-gate", reason: "no budget" };
  expect(after()).toBe("work");
  expect(after({ type: "fail_phase", phase: "PLAN", reason: "frost" })).toBe("start");
  expect(after(planned)).toBe("gate");
  expect(after(planned, rejected)).toBe("rework");
  expect(after(planned, rejected, { type: "retry_gate", gate: "plan-gate" })).toBe("gate");
  expect(after(planned, { type: "pass_gate", gate: "plan-gate", by: "person" })).toBe("start");
  expect(after({ type: "pause" })).toBe("closed");
  expect(after({ type: "fail_loop", reason: "flood" })).toBe("closed");
});

test("a failed gate behind a skipped phase has no work to do over", () => {
  const definition = definitionOf({
    id: "x",
    phases: [{ name: "A", required: false }, { name: "B" }],
    gates: [{ id: "g", afterPhase: "A", approvalType: "auto" }],
  });
  const begun = generate(definition, second(0));
  const loop: PhaseLoop = {
    ...begun,
    phases: begun.phases.map((phase) => (phase.name === "A" ? { ...phase, status: "skipped" } : phase)),
    gates: begun.gates.map((gate) => ({ ...gate, status: "failed" })),
  };
  expect(nextStep(definition, loop)).toMatchObject({ kind: "stuck", gate: { id: "g" } });
});
