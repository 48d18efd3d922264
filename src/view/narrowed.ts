/** Part of a drawing, for a reader who cannot look at all of it (SPEC section 10). Pure. */
import type { Drawing } from "./drawing.ts";

/** Only what matches, with the frames around it and the arrows between. */
export function narrowed(drawing: Drawing, matches: (atom: string) => boolean): Drawing {
  const { sketch, arrows } = drawing;
  const boxes = sketch.boxes.filter(({ id }) => matches(id));
  const there = new Set(boxes.map(({ id }) => id));
  const isKept = sketch.edges.map((edge) => edge.every((end) => there.has(end)));
  return {
    ...drawing,
    sketch: { ...sketch, boxes, edges: sketch.edges.filter((_, index) => isKept[index]) },
    arrows: arrows.filter((_, index) => isKept[index]),
  };
}

/** Boxes up to which a graph is drawn: nobody reads more of them. */
export const MOST_DRAWN = 100;

/** Of a graph of more atoms what runs and what failed. */
export function readable(drawing: Drawing): Drawing {
  const { sketch, atoms } = drawing;
  if (sketch.boxes.length <= MOST_DRAWN) return drawing;
  return narrowed(drawing, (id) => ["running", "failed"].includes(atoms.get(id)?.standing ?? ""));
}

/** The frames around each box, innermost first. */
export function framesAround({ sketch }: Drawing): (atom: string) => readonly string[] {
  const above = new Map([...sketch.frames, ...sketch.boxes].map(({ id, frame }) => [id, frame]));
  return (atom) => {
    const found: string[] = [];
    for (let here = above.get(atom) ?? null; here !== null; here = above.get(here) ?? null) found.push(here);
    return found;
  };
}
