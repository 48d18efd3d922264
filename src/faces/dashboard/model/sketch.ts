/** A work graph as it is drawn: boxes in frames, and arrows (SPEC sections 3 and 10). Pure. */
import { standingOf, type Standing } from "../../../app/pictures/graph-text.ts";
import { isMet } from "../../../core/fate.ts";
import { graphOf, idAt, isContainer, listAt, NONE, numberAt } from "../../../core/graph.ts";
import type { Atom, OrGroup, State } from "../../../core/state.ts";
import { toArray } from "../../../core/vec.ts";
import { executableOf, measureOf } from "../../../core/view.ts";
import type { Sketch } from "./layout.ts";

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
  readonly measure: number;
  /** Boxes that are resolved. */
  readonly resolved: number;
}

export function drawingOf(state: State): Drawing {
  const graph = graphOf(state);
  const ready = new Set(executableOf(state, graph));
  const list = toArray(state.atoms);
  const standings = list.map((_, index) => standingOf(state, graph, index, ready));
  const atoms = new Map(list.map((atom, index) => [atom.id, { atom, standing: standings[index] ?? "waiting" }]));
  const groups = toArray(state.or_groups);
  const framed = groups.map((group) => group.choices.length > 1);
  const groupFrame = (index: number): string | null => {
    const group = numberAt(graph.groupOf, index);
    return group !== NONE && framed[group] === true ? groupId(groups[group]?.name ?? "") : null;
  };
  const parentFrame = (index: number): string | null => {
    const parent = numberAt(graph.parent, index);
    return parent === NONE ? null : containerId(idAt(graph, parent));
  };
  const frames = new Map<string, DrawnFrame>();
  const specs: { id: string; frame: string | null }[] = [];
  list.forEach((atom, index) => {
    if (!isContainer(graph, index)) return;
    const id = containerId(atom.id);
    specs.push({ id, frame: groupFrame(index) ?? parentFrame(index) });
    frames.set(id, {
      id,
      title: `${atom.id} ${atom.description}`,
      kind: "container",
      standing: standings[index] ?? null,
      atom: atom.id,
    });
  });
  groups.forEach((group, index) => {
    if (framed[index] !== true) return;
    const first = graph.indexOf.get(group.choices[0] ?? "") ?? NONE;
    specs.push({ id: groupId(group.name), frame: first === NONE ? null : parentFrame(first) });
    frames.set(groupId(group.name), {
      id: groupId(group.name),
      title: titleOf(group),
      kind: "group",
      standing: null,
      atom: null,
    });
  });
  // Outer frames are drawn first, and inner ones over them.
  const depthOf = (frame: string | null): number => {
    const above = specs.find(({ id }) => id === frame);
    return above === undefined ? 0 : 1 + depthOf(above.frame);
  };
  specs.sort((a, b) => depthOf(a.frame) - depthOf(b.frame));
  const boxes = list.flatMap((atom, index) =>
    isContainer(graph, index) ? [] : [{ id: atom.id, frame: groupFrame(index) ?? parentFrame(index) }],
  );
  const boxed = new Set(boxes.map(({ id }) => id));
  const edges: [string, string][] = [];
  const arrows: Arrow[] = [];
  list.forEach((atom, index) => {
    // What a container depends on its children depend on, too.
    if (!boxed.has(atom.id)) return;
    for (const from of listAt(graph.dependencies, index)) {
      const leaf = leafOf(from);
      if (leaf === null || leaf === atom.id) continue;
      const shown = groupFrame(from) ?? (isContainer(graph, from) ? containerId(idAt(graph, from)) : idAt(graph, from));
      edges.push([leaf, atom.id]);
      arrows.push({ from: shown, to: atom.id, met: isMet(state, graph, from) });
    }
  });
  /** A box that stands for what is split: the last one below it. */
  function leafOf(index: number): string | null {
    const children = listAt(graph.children, index);
    if (children.length === 0) return idAt(graph, index);
    const last = children.at(-1);
    return last === undefined ? null : leafOf(last);
  }
  const resolved = boxes.filter(({ id }) => atoms.get(id)?.standing === "resolved").length;
  const sketch = { boxes, frames: specs, edges };
  return { sketch, atoms, frames, arrows, measure: measureOf(state, graph), resolved };
}

function titleOf({ name, choices, failed }: OrGroup): string {
  const given = failed.length === 0 ? "" : `, ${failed.length} of ${choices.length} given up`;
  return `${name}: one of${given}`;
}

function containerId(atom: string): string {
  return `container ${atom}`;
}

function groupId(name: string): string {
  return `group ${name}`;
}
