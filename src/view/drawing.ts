/** A work graph as every picture draws it: boxes in frames, arrows, and how many there are (SPEC sections 3 and 10). Pure. */
import { isMet } from "../core/fate.ts";
import { graphOf, idAt, isContainer, listAt, NONE, numberAt, type Graph } from "../core/graph.ts";
import type { Atom, OrGroup, State } from "../core/state.ts";
import { executableOf } from "../core/view.ts";
import type { Sketch } from "./layout.ts";
import { groupWords, progressOf, standingOf, ORDER, type Progress, type Standing } from "./standing.ts";

export interface DrawnAtom {
  readonly atom: Atom;
  readonly standing: Standing;
}

export interface DrawnFrame {
  readonly id: string;
  readonly title: string;
  readonly kind: "container" | "group";
  readonly standing: Standing | null;
  /** The atom that it stands for. */
  readonly atom: string | null;
}

export interface Arrow {
  /** A box or a frame. */
  readonly from: string;
  readonly to: string;
  readonly met: boolean;
}

export interface Drawing {
  readonly sketch: Sketch;
  readonly atoms: ReadonlyMap<string, DrawnAtom>;
  readonly frames: ReadonlyMap<string, DrawnFrame>;
  /** In the order of the sketch's edges. */
  readonly arrows: readonly Arrow[];
  readonly progress: Progress;
  /** How many atoms there are of each standing that there is, in the order of the table; a container is `split`, whatever became of it. */
  readonly counts: ReadonlyMap<Standing, number>;
}

export function drawingOf(state: State): Drawing {
  const graph = graphOf(state);
  const ready = new Set(executableOf(state, graph));
  const list = state.atoms;
  const standings = list.map((_, index) => standingOf(state, graph, index, ready));
  const atoms = new Map(list.map((atom, index) => [atom.id, { atom, standing: standings[index] ?? "waiting" }]));
  const groups = state.or_groups;
  const framed = groups.map((group) => group.choices.length > 1);
  const groupFrame = (index: number): string | null => {
    const group = numberAt(graph.groupOf, index);
    return group !== NONE && framed[group] === true ? groupId(groups[group]?.name ?? "") : null;
  };
  const parentFrame = (index: number): string | null => {
    const parent = numberAt(graph.parent, index);
    return parent === NONE ? null : containerId(idAt(graph, parent));
  };
  const frameOf = (index: number): string | null => groupFrame(index) ?? parentFrame(index);
  const frames = new Map<string, DrawnFrame>();
  const specs: { id: string; frame: string | null }[] = [];
  list.forEach((atom, index) => {
    if (!isContainer(graph, index)) return;
    const id = containerId(atom.id);
    specs.push({ id, frame: frameOf(index) });
    frames.set(id, {
      id,
      title: `${atom.id}: ${atom.description}`,
      kind: "container",
      standing: standings[index] ?? null,
      atom: atom.id,
    });
  });
  groups.forEach((group, index) => {
    if (framed[index] !== true) return;
    const first = graph.indexOf.get(group.choices[0] ?? "") ?? NONE;
    specs.push({ id: groupId(group.name), frame: first === NONE ? null : parentFrame(first) });
    frames.set(groupId(group.name), frameOfGroup(group));
  });
  const boxes = list.flatMap((atom, index) =>
    isContainer(graph, index) ? [] : [{ id: atom.id, frame: frameOf(index) }],
  );
  const { edges, arrows } = arrowsOf(state, graph, groupFrame);
  const counts = countsOf(standings.map((standing, index) => (isContainer(graph, index) ? "split" : standing)));
  const progress = progressOf(state, graph);
  return {
    sketch: { boxes, frames: outerFirst(specs), edges },
    atoms,
    frames,
    arrows,
    progress,
    counts,
  };
}

/** What depends on what, with what is drawn of it. What a container depends on its children depend on, too. */
function arrowsOf(
  state: State,
  graph: Graph,
  groupFrame: (index: number) => string | null,
): Pick<Drawing, "arrows"> & Pick<Sketch, "edges"> {
  const edges: [string, string][] = [];
  const arrows: Arrow[] = [];
  graph.ids.forEach((id, index) => {
    for (const from of listAt(graph.dependencies, index)) {
      if (isContainer(graph, index)) continue;
      const leaf = leafOf(graph, from);
      const shown = groupFrame(from) ?? (isContainer(graph, from) ? containerId(idAt(graph, from)) : idAt(graph, from));
      const met = isMet(state, graph, from);
      if (leaf !== id) {
        edges.push([leaf, id]);
        arrows.push({ from: shown, to: id, met });
      }
    }
  });
  return { edges, arrows };
}

function frameOfGroup(group: OrGroup): DrawnFrame {
  const title = `${group.name}: ${groupWords(group)}`;
  return { id: groupId(group.name), title, kind: "group", standing: null, atom: null };
}

/** Outer frames are drawn first, and inner ones over them. */
function outerFirst<T extends { readonly id: string; readonly frame: string | null }>(specs: readonly T[]): T[] {
  const above = new Map(specs.map(({ id, frame }) => [id, frame]));
  const depthOf = (frame: string | null): number => (frame === null ? 0 : 1 + depthOf(above.get(frame) ?? null));
  return specs.toSorted((a, b) => depthOf(a.frame) - depthOf(b.frame));
}

/** A box that stands for what is split: the last one below it. */
function leafOf(graph: Graph, index: number): string {
  const last = listAt(graph.children, index).at(-1);
  return last === undefined ? idAt(graph, index) : leafOf(graph, last);
}

function countsOf(standings: readonly Standing[]): ReadonlyMap<Standing, number> {
  const count = (one: Standing): number => standings.filter((standing) => standing === one).length;
  return new Map(ORDER.map((one) => [one, count(one)] as const).filter(([, found]) => found > 0));
}

/** The frame of a container. */
export function containerId(atom: string): string {
  return `container ${atom}`;
}

function groupId(name: string): string {
  return `group ${name}`;
}
