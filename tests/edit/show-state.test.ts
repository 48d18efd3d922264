import { assert, property } from "fast-check";
import { expect, test } from "vitest";
import { graphJson, mermaidText } from "../../src/view/graph-text.ts";
import { showState } from "../../src/edit/show-state.ts";
import { viewOf, executableOf } from "../../src/core/view.ts";
import { graphOf } from "../../src/core/graph.ts";
import { anyState } from "../support/loops.ts";

test("SPEC 3: what is shown is what the view says: measure, executable atoms best first", () => {
  assert(
    property(anyState(10), (state) => {
      const graph = graphOf(state);
      const shown = showState(state);
      expect(shown.measure).toBe(viewOf(state, graph).measure);
      expect(shown.executable_atoms).toEqual(executableOf(state, graph).map((index) => graph.ids[index]));
      expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    }),
  );
});

test("every atom and every dependency is in each form of the graph", () => {
  assert(
    property(anyState(10), (state) => {
      const { nodes, edges } = graphJson(state);
      const mermaid = mermaidText(state);
      expect(nodes).toHaveLength(state.atoms.length);
      expect(mermaid.match(/^ {2}n\d+\["/gm)).toHaveLength(nodes.length);
      expect(mermaid.match(/ --> /g)?.length ?? 0).toBe(edges.length);
    }),
  );
});
