/** SPEC 10: a large graph in fewer boxes, and only what matches. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clustered, framesAround, narrowed } from "../../src/view/clusters.ts";
import { drawingOf } from "../../src/view/drawing.ts";
import { layoutOf } from "../../src/view/layout.ts";
import { anyState } from "../support/loops.ts";
import { stateOfAtoms } from "../support/states.ts";

const none: ReadonlySet<string> = new Set();
const MOST = { boxes: 3, loose: 1, framed: 1 };

/** A state, and some of what can be opened in it. */
const opening = fc.tuple(anyState(14), fc.array(fc.nat(30), { maxLength: 4 })).map(([state, picks]) => {
  const drawing = drawingOf(state);
  const all = [...drawing.frames.keys(), ...clustered(drawing, none, none, MOST).clusters.keys()];
  return { drawing, opened: new Set(picks.flatMap((pick) => all[pick % Math.max(1, all.length)] ?? [])) };
});

test("CLUSTERS-1: every atom is in one box, the counts add up, and every box has a place", () => {
  fc.assert(
    fc.property(opening, ({ drawing, opened }) => {
      const { sketch, clusters } = clustered(drawing, opened, none, MOST);
      const shown = sketch.boxes.flatMap(({ id }) => clusters.get(id)?.atoms ?? [id]);
      expect(shown.toSorted()).toEqual(drawing.sketch.boxes.map(({ id }) => id).toSorted());
      for (const { atoms, counts } of clusters.values())
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(atoms.length);
      expect(layoutOf(sketch).boxes.size).toBe(sketch.boxes.length);
    }),
    { numRuns: 200 },
  );
});

test("CLUSTERS-2: an arrow between two boxes is there, once, and is met only where all that it stands for are", () => {
  fc.assert(
    fc.property(opening, ({ drawing, opened }) => {
      const { sketch, arrows, clusters } = clustered(drawing, opened, none, MOST);
      const boxOf = new Map(
        sketch.boxes.flatMap(({ id }) => (clusters.get(id)?.atoms ?? [id]).map((atom) => [atom, id])),
      );
      const drawn = new Set(sketch.edges.map((edge) => edge.join(" > ")));
      expect(arrows.length).toBe(sketch.edges.length);
      for (const [from, to] of drawing.sketch.edges) {
        const ends = [boxOf.get(from), boxOf.get(to)];
        if (ends[0] !== ends[1]) expect(drawn).toContain(ends.join(" > "));
      }
      const open = drawing.arrows.flatMap(({ met }, index) => (met ? [] : [drawing.sketch.edges[index] ?? []]));
      const met = new Set(arrows.flatMap((arrow, index) => (arrow.met ? [sketch.edges[index]?.join(" > ")] : [])));
      const single = sketch.edges.filter(
        ([, to]) => !clusters.has(to) && arrows.filter((one) => one.to === to).length === 1,
      );
      for (const [from, to] of single)
        if (open.some((edge) => edge[1] === to && boxOf.get(edge[0] ?? "") === from))
          expect(met).not.toContain(`${from} > ${to}`);
    }),
    { numRuns: 200 },
  );
});

test("what is opened and what stands apart is drawn box by box; a thousand atoms begin as a few boxes", () => {
  const drawing = drawingOf(stateOfAtoms(1_000));
  const closed = clustered(drawing, none, none);
  expect(closed.sketch.boxes.length).toBeLessThan(30);
  const apart = clustered(drawing, none, new Set(["A700"]));
  expect(apart.sketch.boxes.map(({ id }) => id)).toContain("A700");
  const [crowd = ""] = closed.clusters.keys();
  expect(clustered(drawing, new Set([crowd]), none).sketch.boxes.length).toBeGreaterThan(400);
});

test("law: only what matches is drawn, with the arrows between", () => {
  fc.assert(
    fc.property(anyState(12), fc.func(fc.boolean()), (state, matches) => {
      const drawing = drawingOf(state);
      const { sketch, arrows } = narrowed(drawing, matches);
      expect(sketch.boxes.every(({ id }) => matches(id))).toBe(true);
      expect(sketch.edges.length).toBe(arrows.length);
      const around = framesAround(drawing);
      for (const { id, frame } of sketch.boxes) expect(around(id)[0] ?? null).toBe(frame);
    }),
  );
});
