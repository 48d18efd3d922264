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
