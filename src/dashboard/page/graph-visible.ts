/** Where things of the graph are on the screen: what is visible, which atom lies that way. Pure but for focus. */
import type { Layout, Place } from "../../view/layout.ts";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const SCALES = { least: 0.06, most: 1.6, step: 1.25, words: 0.42, names: 0.2 };
/** Around what is seen, so that moving shows no empty edge. Pixels of the screen. */
const BESIDE = 200;

export function fit(layout: Layout, { width, height }: Size): View {
  const scale = Math.min(1, Math.max(SCALES.least, Math.min(width / layout.width, height / layout.height)));
  return {
    scale,
    x: Math.max(0, (width - layout.width * scale) / 2),
    y: Math.max(0, (height - layout.height * scale) / 2),
  };
}

export function zoomed(view: View, factor: number, about: { readonly x: number; readonly y: number }): View {
  const scale = Math.min(SCALES.most, Math.max(SCALES.least, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: about.x - (about.x - view.x) * ratio, y: about.y - (about.y - view.y) * ratio };
}

/** In steps, so that moving a little changes nothing. */
export function visibleOf(view: View, { width, height }: Size): Place {
  const step = BESIDE / view.scale;
  const down = (value: number): number => Math.floor(value / step) * step;
  return {
    x: down(-view.x / view.scale) - step,
    y: down(-view.y / view.scale) - step,
    width: down(width / view.scale) + 4 * step,
    height: down(height / view.scale) + 4 * step,
  };
}

const WAYS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest atom that way: null: there is none; undefined: the key was none of these, or nobody stands anywhere. */
export function atomThatWay(event: KeyboardEvent, layout: Layout): string | null | undefined {
  const way = WAYS[event.key];
  const here = event.target instanceof SVGElement ? layout.boxes.get(event.target.dataset["atom"] ?? "") : undefined;
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
export function showing(view: View, place: Place, { width, height }: Size): View {
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const [wide, high] = [place.width * view.scale, place.height * view.scale];
  if (x >= 0 && y >= 0 && x + wide <= width && y + high <= height) return view;
  return { ...view, x: view.x + (width - wide) / 2 - x, y: view.y + (height - high) / 2 - y };
}
