/** The work graph as a picture in text. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { GraphJson } from "../../src/view/graph-text.ts";
import { widthOf } from "../../src/terminal/clip.ts";
import { graphLanes } from "../../src/terminal/graph-lanes.ts";
import { plain } from "../../src/terminal/paint.ts";
import { anyGraph } from "../support/small-graphs.ts";

const node = (id: string, more: Partial<GraphJson["nodes"][number]> = {}): GraphJson["nodes"][number] => {
  return { id, description: `do ${id}`, status: "pending", standing: "waiting", parent: null, or_group: null, ...more };
};

test("what is needed is above, lines lead to what needs it; a group below its choices, a container below its parts", () => {
  const graph: GraphJson = {
    nodes: [
      node("A1", { standing: "resolved" }),
      node("A2", { standing: "running" }),
      node("T1", { standing: "failed", or_group: "token" }),
      node("T2", { standing: "ready", or_group: "token" }),
      node("C", { standing: "split" }),
      node("C1", { parent: "C" }),
      node("C2", { parent: "C" }),
      node("A5"),
    ],
    edges: [
      { from: "A1", to: "C1" },
      { from: "C1", to: "C2" },
      { from: "T1", to: "A5" },
      { from: "A2", to: "A5" },
      { from: "C", to: "A5" },
    ],
    groups: [{ name: "token", choices: ["T1", "T2"], selected: "T2", failed: ["T1"], exhausted: false }],
  };
  expect(graphLanes(graph, plain)).toMatchInlineSnapshot(`
    "✓        A1  do A1
    ·        C1  do C1
    ├─·      C2  do C2
    ╰─▾      C  do C
      │ ▶    A2  do A2
    ✗ │ │    T1  do T1
    │ │ │ ○  T2  do T2
    ╰─┼─┼─⎇  token  one of 2, 1 failed: T2
      ╰─┴─·  A5  do A5

    ▶ running   ○ ready   · waiting   ✓ resolved   ✗ failed   ▾ split"
  `);
});

test("laws: every atom and group is one row, below all that it needs; no row is too wide and none steers the terminal", () => {
  fc.assert(
    fc.property(anyGraph, fc.integer({ min: 20, max: 120 }), (graph, columns) => {
      const named: GraphJson = rename(graph);
      const rows = graphLanes(named, plain).split("\n").slice(0, -2);
      const rowOf = new Map(rows.map((row, index) => [/ {2}(n\d+n)(?: |$)/.exec(row)?.[1] ?? "", index]));
      expect(rowOf.size).toBe(named.nodes.length);
      for (const { from, to } of named.edges) expect(rowOf.get(from)).toBeLessThan(rowOf.get(to) ?? 0);
      for (const row of graphLanes(graph, plain, columns).split("\n").slice(0, -2)) {
        expect(widthOf(row)).toBeLessThanOrEqual(columns);
        expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
    { numRuns: 100 },
  );
});

/** With ids that can be found again in a row; containers and groups in circles are other tests' business. */
function rename(graph: GraphJson): GraphJson {
  const names = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}n`]));
  const name = (id: string): string => names.get(id) ?? "";
  return {
    nodes: graph.nodes.map((one) => ({ ...one, id: name(one.id), description: "", parent: null, or_group: null })),
    edges: graph.edges.map(({ from, to }) => ({ from: name(from), to: name(to) })),
    groups: [],
  };
}
