/** How the arrows of a drawing run between boxes and frames. Pure. */
import type { Arrow } from "./drawing.ts";
import type { Layout, Place } from "./layout.ts";

export function isIn(place: Place, seen: Place): boolean {
  return (
    place.x < seen.x + seen.width &&
    place.x + place.width > seen.x &&
    place.y < seen.y + seen.height &&
    place.y + place.height > seen.y
  );
}

export interface Path {
  readonly arrow: Arrow;
  readonly d: string;
  readonly span: Place;
}

export function arrowPaths(arrows: readonly Arrow[], layout: Layout): readonly Path[] {
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
