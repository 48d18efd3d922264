/**
 * Where everything of a work graph is drawn, on the page and in a report (SPEC section 10). Pure; the page runs it in a worker.
 *
 * LAYOUT-1 every box and every frame has a place, and boxes do not overlap;
 * LAYOUT-2 the time that it takes is bounded: what the layout library would take too long for is put in columns.
 */
import { Graph, layout } from "@dagrejs/dagre";

export interface Box {
  readonly id: string;
  /** The frame that it is in. */
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

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Rect>;
  readonly frames: ReadonlyMap<string, Rect>;
  /** Points of each edge, in the order of the sketch. */
  readonly edges: readonly (readonly { readonly x: number; readonly y: number }[])[];
}

const BOX = { width: 190, height: 60 };
const GAP = { row: 14, column: 44, frame: 14, title: 22 };
const MARGIN = 16;
/** Of boxes times columns that edges pass: beyond it the library takes seconds. */
const MOST_PASSED = 3_000;
const MOST_FRAMED = 500;
/** So many boxes that hang together with nothing are no crowd; of more, how much wider than high their rows are. */
const FEW_LOOSE = 6;
const WIDE = 2.2;

export function layoutOf(sketch: Sketch): Layout {
  const tied = new Set(sketch.edges.flat());
  const loose = sketch.boxes.filter(({ id, frame }) => frame === null && !tied.has(id));
  if (loose.length <= FEW_LOOSE) return tiedLayout(sketch);
  const boxes = sketch.boxes.filter(({ id, frame }) => frame !== null || tied.has(id));
  return withLoose(tiedLayout({ ...sketch, boxes }), loose);
}

/** What hangs together with nothing would make one tall column: below all else it stands in rows. */
function withLoose(tied: Layout, loose: readonly Box[]): Layout {
  const [wide, high] = [BOX.width + GAP.row, BOX.height + GAP.row];
  const top = tied.boxes.size === 0 ? 0 : tied.height;
  const across = Math.max(Math.floor(tied.width / wide), Math.ceil(Math.sqrt((loose.length * WIDE * high) / wide)));
  const placed = loose.map(({ id }, index): [string, Rect] => {
    const [row, column] = [Math.floor(index / across), index % across];
    return [id, { x: MARGIN + column * wide, y: top + MARGIN + row * high, ...BOX }];
  });
  return {
    ...tied,
    width: Math.max(tied.width, Math.min(across, loose.length) * wide + 2 * MARGIN - GAP.row),
    height: top + Math.ceil(loose.length / across) * high + 2 * MARGIN - GAP.row,
    boxes: new Map([...tied.boxes, ...placed]),
  };
}

function tiedLayout(sketch: Sketch): Layout {
  const columns = columnsOf(sketch);
  let passed = sketch.boxes.length;
  for (const [from, to] of sketch.edges) passed += Math.max(1, columnIn(columns, to) - columnIn(columns, from));
  if (passed > MOST_PASSED) return finished(sketch, inColumns(sketch, columns), []);
  return byLibrary(sketch, sketch.frames.length > 0 && sketch.boxes.length <= MOST_FRAMED);
}

