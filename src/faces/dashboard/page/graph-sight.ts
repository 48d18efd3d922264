/** Where things of the graph are on the screen: what is in sight, how arrows run, which atom lies that way. Pure but for focus. */
import type { Layout, Place } from "../model/layout.ts";
import type { Arrow } from "../model/sketch.ts";

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
export function sightOf(view: View, { width, height }: Size): Place {
  const step = BESIDE / view.scale;
  const down = (value: number): number => Math.floor(value / step) * step;
  return {
    x: down(-view.x / view.scale) - step,
    y: down(-view.y / view.scale) - step,
    width: down(width / view.scale) + 4 * step,
    height: down(height / view.scale) + 4 * step,
  };
}

export function isIn(place: Place, seen: Place): boolean {
  return (
    place.x < seen.x + seen.width &&
    place.x + place.width > seen.x &&
    place.y < seen.y + seen.height &&
    place.y + place.height > seen.y
  );
}

interface Path {
  readonly arrow: Arrow;
  readonly d: string;
  readonly span: Place;
}

export function pathsOf(arrows: readonly Arrow[], layout: Layout): readonly Path[] {
  return arrows.flatMap((arrow, index) => {
    const from = layout.boxes.get(arrow.from) ?? layout.frames.get(arrow.from);
    const to = layout.boxes.get(arrow.to) ?? layout.frames.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    const width = Math.max(from.x + from.width, to.x + to.width) - x;
    const height = Math.max(from.y + from.height, to.y + to.height) - y;
    // What leaves a frame leaves it at its border, not where its last box stands.
    const inner = layout.boxes.has(arrow.from) ? (layout.edges[index] ?? []).slice(1, -1) : [];
    return [{ arrow, d: curve(from, to, inner), span: { x, y, width, height } }];
  });
}

function curve(from: Place, to: Place, inner: readonly { readonly x: number; readonly y: number }[]): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x - 2, to.y + to.height / 2];
  const round = (value: number): number => Math.round(value * 10) / 10;
  if (inner.length <= 1) {
    const bend = Math.max(18, Math.abs(x2 - x1) / 2);
    return `M${round(x1)} ${round(y1)}C${round(x1 + bend)} ${round(y1)} ${round(x2 - bend)} ${round(y2)} ${round(x2)} ${round(y2)}`;
  }
  const stops = [{ x: x1, y: y1 }, ...inner, { x: x2, y: y2 }];
  let path = `M${round(x1)} ${round(y1)}`;
  for (let at = 1; at < stops.length; at++) {
    const [last, next] = [stops[at - 1], stops[at]];
    if (last === undefined || next === undefined) continue;
    const middle = (next.x - last.x) / 2;
    path += `C${round(last.x + middle)} ${round(last.y)} ${round(next.x - middle)} ${round(next.y)} ${round(next.x)} ${round(next.y)}`;
  }
  return path;
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
  const here = event.target instanceof HTMLElement ? layout.boxes.get(event.target.dataset["atom"] ?? "") : undefined;
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

/** The view with that place in sight: unchanged where it is, else moved so that it is in the middle. */
export function showing(view: View, place: Place, { width, height }: Size): View {
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const [wide, high] = [place.width * view.scale, place.height * view.scale];
  if (x >= 0 && y >= 0 && x + wide <= width && y + high <= height) return view;
  return { ...view, x: view.x + (width - wide) / 2 - x, y: view.y + (height - high) / 2 - y };
}
