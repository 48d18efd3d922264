import { assert, property } from "fast-check";
import { expect, test } from "vitest";
import { isExecutable } from "../../src/core/fate.ts";
import { graphOf } from "../../src/core/graph.ts";
import { inOrder } from "../../src/core/order.ts";
import { executableOf } from "../../src/core/view.ts";
import { anyState, stateOf } from "../support/loops.ts";

test("SPEC 3: a few executable atoms are ordered as when the whole graph is ranked", () => {
  assert(
    property(anyState(14), (state) => {
      const graph = graphOf(state);
      const found = graph.ids.flatMap((_, index) => (isExecutable(state, graph, index) ? [index] : []));
      expect(inOrder(graph, found)).toEqual(executableOf(state, graph));
    }),
    { numRuns: 500 },
  );
});

test("SPEC 3: more dependants first, then the longer chain, then the id; also for more atoms than a few", () => {
  const few = stateOf({
    atoms: [
      { id: "A10" },
      { id: "A2" },
      { id: "long" },
      { id: "wide" },
      { id: "l1", depends_on: ["long"] },
      { id: "l2", depends_on: ["l1"] },
      { id: "w1", depends_on: ["wide"] },
      { id: "w2", depends_on: ["wide"] },
    ],
  });
  const graph = graphOf(few);
  expect(inOrder(graph, [0, 1, 2, 3]).map((index) => graph.ids[index])).toEqual(["long", "wide", "A2", "A10"]);
  const many = graphOf(stateOf({ atoms: Array.from({ length: 60 }, (_, i) => ({ id: `A${60 - i}` })) }));
  expect(
    inOrder(
      many,
      many.ids.map((_, i) => i),
    ).map((index) => many.ids[index])[0],
  ).toBe("A1");
});

test("SPEC 3: also of many atoms", () => {
  const size = 2_500;
  const chain = Array.from({ length: size }, (_, i) => ({
    id: `A${size - i}`,
    depends_on: i === 0 ? [] : [`A${size + 1 - i}`],
  }));
  const graph = graphOf(stateOf({ atoms: chain }));
  const all = chain.map((_, index) => index);
  expect(inOrder(graph, all.toReversed())).toEqual(all);
});