function byLibrary(sketch: Sketch, framed: boolean): Layout {
  const graph = new Graph({ compound: framed });
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
    const frameOf = framesOf(sketch);
    const filled = new Set(sketch.boxes.flatMap(({ frame }) => above(frameOf, frame)));
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

/** Frames are drawn around what is in them, and everything is moved to the margin. */
function finished(sketch: Sketch, boxes: Map<string, Rect>, edges: readonly (readonly Point[])[]): Layout {
  const inside = new Map<string, Rect[]>();
  const put = (frame: string | null, place: Rect | undefined): void => {
    if (frame === null || place === undefined) return;
    const there = inside.get(frame);
    if (there === undefined) inside.set(frame, [place]);
    else there.push(place);
  };
  for (const { id, frame } of sketch.boxes) put(frame, boxes.get(id));
  const frameOf = framesOf(sketch);
  const depths = new Map(sketch.frames.map(({ id }) => [id, above(frameOf, id).length]));
  const drawn = new Map<string, Rect>();
  for (const { id, frame } of sketch.frames.toSorted((a, b) => (depths.get(b.id) ?? 0) - (depths.get(a.id) ?? 0))) {
    const within = inside.get(id);
    if (within === undefined) continue;
    const { x, y, width, height } = spanOf(within);
    const [left, top] = [x - GAP.frame / 2, y - GAP.title];
    const place = {
      x: left,
      y: top,
      width: x + width + GAP.frame / 2 - left,
      height: y + height + GAP.frame / 2 - top,
    };
    drawn.set(id, place);
    put(frame, place);
  }
  const whole = spanOf([{ x: 0, y: 0, width: 1, height: 1 }, ...boxes.values(), ...drawn.values()]);
  const moved = <P extends Point>(point: P): P => {
    return { ...point, x: point.x - whole.x + MARGIN, y: point.y - whole.y + MARGIN };
  };
  const shifted = (places: Map<string, Rect>): Map<string, Rect> =>
    new Map([...places].map(([id, place]) => [id, moved(place)]));
  // In the order of the sketch: inner frames are drawn over outer ones.
  const frames = new Map(
    sketch.frames.flatMap(({ id }) => (drawn.has(id) ? [[id, drawn.get(id)] as [string, Rect]] : [])),
  );
  return {
    width: whole.width + 2 * MARGIN,
    height: whole.height + 2 * MARGIN,
    boxes: shifted(boxes),
    frames: shifted(frames),
    edges: edges.length === 0 ? sketch.edges.map(() => []) : edges.map((points) => points.map(moved)),
  };
}

/** The smallest place around them all; there may be more than a call takes arguments. */
function spanOf(places: readonly Rect[]): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of places) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * LAYOUT-2: one column for each step of the longest way there; in it each box is near those that it hangs together
 * with.
 */
function inColumns(sketch: Sketch, columns: ReadonlyMap<string, number>): Map<string, Rect> {
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
      const wanted = new Map(
        column.map((id) => [id, middle((near.get(id) ?? []).map((other) => heights.get(other) ?? 0))]),
      );
      column.sort((a, b) => (wanted.get(a) ?? heights.get(a) ?? 0) - (wanted.get(b) ?? heights.get(b) ?? 0));
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

/** The longest way that leads to each box. A circle, which a valid graph does not have, is cut anywhere. */
function columnsOf({ boxes, edges }: Sketch): ReadonlyMap<string, number> {
  const columns = new Map(boxes.map(({ id }) => [id, 0]));
  const waits = new Map(columns);
  const after = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const [from, to] of edges) {
    waits.set(to, (waits.get(to) ?? 0) + 1);
    after.get(from)?.push(to);
  }
  const open = [...waits].flatMap(([id, count]) => (count === 0 ? [id] : []));
  for (const id of open)
    for (const next of after.get(id) ?? []) {
      columns.set(next, Math.max(columnIn(columns, next), columnIn(columns, id) + 1));
      const left = (waits.get(next) ?? 0) - 1;
      waits.set(next, left);
      if (left === 0) open.push(next);
    }
  return columns;
}

function columnIn(columns: ReadonlyMap<string, number>, id: string): number {
  return columns.get(id) ?? 0;
}

function framesOf({ frames }: Sketch): ReadonlyMap<string, string | null> {
  return new Map(frames.map(({ id, frame }) => [id, frame]));
}

/** That frame, and those around it. */
function above(frameOf: ReadonlyMap<string, string | null>, frame: string | null): readonly string[] {
  const found: string[] = [];
  for (let here = frame; here !== null && !found.includes(here); here = frameOf.get(here) ?? null) found.push(here);
  return found;
}
