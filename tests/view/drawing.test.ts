/** SPEC 10: what is drawn of a graph and of time, before it is drawn. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeBetween, wireOf, withChange } from "../../src/dashboard/state.ts";
import { slimLines } from "../../src/dashboard/lines.ts";
import { layoutOf, type Rect } from "../../src/view/layout.ts";
import { drawingOf } from "../../src/view/drawing.ts";
import { choicesIn } from "../../src/view/choices.ts";
import { axisOf, timelineOf } from "../../src/view/timeline.ts";
import { createStory } from "../../src/history/run-story.ts";
import { decodeLines } from "../../src/core/decode-line.ts";
import { anyState } from "../support/loops.ts";
import { stateOfAtoms } from "../support/states.ts";
import { walk } from "../support/walk.ts";

const rolls = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 100 });
const hazards = { stops: true, crashes: true, redirects: true, resumes: 1, lost: true };

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe("the graph", () => {
  test("LAYOUT-1: every atom has a box or a frame, boxes do not overlap, and each lies in its frame", () => {
    fc.assert(
      fc.property(anyState(12), (state) => {
        const { sketch, atoms, frames, arrows } = drawingOf(state);
        const layout = layoutOf(sketch);
        const places = [...layout.boxes.values()];
        expect(atoms.size).toBe(state.atoms.length);
        for (const { id } of state.atoms) expect(layout.boxes.has(id) || frames.has(`container ${id}`)).toBe(true);
        for (const [index, place] of places.entries())
          for (const other of places.slice(index + 1)) expect(overlap(place, other)).toBe(false);
        for (const { id, frame } of sketch.boxes) {
          const [inner, outer] = [layout.boxes.get(id), layout.frames.get(frame ?? "")];
          if (frame === null || inner === undefined) continue;
          expect(outer).toBeDefined();
          expect(inner.x >= (outer?.x ?? 0) && inner.y >= (outer?.y ?? 0)).toBe(true);
        }
        expect(arrows).toHaveLength(layout.edges.length);
        for (const place of [...places, ...layout.frames.values()]) expect(place.x >= 0 && place.y >= 0).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test("LAYOUT-2: a thousand atoms are placed, and a graph that the library would take long for as well", () => {
    const sketch = drawingOf(stateOfAtoms(1_000)).sketch;
    expect(layoutOf(sketch).boxes.size).toBe(1_000);
    const boxes = Array.from({ length: 600 }, (_, index) => ({ id: `A${index}`, frame: null }));
    const edges = boxes.flatMap(({ id }, index) =>
      [1, 40, 90].filter((far) => index >= far).map((far): [string, string] => [`A${index - far}`, id]),
    );
    const long = layoutOf({ boxes, frames: [], edges });
    expect(long.boxes.size).toBe(600);
    expect(new Set([...long.boxes.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(600);
  });

  test("LAYOUT-2: as many boxes as a file may hold atoms are placed, more than a call takes arguments, and a chain of them", () => {
    const boxes = Array.from({ length: 130_000 }, (_, index) => ({ id: `A${index}`, frame: null }));
    expect(layoutOf({ boxes, frames: [], edges: [] }).boxes.size).toBe(boxes.length);
    const chain = boxes.slice(1).map(({ id }, index): [string, string] => [`A${index}`, id]);
    expect(layoutOf({ boxes, frames: [], edges: chain }).width).toBeGreaterThan(boxes.length);
  });

  test("law: what is needed is drawn left of what needs it, in a small graph and in a large one", () => {
    fc.assert(
      fc.property(anyState(12), fc.constantFrom(0, 3_000), (state, more) => {
        const { sketch } = drawingOf(state);
        const extra = Array.from({ length: more }, (_, index) => ({ id: `more ${index}`, frame: null }));
        const plain = {
          frames: [],
          edges: sketch.edges,
          boxes: [...sketch.boxes, ...extra].map(({ id }) => ({ id, frame: null })),
        };
        const { boxes } = layoutOf(plain);
        const acyclic = sketch.edges.filter(([from, to]) => !sketch.edges.some(([f, t]) => f === to && t === from));
        for (const [from, to] of acyclic) expect(boxes.get(from)?.x).toBeLessThan(boxes.get(to)?.x ?? 0);
      }),
      { numRuns: 40 },
    );
  });
});

describe("time", () => {
  test("TIMELINE-1: two bars of one slot do not overlap, and no more slots are taken than agents work at a time", () => {
    fc.assert(
      fc.property(anyState(7), rolls, (start, dice) => {
        const { lines } = walk(start, dice, hazards);
        const story = createStory();
        for (const line of decodeLines(lines)) story.read(line);
        const { bars, slots } = timelineOf(story.now(), Date.parse("2026-01-01T03:00:00Z"));
        for (const bar of bars) expect(bar.to).toBeGreaterThanOrEqual(bar.from);
        for (const [index, bar] of bars.entries())
          for (const other of bars.slice(index + 1))
            if (other.slot === bar.slot) expect(bar.from >= other.to || other.from >= bar.to).toBe(true);
        expect(slots).toBeLessThanOrEqual(start.objective.constraints.max_parallel_agents);
      }),
      { numRuns: 150 },
    );
  });

  test("TIMELINE-2: later is never further left, and the time at a place is the place of that time", () => {
    const runs = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 9e6 }), fc.integer({ min: 0, max: 9e8 })), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => {
        let at = 1_700_000_000_000;
        return parts.map(([length, pause]) => {
          const span = { from: at, to: at + length };
          at += length + pause;
          return span;
        });
      });
    fc.assert(
      fc.property(runs, fc.double({ min: 0, max: 1, noNaN: true }), (spans, share) => {
        const axis = axisOf(spans);
        const times = spans.flatMap(({ from, to }) => [from, (from + to) / 2, to]);
        const places = times.map((time) => axis.at(time));
        expect(places.toSorted((a, b) => a - b)).toEqual(places);
        for (const span of spans) {
          const time = span.from + share * (span.to - span.from);
          const far = Math.abs(axis.at(axis.timeAt(axis.at(time))) - axis.at(time));
          expect(far).toBeLessThan(1e-6);
        }
        expect(axis.at(times.at(-1) ?? 0)).toBeGreaterThan(0.99);
      }),
    );
  });

  test("SPEC 10: labels of the axis stand apart, on a narrow screen too", () => {
    const run = fc.record({
      length: fc.integer({ min: 1, max: 4_000_000 }),
      pause: fc.integer({ min: 0, max: 80_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (parts) => {
        let from = 1_700_000_000_000;
        const spans = parts.map(({ length, pause }) => {
          const span = { from, to: from + length };
          from += length + pause;
          return span;
        });
        const { ticks } = axisOf(spans);
        const least = (all: typeof ticks): number =>
          Math.min(...all.slice(1).map(({ at }, index) => at - (all[index]?.at ?? 0)));
        const main = ticks.filter((tick) => tick.main);
        expect(least(ticks)).toBeGreaterThanOrEqual(0.07);
        expect(least(main)).toBeGreaterThanOrEqual(0.25);
        expect(ticks.at(-1)?.at ?? 0, "none passes the edge").toBeLessThanOrEqual(0.965);
        expect(main.at(-1)?.at ?? 0).toBeLessThanOrEqual(0.875);
      }),
    );
  });

  test("SPEC 8: an atom that a person added is reported once, among the redirects; what the loop chose is in the trail", () => {
    const timestamp = "2026-01-01T00:00:00.000Z";
    const chosen = { or_group: "g", selected: "B", reason: "A failed", timestamp };
    const added = { type: "user_correction", reason: "added C", timestamp } as const;
    const corrections = [{ type: "dag_adjustment", description: "added C", timestamp, trail_cleared: false }] as const;
    expect(choicesIn({ trail: [chosen, added], corrections })).toEqual([chosen]);
    expect(choicesIn({ trail: [chosen, added], corrections: [] })).toEqual([chosen, added]);
  });
});

describe("on the way to the page", () => {
  test("what changed of a state, put on what was there, is the state; a change of the graph is reported whole", () => {
    fc.assert(
      fc.property(anyState(7), rolls, (start, dice) => {
        const states = [start];
        walk(start, dice, hazards, ({ after }) => states.push(after.state));
        let shown = wireOf(start);
        for (const state of states) {
          const next = JSON.parse(JSON.stringify(wireOf(state))) as ReturnType<typeof wireOf>;
          const change = changeBetween(shown, next);
          shown = change === null ? next : withChange(shown, JSON.parse(JSON.stringify(change)) as typeof change);
          expect(shown).toEqual(next);
          expect(shown.atoms).toEqual(next.atoms);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("DASHBOARD-LINES-1: a line is bounded, whatever is in it; the end of an output and the names of atoms stay", () => {
    const line = {
      event: "base_case_checked",
      memory: { nogoods: [] },
      verdict: {
        passed: false,
        checklist: [{ item: "it", passed: false, check: {}, evidence: { output: `${"x".repeat(1_000_000)}END` } }],
      },
      reason: "y".repeat(100_000),
      files: Array.from({ length: 10_000 }, () => "f"),
      children: Array.from({ length: 500 }, (_, index) => `A${index}`),
    };
    const slim = JSON.stringify(slimLines(decodeLines([line])));
    expect(slim.length).toBeLessThan(30_000);
    expect(slim).toContain("END");
    expect(slim).toContain("A499");
    expect(slim).not.toContain("memory");
  });

  test("DASHBOARD-LINES-3: a line is of the type that it says, so that the page folds it as it is", () => {
    const line = { event: "run_started", time: "2026-01-01T00:00:00Z", run: "r", memory: { nogoods: [{}] } };
    const story = createStory();
    for (const slim of slimLines(decodeLines([line]))) story.read(slim);
    expect(story.now().runs).toHaveLength(1);
  });
});
