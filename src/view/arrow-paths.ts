/** How the arrows of a drawing run between boxes and frames. Pure. */
import type { Arrow } from "./drawing.ts";
import type { Layout, Place } from "./layout.ts";

export interface Path {
  readonly arrow: Arrow;
  readonly d: string;
}

export function arrowPaths(arrows: readonly Arrow[], layout: Layout): readonly Path[] {
  return arrows.flatMap((arrow, index) => {
    const from = layout.boxes.get(arrow.from) ?? layout.frames.get(arrow.from);
    const to = layout.boxes.get(arrow.to) ?? layout.frames.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    // What leaves a frame leaves it at its border, not where its last box stands.
    const inner = layout.boxes.has(arrow.from) ? (layout.edges[index] ?? []).slice(1, -1) : [];
    return [{ arrow, d: curve(from, to, inner) }];
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
