/**
 * Where the atoms and groups of a work graph stand in a drawing: dependencies above what depends on them, containers
 * above their parts, groups above their choices. Pure; the same graph gives the same drawing.
 */
import { Graph, layout } from "@dagrejs/dagre";
import type { GraphJson, Standing } from "./graph-text.ts";

export interface PlacedNode {
  /** Unique in the drawing; no id of an atom. */
  readonly key: string;
  readonly kind: "atom" | "group";
  readonly name: string;
  readonly description: string;
  readonly standing: Standing | "group";
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** `needs`: from what is needed to what needs it. `part`: of a container. `chosen`, `other`: of a group. */
export type EdgeKind = "needs" | "part" | "chosen" | "other";

export interface PlacedEdge {
  readonly kind: EdgeKind;
  readonly from: string;
  readonly to: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

interface Item {
  readonly key: string;
  readonly kind: PlacedNode["kind"];
  readonly name: string;
  readonly description: string;
  readonly standing: PlacedNode["standing"];
}

const MARGIN = 16;
const BESIDE = 28;
const BELOW = 46;
/** Boxes and crossings of edges with rows: more than this takes the library minutes. */
const MOST_PLACES = 2_500;

/** @param sizeOf how large a node's box is drawn, pixels */
export function layoutGraph(graph: GraphJson, sizeOf: (item: Item) => NodeSize): GraphLayout {
  const keys = new Map(graph.nodes.map(({ id }, index) => [id, `a${index}`]));
  const items: readonly Sized[] = [
    ...graph.nodes.map(({ id, description, standing }, index): Item => {
      return { key: `a${index}`, kind: "atom", name: id, description, standing };
    }),
    ...graph.groups.map(({ name, choices }, index): Item => {
      return { key: `g${index}`, kind: "group", name, description: `one of ${choices.length}`, standing: "group" };
    }),
  ].map((item) => ({ ...item, ...sizeOf(item) }));
  const edges = edgesOf(graph, keys);
  const ranks = ranksOf(
    items.map(({ key }) => key),
    edges,
  );
  const spans = edges.map(({ from, to }) => (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0));
  const places = items.length + spans.reduce((sum, span) => sum + Math.max(0, span), 0);
  return places > MOST_PLACES ? inRows(items, edges, ranks) : byLibrary(items, edges);
}

type Sized = Item & NodeSize;
type Link = Omit<PlacedEdge, "points">;

function byLibrary(items: readonly Sized[], edges: readonly Link[]): GraphLayout {
  const drawing = new Graph({ directed: true, multigraph: true, compound: false });
  drawing.setGraph({ rankdir: "TB", nodesep: BESIDE, edgesep: 14, ranksep: BELOW, marginx: MARGIN, marginy: MARGIN });
  for (const { key, width, height } of items) drawing.setNode(key, { width, height });
  edges.forEach(({ from, to }, index) => drawing.setEdge(from, to, {}, String(index)));
  layout(drawing);
  const { width = 0, height = 0 } = drawing.graph() as { readonly width?: number; readonly height?: number };
  const nodes = items.map((item) => {
    const { x = 0, y = 0 } = drawing.node(item.key) as { readonly x?: number; readonly y?: number };
    return { ...item, x: round(x), y: round(y) };
  });
  const placed = edges.map((edge, index): PlacedEdge => {
    const { points = [] } = drawing.edge(edge.from, edge.to, String(index)) as { points?: PlacedEdge["points"] };
    return { ...edge, points: points.map(({ x, y }) => ({ x: round(x), y: round(y) })) };
  });
  return {
    width: Math.max(2 * MARGIN, Math.ceil(finite(width))),
    height: Math.max(2 * MARGIN, Math.ceil(finite(height))),
    nodes,
    edges: joined(nodes, placed),
  };
}

/** Edges leave a box in the middle of its lower side and reach one in the middle of its upper side. */
function joined(nodes: readonly PlacedNode[], edges: readonly PlacedEdge[]): readonly PlacedEdge[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  return edges.map((edge) => {
    const [from, to] = [byKey.get(edge.from), byKey.get(edge.to)];
    if (from === undefined || to === undefined || from.y >= to.y) return edge;
    const start = { x: from.x, y: round(from.y + from.height / 2) };
    const end = { x: to.x, y: round(to.y - to.height / 2) };
    // Between neighbouring rows no box is in the way.
    const between = edge.points.length <= 3 ? [] : edge.points.slice(1, -1);
    return { ...edge, points: [start, ...between.filter(({ y }) => y > start.y && y < end.y), end] };
  });
}

/** The longest way that leads to each node. A circle, which a valid graph does not have, is cut anywhere. */
function ranksOf(keys: readonly string[], edges: readonly Link[]): ReadonlyMap<string, number> {
  const waits = new Map(keys.map((key) => [key, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of edges) {
    waits.set(to, (waits.get(to) ?? 0) + 1);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const ranks = new Map(keys.map((key) => [key, 0]));
  const open = keys.filter((key) => waits.get(key) === 0);
  for (const key of open) {
    for (const next of after.get(key) ?? []) {
      ranks.set(next, Math.max(ranks.get(next) ?? 0, (ranks.get(key) ?? 0) + 1));
      const left = (waits.get(next) ?? 0) - 1;
      waits.set(next, left);
      if (left === 0) open.push(next);
    }
  }
  return ranks;
}

/** Row by row, each box near the middle of what it needs: quick, whatever the size. */
function inRows(items: readonly Sized[], edges: readonly Link[], ranks: ReadonlyMap<string, number>): GraphLayout {
  const rows: Sized[][] = [];
  for (const item of items) (rows[ranks.get(item.key) ?? 0] ??= []).push(item);
  const above = new Map<string, string[]>();
  for (const { from, to } of edges) above.set(to, [...(above.get(to) ?? []), from]);
  const middles = new Map<string, number>();
  const nodes: PlacedNode[] = [];
  let top = MARGIN;
  let width = 0;
  for (const row of rows) {
    const wish = ({ key }: Sized): number => {
      const xs = (above.get(key) ?? []).map((from) => middles.get(from) ?? 0);
      return xs.length === 0 ? Infinity : xs.reduce((sum, x) => sum + x, 0) / xs.length;
    };
    const wishes = new Map(row.map((item) => [item.key, wish(item)]));
    const ordered = row.toSorted((a, b) => order(wishes.get(a.key) ?? 0, wishes.get(b.key) ?? 0));
    const height = row.reduce((most, item) => Math.max(most, item.height), 0);
    let left = MARGIN;
    for (const item of ordered) {
      const node = { ...item, x: round(left + item.width / 2), y: round(top + height / 2) };
      nodes.push(node);
      middles.set(item.key, node.x);
      left += item.width + BESIDE;
    }
    width = Math.max(width, left - BESIDE + MARGIN);
    top += height + BELOW;
  }
  const straight = edges.map((edge): PlacedEdge => ({ ...edge, points: [] }));
  return { width: Math.ceil(width), height: Math.ceil(top - BELOW + MARGIN), nodes, edges: joined(nodes, straight) };
}

function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function edgesOf(graph: GraphJson, keys: ReadonlyMap<string, string>): Link[] {
  const edge = (kind: EdgeKind, from: string | undefined, to: string | undefined): Link[] =>
    from === undefined || to === undefined ? [] : [{ kind, from, to }];
  return [
    ...graph.edges.flatMap(({ from, to }) => edge("needs", keys.get(from), keys.get(to))),
    ...graph.nodes.flatMap(({ id, parent }) => (parent === null ? [] : edge("part", keys.get(parent), keys.get(id)))),
    ...graph.groups.flatMap(({ choices, selected }, index) =>
      choices.flatMap((choice) => edge(choice === selected ? "chosen" : "other", `g${index}`, keys.get(choice))),
    ),
  ];
}

/** Tenths of a pixel, so that a drawing is small and the same everywhere. */
function round(value: number): number {
  return Math.round(finite(value) * 10) / 10;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
