import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  choiceAbove,
  graphOf,
  idAt,
  indexIn,
  NONE,
  subtreeOf,
  transitiveDependants,
  waitersOf,
} from "../../src/core/graph.ts";
import { compareIds, inOrder } from "../../src/core/order.ts";
import { anyState, stateOf, type Sketch } from "../support/loops.ts";
import { play } from "../support/play.ts";

const graph = (sketch: Sketch) => graphOf(stateOf(sketch));
const names = (g: ReturnType<typeof graph>, indices: Iterable<number>): string[] => [...indices].map((i) => idAt(g, i));

const NESTED: Sketch = {
  atoms: [
    { id: "P" },
    { id: "C" },
    { id: "D" },
    { id: "c1" },
    { id: "c2" },
    { id: "X", depends_on: ["D"] },
    { id: "Y", depends_on: ["X"] },
  ],
  groups: [{ name: "g", choices: ["C", "D"] }],
  splits: [
    ["P", ["C"]],
    ["C", ["c1", "c2"]],
  ],
};

test("SPEC 3: a subtree is the atom and all that it was split into; rivals are in the same container", () => {
  const g = graph(NESTED);
  expect(names(g, subtreeOf(g, indexIn(g, "P")))).toEqual(["P", "C", "D", "c1", "c2"]);
  expect(names(g, [g.parent[indexIn(g, "D")] ?? NONE])).toEqual(["P"]);
  expect(choiceAbove(g, indexIn(g, "c1"))).toBe(indexIn(g, "C"));
  expect(choiceAbove(g, indexIn(g, "C"))).toBe(NONE);
  expect(() => indexIn(g, "nobody")).toThrow(RangeError);
});

test("SPEC 3: a dependant of a choice waits for the group, so it is a waiter of each choice", () => {
  const g = graph(NESTED);
  expect(names(g, waitersOf(g, indexIn(g, "C")))).toEqual(["X", "P"]);
  expect(names(g, waitersOf(g, indexIn(g, "D")))).toEqual(["X", "P"]);
  expect(names(g, waitersOf(g, indexIn(g, "c1")))).toEqual(["C"]);
  expect(new Set(names(g, transitiveDependants(g, [indexIn(g, "c1")])))).toEqual(new Set(["C", "X", "Y", "P"]));
});

test("SPEC 3: where a container depends, all that is below it waits", () => {
  const g = graph({
    atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "b1" }, { id: "b2" }],
    splits: [["B", ["b1", "b2"]]],
  });
  expect(new Set(names(g, waitersOf(g, 0)))).toEqual(new Set(["B", "b1", "b2"]));
});

test("names that refer to nothing are left out", () => {
  const g = graph({ atoms: [{ id: "A", depends_on: ["ghost"] }], splits: [["ghost", ["A"]]] });
  expect(g.dependencies).toEqual([[]]);
  expect(g.parent).toEqual([NONE]);
});

test("SPEC 3, order: natural ids", () => {
  expect(["A10", "A2", "A1", "B1", "A2_alt", "A"].toSorted(compareIds)).toEqual("A A1 A2 A2_alt A10 B1".split(" "));
  fc.assert(
    fc.property(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (a, b) => {
      expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) + 0);
      if (a !== b) expect(compareIds(a, b)).not.toBe(0);
    }),
  );
});

/** The order as the spec says it, without any cleverness. */
function bruteOrder(g: ReturnType<typeof graph>): number[] {
  const leaves = (seen: ReadonlySet<number>): number =>
    [...seen].filter((i) => (g.children[i] ?? []).length === 0).length;
  const waiting = g.ids.map((_, i) => transitiveDependants(g, [i]));
  const chain = (index: number): number => Math.max(0, ...waitersOf(g, index).map((waiter) => 1 + chain(waiter)));
  const stuck = g.ids.some((_, i) => waiting[i]?.has(i) === true);
  if (stuck) return [];
  return g.ids
    .map((_, i) => i)
    .toSorted(
      (a, b) =>
        leaves(waiting[b] ?? new Set()) - leaves(waiting[a] ?? new Set()) ||
        chain(b) - chain(a) ||
        compareIds(idAt(g, a), idAt(g, b)),
    );
}

test("SPEC 3, order: more transitive dependants, then the longer chain, then the id (against the plain definition)", () => {
  let compared = 0;
  fc.assert(
    fc.property(anyState(9), (state) => {
      const g = graphOf(state);
      const expected = bruteOrder(g);
      if (expected.length === 0) return;
      compared++;
      expect(inOrder(g, [...g.ids.keys()])).toEqual(expected);
      expect(state.atoms.length).toBe(expected.length);
    }),
    { numRuns: 1_000 },
  );
  expect(compared).toBeGreaterThan(500);
});

test("SPEC 8: an orphan of a run that died is pending again, and gets the first slot", () => {
  const atoms = [
    { id: "A1", status: "in_progress" as const },
    { id: "A2", depends_on: ["A1"] },
  ];
  const { loop } = play(stateOf({ atoms }), { from: "crashed" });
  expect(loop.state.atoms.map(({ status }) => status)).toEqual(["in_progress", "pending"]);
  expect(loop.run.attempts.map(({ attempt }) => attempt.atom)).toEqual(["A1"]);
});
