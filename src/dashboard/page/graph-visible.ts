/**
 * Pan and zoom of the graph, and moving between its atoms. Pure.
 *
 * GRAPH-VISIBLE-1 the smallest scale is the one at which the whole graph fits, however large it is;
 * GRAPH-VISIBLE-2 wherever the graph is moved, no blank shows where graph could be.
 */
import type { Layout, Rect } from "../../view/layout.ts";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** If the whole graph would be smaller than `whole`, the view starts at running atoms, at most at scale `begin`. */
export const SCALES = { most: 1.6, step: 1.25, whole: 0.5, begin: 0.85 };
/** Space beside atoms that are followed, in graph units. */
const MARGIN = 200;

export function fit(layout: Layout, { width, height }: Size): View {
  const scale = Math.min(1, width / layout.width, height / layout.height);
  return { scale, x: (width - layout.width * scale) / 2, y: (height - layout.height * scale) / 2 };
}

/** GRAPH-VISIBLE-1. @param about the point that stays in place @param least the scale at which all fits */
export function zoomed(view: View, factor: number, about: Point, least: number): View {
  const scale = Math.min(SCALES.most, Math.max(least, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: about.x - (about.x - view.x) * ratio, y: about.y - (about.y - view.y) * ratio };
}

/** GRAPH-VISIBLE-2: the nearest view without needless blanks; a graph smaller than the screen is centred. */
export function held(view: View, layout: Layout, size: Size): View {
  const along = (at: number, length: number, whole: number): number =>
    whole <= length ? (length - whole) / 2 : Math.min(0, Math.max(length - whole, at));
  const { scale } = view;
  return {
    scale,
    x: along(view.x, size.width, layout.width * scale),
    y: along(view.y, size.height, layout.height * scale),
  };
}

/** The view with that point of the graph in the middle. */
function centred(scale: number, { x, y }: Point, { width, height }: Size): View {
  return { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
}

/** The view that shows all these places or, if they would be too small to read, the first one. Null: no places. */
export function following(places: readonly Rect[], size: Size): View | null {
  const [first] = places;
  if (first === undefined) return null;
  const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
  const width = Math.max(...places.map((place) => place.x + place.width)) - left;
  const height = Math.max(...places.map((place) => place.y + place.height)) - top;
  const scale = Math.min(SCALES.begin, size.width / (width + MARGIN), size.height / (height + MARGIN / 2));
  if (scale >= SCALES.whole) return centred(scale, { x: left + width / 2, y: top + height / 2 }, size);
  return centred(SCALES.begin, { x: first.x + first.width / 2, y: first.y + first.height / 2 }, size);
}

const ARROW_DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest box in the arrow key's direction; null: none; undefined: not an arrow key, or no box has the focus. */
export function atomThatWay(event: KeyboardEvent, layout: Layout): string | null | undefined {
  const way = ARROW_DIRECTIONS[event.key];
  const { atom = "" } = event.target instanceof SVGElement ? event.target.dataset : {};
  const here = layout.boxes.get(atom);
  if (way === undefined || here === undefined) return undefined;
  let best: { readonly id: string; readonly far: number } | null = null;
  for (const [id, place] of layout.boxes) {
    const [dx, dy] = [place.x - here.x, place.y - here.y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const far = along + 2.5 * aside;
    if (along > 4 && (best === null || far < best.far)) best = { id, far };
  }
  return best?.id ?? null;
}

/** The same view if the place is visible, else moved so that it is in the middle. */
export function showing(view: View, place: Rect, { width, height }: Size): View {
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const [wide, high] = [place.width * view.scale, place.height * view.scale];
  if (x >= 0 && y >= 0 && x + wide <= width && y + high <= height) return view;
  return { ...view, x: view.x + (width - wide) / 2 - x, y: view.y + (height - high) / 2 - y };
}
