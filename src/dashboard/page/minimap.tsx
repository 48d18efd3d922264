/** The whole graph, small, with what is seen of it: a pointer's way to what the arrow keys do for everybody. */
import type { JSX, TargetedPointerEvent } from "preact";
import { memo } from "preact/compat";
import type { Drawing } from "../../view/drawing.ts";
import type { Layout } from "../../view/layout.ts";
import type { Standing } from "../../view/standing.ts";
import { centred, type Size, type View } from "./graph-visible.ts";

interface MapProps {
  readonly drawing: Drawing;
  readonly layout: Layout;
  readonly view: View;
  readonly size: Size;
  readonly onMove: (view: View) => void;
}

export function MiniMap({ drawing, layout, view, size, onMove }: MapProps): JSX.Element {
  const move = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * layout.width;
    const y = ((event.clientY - box.top) / box.height) * layout.height;
    onMove(centred(view.scale, { x, y }, size));
  };
  const shape = { aspectRatio: `${layout.width} / ${layout.height}`, width: `${mapWidth(layout)}px` };
  const frame = { x: -view.x / view.scale, y: -view.y / view.scale };
  const part = { width: size.width / view.scale, height: size.height / view.scale };
  return (
    <div class="minimap" style={shape} aria-hidden="true" onPointerDown={move} onPointerMove={move}>
      <svg viewBox={`0 0 ${layout.width} ${layout.height}`} preserveAspectRatio="none">
        <MapOfBoxes drawing={drawing} layout={layout} />
        <rect class="sight" {...frame} {...part} vector-effect="non-scaling-stroke" />
      </svg>
    </div>
  );
}

const MAP = { width: 190, height: 110 };

function mapWidth({ width, height }: Layout): number {
  return Math.max(24, Math.min(MAP.width, (MAP.height * width) / height));
}

/** One path for each standing: a thousand boxes are no more elements than ten. */
const MapOfBoxes = memo(function MapOfBoxes({ drawing, layout }: Pick<MapProps, "drawing" | "layout">): JSX.Element {
  const paths = new Map<Standing, string>();
  for (const [id, { x, y, width, height }] of layout.boxes) {
    const [first] = drawing.clusters.get(id)?.counts.keys() ?? [];
    const standing = first ?? drawing.atoms.get(id)?.standing ?? "waiting";
    paths.set(standing, `${paths.get(standing) ?? ""}M${x} ${y}h${width}v${height}h${-width}z`);
  }
  return (
    <>
      {[...paths].map(([standing, d]) => (
        <path key={standing} class={`is-${standing}`} d={d} />
      ))}
    </>
  );
});
