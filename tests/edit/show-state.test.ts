import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, property } from "fast-check";
import { expect, test } from "vitest";
import { graphJson, mermaidText } from "../../src/view/graph-text.ts";
import { showState } from "../../src/edit/show-state.ts";
import { viewOf, executableOf } from "../../src/core/view.ts";
import { graphOf } from "../../src/core/graph.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { aot } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { anyState } from "../support/loops.ts";
import { stateOfAtoms } from "../support/states.ts";

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

test("SPEC 10: more atoms than a call takes arguments are shown in words, too", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "state.md"), createStateText(stateOfAtoms(130_000), "Do it."));
  const { code, out, err } = await aot(["state", "show", "--state-file", "state.md"], { cwd: folder });
  expect([code, err]).toEqual([0, ""]);
  expect(out.split("\n").length).toBeGreaterThan(130_000);
});
