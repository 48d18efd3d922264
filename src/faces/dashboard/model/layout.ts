/**
 * Where everything of a work graph is drawn (SPEC section 10). Pure; runs in a worker of the page.
 *
 * P1 every box and every frame has a place, and boxes do not overlap;
 * P2 the time that it takes is bounded: what the layout library would take too long for is put in columns.
 */
import { graphlib, layout } from "@dagrejs/dagre";

export interface Box {
  readonly id: string;
  /** The frame that it stands in. */
  readonly frame: string | null;
}

/** A container, or a group of alternatives, around what belongs to it. */
export interface FrameSpec {
  readonly id: string;
  readonly frame: string | null;
}

export interface Sketch {
  readonly boxes: readonly Box[];
  readonly frames: readonly FrameSpec[];
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Place>;
  readonly frames: ReadonlyMap<string, Place>;
  /** Points of each edge, in the order of the sketch. */
  readonly edges: readonly (readonly { readonly x: number; readonly y: number }[])[];
}

const BOX = { width: 178, height: 60 };
const GAP = { row: 14, column: 44, frame: 14, title: 22 };
const MARGIN = 16;
/** Of boxes times columns that edges pass: beyond it the library takes seconds. */
const MOST_PASSED = 3_000;
const MOST_FRAMED = 500;

export function layoutOf(sketch: Sketch): Layout {
  const columns = columnsOf(sketch);
  const passed = sketch.edges.reduce(
    (sum, [from, to]) => sum + Math.max(1, columnIn(columns, to) - columnIn(columns, from)),
    0,
  );
  const framed = sketch.frames.length > 0 && sketch.boxes.length <= MOST_FRAMED;
  if (passed + sketch.boxes.length > MOST_PASSED) return finished(sketch, inColumns(sketch, columns), []);
  return byLibrary(sketch, framed);
}

function byLibrary(sketch: Sketch, framed: boolean): Layout {
  const graph = new graphlib.Graph({ compound: framed });
  graph.setGraph({
    rankdir: "LR",
    nodesep: GAP.row,
    ranksep: GAP.column,
    ranker: sketch.boxes.length > 120 ? "tight-tree" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of sketch.boxes) graph.setNode(id, { ...BOX });
  if (framed) {
    // An empty frame would be laid out as a box.
    const filled = new Set(sketch.boxes.flatMap(({ frame }) => above(sketch, frame)));
    for (const { id } of sketch.frames) if (filled.has(id)) graph.setNode(id, {});
    for (const { id, frame } of [...sketch.boxes, ...sketch.frames])
      if (frame !== null && graph.hasNode(id)) graph.setParent(id, frame);
  }
  for (const [from, to] of sketch.edges) graph.setEdge(from, to);
  layout(graph);
  const boxes = new Map(
    sketch.boxes.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: x - BOX.width / 2, y: y - BOX.height / 2, ...BOX }];
    }),
  );
  const edges = sketch.edges.map(
    ([from, to]) => (graph.edge(from, to) as { points?: Point[] } | undefined)?.points ?? [],
  );
  return finished(sketch, boxes, edges);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Frames are drawn around what stands in them, and everything is moved to the margin. */
