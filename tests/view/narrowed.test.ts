/** SPEC 10: of a large graph what can be read, and only what matches. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { drawingOf } from "../../src/view/drawing.ts";
import { framesAround, MOST_DRAWN, narrowed, readable } from "../../src/view/narrowed.ts";
import { anyState } from "../support/loops.ts";
import { stateOfAtoms } from "../support/states.ts";

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

test("SPEC 10: up to 100 atoms all are drawn, of more what runs and what failed", () => {
  const few = drawingOf(stateOfAtoms(MOST_DRAWN));
  expect(readable(few)).toBe(few);
  const many = drawingOf(stateOfAtoms(1_000));
  const shown = new Set(readable(many).sketch.boxes.map(({ id }) => id));
  for (const [id, { standing }] of many.atoms)
    expect(shown.has(id)).toBe(standing === "running" || standing === "failed");
});
