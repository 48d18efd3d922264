/** SPEC 3: what an outline answers is what the whole state answers. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { idAt, graphOf } from "../../src/core/graph.ts";
import { outlineOf } from "../../src/core/outline-of.ts";
import { outlineWith, STATUSES } from "../../src/core/outline.ts";
import { updateAtom } from "../../src/core/update-atom.ts";
import { anyState, stateOf } from "../support/loops.ts";

const steps = fc.array(fc.tuple(fc.nat(13), fc.constantFrom(...STATUSES)), { minLength: 1, maxLength: 40 });

test("law O1: along any updates the outline that is carried on is the outline of the state, or the whole rule is asked", () => {
  let answered = 0;
  let asked = 0;
  fc.assert(
    fc.property(anyState(14), steps, (first, updates) => {
      let state = first;
      let outline = outlineOf(state);
      for (const [place, status] of updates) {
        const index = place % outline.statuses.length;
        const graph = graphOf(state);
        const idOf = (one: number): string => idAt(graph, one);
        const next = outlineWith(outline, index, status, idOf);
        const done = updateAtom(state, idOf(index), status);
        if (next !== null) {
          answered++;
          if (!done.ok) throw new Error(`refused: ${done.problems[0]?.message ?? ""}`);
          expect(done.value.state).not.toBe(state);
          expect(outlineOf(done.value.state)).toEqual(next);
          const resolved = done.value.facts.map((fact) => [fact.fact, "atom" in fact ? fact.atom : ""]);
          expect(resolved).toEqual(status === "resolved" ? [["atom_resolved", idOf(index)]] : []);
        } else asked++;
        if (!done.ok) continue;
        state = done.value.state;
        outline = next ?? outlineOf(state);
      }
    }),
    { numRuns: 400 },
  );
  expect(answered).toBeGreaterThan(500);
  expect(asked).toBeGreaterThan(500);
});

test("SPEC 3: in a graph of single atoms every update that is not refused is answered", () => {
  const state = stateOf({ atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "C", depends_on: ["A", "B"] }] });
  const idOf = (index: number): string => ["A", "B", "C"][index] ?? "";
  let outline = outlineOf(state);
  for (const index of [0, 1, 2])
    for (const status of ["in_progress", "pending", "in_progress", "resolved"] as const) {
      const next = outlineWith(outline, index, status, idOf);
      if (next === null) throw new Error(`${idOf(index)} ${status} was not answered`);
      outline = next;
    }
  expect([outline.measure, outline.ready]).toEqual([0, []]);
});

test("O1: what belongs to alternatives or containers, or is waited for by it, is the whole rule's", () => {
  const state = stateOf({
    atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "C" }, { id: "D" }, { id: "E" }, { id: "F" }],
    groups: [{ name: "g", choices: ["C", "D"] }],
    splits: [["B", ["E"]]],
  });
  const outline = outlineOf(state);
  const answers = (status: "in_progress" | "resolved"): boolean[] =>
    [...outline.statuses].map((_, index) => outlineWith(outline, index, status, String) !== null);
  expect(answers("in_progress")).toEqual([true, false, false, false, false, true]);
  expect(answers("resolved")).toEqual([false, false, false, false, false, true]);
});