function finished(sketch: Sketch, boxes: Map<string, Place>, edges: readonly (readonly Point[])[]): Layout {
  const drawn = new Map<string, Place>();
  for (const { id } of [...sketch.frames].sort((a, b) => depth(sketch, b.id) - depth(sketch, a.id))) {
    const inside = [
      ...sketch.boxes.filter(({ frame }) => frame === id).map((box) => boxes.get(box.id)),
      ...sketch.frames.filter(({ frame }) => frame === id).map((inner) => drawn.get(inner.id)),
    ].filter((place) => place !== undefined);
    if (inside.length > 0) drawn.set(id, around(inside));
  }
  const frames = new Map(
    sketch.frames.flatMap(({ id }) => (drawn.has(id) ? [[id, drawn.get(id)] as [string, Place]] : [])),
  );
  const all = [...boxes.values(), ...frames.values()];
  const left = Math.min(...all.map(({ x }) => x), 0) - MARGIN;
  const top = Math.min(...all.map(({ y }) => y), 0) - MARGIN;
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x - left, y: point.y - top });
  const shifted = (places: Map<string, Place>): Map<string, Place> =>
    new Map([...places].map(([id, place]) => [id, moved(place)]));
  return {
    width: Math.max(...all.map(({ x, width }) => x + width), 1) - left + MARGIN,
    height: Math.max(...all.map(({ y, height }) => y + height), 1) - top + MARGIN,
    boxes: shifted(boxes),
    frames: shifted(frames),
    edges: edges.length === 0 ? sketch.edges.map(() => []) : edges.map((points) => points.map(moved)),
  };
}

function around(places: readonly Place[]): Place {
  const x = Math.min(...places.map((place) => place.x)) - GAP.frame / 2;
  const y = Math.min(...places.map((place) => place.y)) - GAP.title;
  return {
    x,
    y,
    width: Math.max(...places.map((place) => place.x + place.width)) + GAP.frame / 2 - x,
    height: Math.max(...places.map((place) => place.y + place.height)) + GAP.frame / 2 - y,
  };
}

/** P2: one column for each step of the longest way there; in it each box stands near those that it hangs together with. */
function inColumns(sketch: Sketch, columns: ReadonlyMap<string, number>): Map<string, Place> {
  const rows: string[][] = [];
  for (const { id } of sketch.boxes) (rows[columnIn(columns, id)] ??= []).push(id);
  const near = new Map<string, string[]>(sketch.boxes.map(({ id }) => [id, []]));
  for (const [from, to] of sketch.edges) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const heights = new Map<string, number>();
  const settle = (column: readonly string[]): void =>
    column.forEach((id, row) => heights.set(id, row - (column.length - 1) / 2));
  for (const column of rows) settle(column);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const column of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const wish = new Map(
        column.map((id) => [id, middle((near.get(id) ?? []).map((other) => heights.get(other) ?? 0))]),
      );
      column.sort((a, b) => (wish.get(a) ?? heights.get(a) ?? 0) - (wish.get(b) ?? heights.get(b) ?? 0));
      settle(column);
    }
  return new Map(
    sketch.boxes.map(({ id }) => {
      const x = columnIn(columns, id) * (BOX.width + GAP.column);
      return [id, { x, y: (heights.get(id) ?? 0) * (BOX.height + GAP.row), ...BOX }];
    }),
  );
}

const SWEEPS = 8;

/** Undefined: there are none. */
function middle(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function columnsOf({ boxes, edges }: Sketch): ReadonlyMap<string, number> {
  const before = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const [from, to] of edges) before.get(to)?.push(from);
  const columns = new Map<string, number>();
  for (const { id } of boxes) {
    const stack = [id];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const open = columns.has(top)
        ? []
        : (before.get(top) ?? []).filter((from) => before.has(from) && !columns.has(from) && !stack.includes(from));
      if (open.length > 0) {
        stack.push(open[0] ?? "");
        continue;
      }
      if (!columns.has(top))
        columns.set(top, Math.max(-1, ...(before.get(top) ?? []).map((from) => columns.get(from) ?? -1)) + 1);
      stack.pop();
    }
  }
  return columns;
}

function columnIn(columns: ReadonlyMap<string, number>, id: string): number {
  return columns.get(id) ?? 0;
}

function above(sketch: Sketch, frame: string | null): readonly string[] {
  const found: string[] = [];
  for (let here = frame; here !== null && !found.includes(here);) {
    found.push(here);
    const name: string = here;
    here = sketch.frames.find(({ id }) => id === name)?.frame ?? null;
  }
  return found;
}

function depth(sketch: Sketch, id: string): number {
  return above(sketch, id).length;
}
