import { expect, test } from "vitest";
import { graphOf } from "../../src/core/graph.ts";
import { inOrder } from "../../src/core/order.ts";
import { stateOf } from "../support/loops.ts";

test("SPEC 3: in order, of many atoms", () => {
  const size = 1_000;
  const chain = Array.from({ length: size }, (_, i) => ({
    id: `A${size - i}`,
    depends_on: i === 0 ? [] : [`A${size + 1 - i}`],
  }));
  const graph = graphOf(stateOf({ atoms: chain }));
  const all = chain.map((_, index) => index);
  expect(inOrder(graph, all.toReversed())).toEqual(all);
});
