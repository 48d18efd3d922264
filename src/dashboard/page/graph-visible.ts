/**
 * Where things of the graph are on the screen: what is seen, which atom lies that way. Pure.
 *
 * GRAPH-VISIBLE-1 the whole graph fits, however large it is, and nothing is drawn smaller than that;
 * GRAPH-VISIBLE-2 wherever it is moved, no blank is seen where there could be graph.
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

/** What would be drawn smaller than `whole` begins where something runs, as large as `begin`. */
export const SCALES = { most: 1.6, step: 1.25, whole: 0.5, begin: 0.85 };
/** Around what is followed. Pixels of the screen. */
const BESIDE = 200;

export function fit(layout: Layout, { width, height }: Size): View {
  const scale = Math.min(1, width / layout.width, height / layout.height);
  return { scale, x: (width - layout.width * scale) / 2, y: (height - layout.height * scale) / 2 };
}

/** GRAPH-VISIBLE-1: never smaller than the whole. */
export function zoomed(view: View, factor: number, about: Point, least: number): View {
  const scale = Math.min(SCALES.most, Math.max(least, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: about.x - (about.x - view.x) * ratio, y: about.y - (about.y - view.y) * ratio };
}

/** GRAPH-VISIBLE-2: wherever it is moved, the graph fills what is seen; what is smaller is in the middle. */
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

/** With that point of the graph in the middle. */
function centred(scale: number, { x, y }: Point, { width, height }: Size): View {
  return { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
}

/** What is seen when these places are followed: all of them, as large as they can be read, or else the first. */
export function following(places: readonly Rect[], size: Size): View | null {
  const [first] = places;
  if (first === undefined) return null;
  const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
  const width = Math.max(...places.map((place) => place.x + place.width)) - left;
  const height = Math.max(...places.map((place) => place.y + place.height)) - top;
  const scale = Math.min(SCALES.begin, size.width / (width + BESIDE), size.height / (height + BESIDE / 2));
  if (scale >= SCALES.whole) return centred(scale, { x: left + width / 2, y: top + height / 2 }, size);
  return centred(SCALES.begin, { x: first.x + first.width / 2, y: first.y + first.height / 2 }, size);
}

const WAYS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest box that way; null: there is none; undefined: the key was none of these, or no box has the focus. */
export function atomThatWay(event: KeyboardEvent, layout: Layout): string | null | undefined {
  const way = WAYS[event.key];
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

/** The view with that place visible: unchanged where it is, else moved so that it is in the middle. */
export function showing(view: View, place: Rect, { width, height }: Size): View {
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const [wide, high] = [place.width * view.scale, place.height * view.scale];
  if (x >= 0 && y >= 0 && x + wide <= width && y + high <= height) return view;
  return { ...view, x: view.x + (width - wide) / 2 - x, y: view.y + (height - high) / 2 - y };
}
