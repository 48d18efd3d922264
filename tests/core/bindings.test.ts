import { expect, test } from "vitest";
import { bindingsFor } from "../../src/core/bindings.ts";
import { graphOf, indexIn } from "../../src/core/graph.ts";
import { stateOf, type Sketch } from "../support/loops.ts";

const bound = (id: string) => ({ id, status: "resolved" as const, binding: { summary: `did ${id}`, artifacts: [] } });
const namesFor = (sketch: Sketch, atom: string): string[] => {
  const state = stateOf(sketch);
  const graph = graphOf(state);
  return Object.keys(bindingsFor(state, graph, indexIn(graph, atom)));
};

test("SPEC 7: an attempt gets the bindings of its direct dependencies only", () => {
  const atoms = [bound("A1"), { ...bound("A2"), depends_on: ["A1"] }, { id: "A3", depends_on: ["A2"] }];
  expect(namesFor({ atoms }, "A3")).toEqual(["A2"]);
});

test("SPEC 3, 7: a dependency on a replaced choice, or below it, is bound by the choice that took over", () => {
  const sketch: Sketch = {
    atoms: [{ id: "A1" }, { id: "A2" }, bound("B"), { id: "C", depends_on: ["A1"] }, { id: "D", depends_on: ["A2"] }],
    groups: [{ name: "g", choices: ["A1", "B"], selected: "B", failed: ["A1"] }],
    splits: [["A1", ["A2"]]],
  };
  expect(namesFor(sketch, "C")).toEqual(["B"]);
  expect(namesFor(sketch, "D")).toEqual(["B"]);
});

test("SPEC 7: an atom may bear any name that the file allows, and is handed on under it", () => {
  expect(namesFor({ atoms: [bound("__proto__"), { id: "A1", depends_on: ["__proto__"] }] }, "A1")).toEqual([
    "__proto__",
  ]);
});
