/** One loop, seen on the dashboard's page, in `aot report` and by `aot status`: the same slots, counts, words and verdict. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChecksPanel } from "../../src/view/checks-panel.tsx";
import { graphJson } from "../../src/view/graph-text.ts";
import { CostPanel, Outcome, StandingCounts, Tiles, TrailPanel } from "../../src/view/loop-panels.tsx";
import { markupOf } from "../../src/view/markup.ts";
import { MeasurePanel } from "../../src/view/measure-panel.tsx";
import { reportHtml } from "../../src/view/report-page.tsx";
import { createReported, sceneOf, type Scene } from "../../src/view/scene.ts";
import { progressOf, resolvedWords, STANDINGS } from "../../src/view/standing.ts";
import { SpentPanel } from "../../src/view/spent-panel.tsx";
import { TimelinePanel } from "../../src/view/timeline-chart.tsx";
import { graphTree } from "../../src/terminal/graph-tree.ts";
import { plain } from "../../src/terminal/paint.ts";
import { decodeLines } from "../../src/core/decode-line.ts";
import { isCounted } from "../../src/core/fate.ts";
import { graphOf, isContainer } from "../../src/core/graph.ts";
import type { State } from "../../src/core/state.ts";
import { at as itemAt } from "../../src/core/vec.ts";
import { executableOf } from "../../src/core/view.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { walk } from "../support/walk.ts";

const AT = "2026-01-01T12:00:00Z";
const at = (second: number): string => new Date(Date.parse(AT) + 1_000 * second).toISOString();

/** While the result of A1 is integrated, its slot is A3's. */
const LINES = [
  { time: at(0), event: "run_started", run: "r1" },
  { time: at(1), event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" },
  { time: at(1), event: "attempt_started", attempt: "A2.1", atom: "A2", role: "worker" },
  { time: at(5), event: "work_succeeded", attempt: "A1.1", atom: "A1", summary: "made" },
  { time: at(6), event: "attempt_started", attempt: "A3.1", atom: "A3", role: "worker" },
  { time: at(7), event: "attempt_integrated", attempt: "A1.1", atom: "A1", commit: "abc" },
  { time: at(9), event: "work_succeeded", attempt: "A3.1", atom: "A3", summary: "made" },
  { time: at(9), event: "attempt_integrated", attempt: "A3.1", atom: "A3", commit: "abd" },
];

function sceneWith(state: State, lines: readonly object[]): Scene {
  const reported = createReported();
  for (const line of decodeLines(lines)) reported.read(line);
  return sceneOf(state, reported.now(), { time: Date.parse(at(10)), zone: "UTC" });
}

const GIVEN_UP = stateOf({
  atoms: [{ id: "A1", status: "resolved" }, { id: "W1" }, { id: "W2", status: "resolved" }],
  groups: [{ name: "way", choices: ["W1", "W2"], selected: "W2", failed: ["W1"] }],
});

describe("a report has the panels of the page, so that they cannot disagree", () => {
  test("SPEC 10: an attempt has its slot as long as its agent works", () => {
    const scene = sceneWith(GIVEN_UP, LINES);
    expect(scene.timeline.slots).toBe(2);
    expect(reportHtml(scene, at(11))).toContain("3 attempts, 2 slots, 1 run");
  });

  test("SPEC 3: an alternative that failed is no longer counted", () => {
    const scene = sceneWith(GIVEN_UP, []);
    expect(scene.drawing.progress).toEqual({ resolved: 2, left: 0 });
    expect(reportHtml(scene, at(0))).toContain("2 of 2 resolved");
  });

  test("law: whatever happened, the report holds what the page draws, and no more slots than agents that work at a time", () => {
    const rolls = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 100 });
    const hazards = { stops: true, crashes: true, redirects: true, resumes: 1, lost: true };
    fc.assert(
      fc.property(anyState(7), rolls, (start, dice) => {
        const { lines, loop } = walk(start, dice, hazards);
        const scene = sceneWith(loop.state, lines);
        const report = reportHtml(scene, at(0));
        for (const Part of [
          Outcome,
          Tiles,
          StandingCounts,
          ChecksPanel,
          TimelinePanel,
          MeasurePanel,
          SpentPanel,
          TrailPanel,
          CostPanel,
        ])
          expect(report).toContain(markupOf(Part({ scene })));
        expect(scene.timeline.slots).toBeLessThanOrEqual(start.objective.constraints.max_parallel_agents);
      }),
      { numRuns: 60 },
    );
  });
});

test("law: what is resolved and what is left are all atoms that count; the terminal has the words of the page", () => {
  fc.assert(
    fc.property(anyState(8), (state) => {
      const graph = graphOf(state);
      const counted = graph.ids.filter((_, index) => {
        return (
          isCounted(state, graph, index) ||
          (!isContainer(graph, index) && itemAt(state.atoms, index).status === "resolved")
        );
      });
      const progress = progressOf(state, graph);
      expect(resolvedWords(progress)).toBe(`${progress.resolved} of ${counted.length} resolved`);
      const { counts } = sceneWith(state, []).drawing;
      expect(counts.get("resolved") ?? 0).toBe(progress.resolved);
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(state.atoms.length);
      const tree = graphTree({ state, graph, ready: executableOf(state, graph) }, plain);
      const page = reportHtml(sceneWith(state, []), at(0));
      for (const { standing } of graphJson(state).nodes) {
        expect(tree.standings.has(standing)).toBe(true);
        expect(page).toContain(`<span>${STANDINGS[standing].words}</span>`);
      }
    }),
    { numRuns: 60 },
  );
});
