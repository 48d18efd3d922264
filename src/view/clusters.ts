/**
 * Part of a drawing, for a reader who cannot look at all of it: what matches, and of a large graph one box for many (SPEC
 * section 10). Pure.
 *
 * CLUSTERS-1 every atom that was drawn still is, as its own box or in exactly one cluster; the counts add up;
 * CLUSTERS-2 an arrow that was drawn between two boxes still is, unless both ends are in one box now.
 */
import type { Arrow, DrawnCluster, Drawing } from "./drawing.ts";
import { ORDER, STANDINGS, type Standing } from "./standing.ts";

/** Boxes up to which a graph is drawn box by box, and atoms of one standing up to which they are no crowd: outside of frames, and in one. */
export const CROWDED = { boxes: 120, loose: 8, framed: 40 };

/** Only what matches, with the frames around it and the arrows between. */
export function narrowed(drawing: Drawing, matches: (atom: string) => boolean): Drawing {
  const { sketch, arrows } = drawing;
  const boxes = sketch.boxes.filter(({ id }) => matches(id));
  const there = new Set(boxes.map(({ id }) => id));
  const isKept = sketch.edges.map((edge) => edge.every((end) => there.has(end)));
  return {
    ...drawing,
    sketch: { ...sketch, boxes, edges: sketch.edges.filter((_, index) => isKept[index]) },
    arrows: arrows.filter((_, index) => isKept[index]),
  };
}

/** The frames around each box, innermost first. */
export function framesAround({ sketch }: Drawing): (atom: string) => readonly string[] {
  const above = new Map([...sketch.frames, ...sketch.boxes].map(({ id, frame }) => [id, frame]));
  return (atom) => {
    const found: string[] = [];
    for (let here = above.get(atom) ?? null; here !== null; here = above.get(here) ?? null) found.push(here);
    return found;
  };
}

/**
 * A large graph with one box for each container that is not opened, and for each crowd of atoms of one standing.
 * @param opened containers, groups and crowds whose atoms are drawn box by box @param apart atoms that are in no crowd
 */
export function clustered(
  drawing: Drawing,
  opened: ReadonlySet<string>,
  apart: ReadonlySet<string>,
  most = CROWDED,
): Drawing {
  const { sketch, atoms } = drawing;
  if (sketch.boxes.length <= most.boxes) return drawing;
  const above = new Map(sketch.frames.map(({ id, frame }) => [id, frame]));
  /** The outermost frame that is closed; null: all around it are open. */
  const closedAround = (frame: string | null): string | null => {
    let closed: string | null = null;
    for (let here = frame; here !== null; here = above.get(here) ?? null) if (!opened.has(here)) closed = here;
    return closed;
  };
  const crowds = new Map<string, string[]>();
  const placed = sketch.boxes.map(({ id, frame }) => {
    const standing = atoms.get(id)?.standing ?? "waiting";
    const closed = closedAround(frame);
    const key = closed ?? crowdId(standing, frame);
    const alone = closed === null && (apart.has(id) || standing === "running" || opened.has(key));
    const crowd = crowds.get(key) ?? [];
    crowd.push(id);
    if (!alone) crowds.set(key, crowd);
    return { id, frame, closed, key: alone ? id : key };
  });
  for (const [key, members] of crowds)
    if (!above.has(key) && members.length <= (key.endsWith(" ") ? most.loose : most.framed)) crowds.delete(key);
  const clusters = new Map<string, DrawnCluster>();
  const boxes: { id: string; frame: string | null }[] = [];
  const boxOf = new Map<string, string>();
  for (const { id, frame, closed, key } of placed) {
    const members = crowds.get(key);
    boxOf.set(id, members === undefined ? id : key);
    if (members === undefined) boxes.push({ id, frame });
    else if (!clusters.has(key)) {
      clusters.set(key, clusterOf(drawing, key, members));
      boxes.push({ id: key, frame: closed === null ? frame : (above.get(closed) ?? null) });
    }
  }
  const frames = sketch.frames.filter(({ id }) => closedAround(id) === null);
  const shown = (end: string): string => boxOf.get(end) ?? closedAround(end) ?? end;
  const isBox = (end: string): boolean => clusters.has(end) || boxOf.get(end) === end;
  const edges = joinedArrows(drawing, shown, isBox);
  return {
    ...drawing,
    sketch: { boxes, frames, edges: edges.map(({ edge }) => edge) },
    arrows: edges.map(({ arrow }) => arrow),
    clusters,
  };
}

interface Joined {
  readonly edge: readonly [from: string, to: string];
  readonly arrow: Arrow;
}

/** CLUSTERS-2: of several arrows between the same two one is drawn, dashed until all of them are met. */
function joinedArrows(
  { sketch, arrows, frameArrows }: Drawing,
  shown: (end: string) => string,
  isBox: (end: string) => boolean,
): readonly Joined[] {
  const joined = new Map<string, Joined>();
  const join = (edge: readonly [string, string], { from, to, met }: Arrow): void => {
    if (edge[0] === edge[1]) return;
    const key = edge.join("\n");
    const arrow = { from: shown(from), to: shown(to), met: met && joined.get(key)?.arrow.met !== false };
    joined.set(key, { edge, arrow });
  };
  sketch.edges.forEach(([from, to], index) => {
    const arrow = arrows[index];
    if (arrow !== undefined) join([shown(from), shown(to)], arrow);
  });
  for (const arrow of frameArrows) {
    const [from, to] = [shown(arrow.from), shown(arrow.to)];
    if (isBox(from) && isBox(to)) join([from, to], arrow);
  }
  return [...joined.values()];
}

/** Atoms of one standing that lie in the same frame. */
function crowdId(standing: Standing, frame: string | null): string {
  return `${standing} ${frame ?? ""}`;
}

function clusterOf({ atoms, frames }: Drawing, key: string, members: readonly string[]): DrawnCluster {
  const standings = members.map((id) => atoms.get(id)?.standing ?? "waiting");
  const counts = new Map(
    ORDER.map((one) => [one, standings.filter((standing) => standing === one).length] as const).filter(
      ([, count]) => count > 0,
    ),
  );
  const [first = "waiting"] = counts.keys();
  const frame = frames.get(key);
  const title = frame?.title ?? `${members.length} ${STANDINGS[first].words}`;
  return { id: key, title, isFrame: frame !== undefined, counts, atoms: members };
}
