/** A drawn loop: whatever its names are, the drawing stays one. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { generate } from "../../../src/phases/core/generate.ts";
import { phaseMermaid, phaseNodes } from "../../../src/phases/core/graph-text.ts";
import { definitionOf, definitions, GARDEN, second } from "./definitions.ts";

const named = fc
  .tuple(
    definitions,
    fc.string({ unit: fc.constantFrom('"', "\\", "<", ">", "#", "\n", "b", "r", "/", "]", "}", ";") }),
  )
  .map(([definition, odd]) => ({
    ...definition,
    phases: definition.phases.map((phase) => ({ ...phase, name: phase.name + odd })),
    gates: definition.gates.map((gate) => ({ ...gate, id: gate.id + odd, after: gate.after + odd })),
  }));

test("SPEC 11: one box for each phase and gate, one edge between neighbours, one line for each, whatever is in a name", () => {
  fc.assert(
    fc.property(named, (definition) => {
      const loop = generate(definition, second(0));
      const count = definition.phases.length + definition.gates.length;
      expect(phaseNodes(definition, loop)).toHaveLength(count);
      const mermaid = phaseMermaid(definition, loop).trimEnd().split("\n");
      expect(mermaid).toHaveLength(1 + count + (count - 1) + count);
      for (const line of mermaid.slice(1, count + 1)) expect(line).toMatch(/^ {2}n\d+(\["[^"]*"\]|\{"[^"]*"\})$/);
    }),
  );
});

test("SPEC 11: phases and gates are in the order of work", () => {
  const garden = definitionOf(GARDEN);
  const names = phaseNodes(garden, generate(garden, second(0))).map(({ name }) => name);
  expect(names).toEqual(["PLAN", "plan-gate", "DIG", "soil-gate", "FENCE", "HARVEST", "market-gate"]);
});
