/**
 * The outline of a state (outline.ts): made once, where the whole state was at hand. Loops count their indices: they run
 * once, in code that is not compiled yet.
 */
import { isMet } from "./fate.ts";
import {
  flatDependants,
  graphOf,
  isContainer,
  NONE,
  numberAt,
  waitersOf,
  type FlatLists,
  type Graph,
} from "./graph.ts";
import { ALONE, CONTAINER, INSIDE, STATUSES, type Outline } from "./outline.ts";
import type { Atom, State } from "./state.ts";
import { toArray } from "./vec.ts";
import { executableOf, measureOf } from "./view.ts";

export function outlineOf(state: State): Outline {
  const graph = graphOf(state);
  const atoms = toArray(state.atoms);
  const size = atoms.length;
  const statuses = new Uint8Array(size);
  const places = new Uint8Array(size);
  const met = new Uint8Array(size);
  for (let index = 0; index < size; index++) {
    const { status } = atoms[index] as Atom;
    statuses[index] = STATUSES.indexOf(status);
    met[index] = (graph.plain ? status === "resolved" : isMet(state, graph, index)) ? 1 : 0;
    if (!graph.plain) places[index] = placeOf(graph, index);
  }
  const waits = new Int32Array(size);
  for (let index = 0; index < size; index++) {
    const targets = graph.dependencies[index] as readonly number[];
    for (let place = 0; place < targets.length; place++)
      if (met[targets[place] as number] === 0) waits[index] = (waits[index] as number) + 1;
  }
  return {
    statuses,
    places,
    waits,
    waiters: graph.plain ? flatDependants(graph) : flatWaiters(graph),
    ready: executableOf(state, graph),
    measure: measureOf(state, graph),
  };
}

function placeOf(graph: Graph, index: number): number {
  if (isContainer(graph, index)) return CONTAINER;
  return numberAt(graph.parent, index) === NONE && numberAt(graph.groupOf, index) === NONE ? ALONE : INSIDE;
}

function flatWaiters(graph: Graph): FlatLists {
  const lists = graph.ids.map((_, index) => waitersOf(graph, index));
  const ends = new Int32Array(lists.length);
  let size = 0;
  lists.forEach((list, index) => {
    size += list.length;
    ends[index] = size;
  });
  return { flat: Int32Array.from(lists.flat()), ends };
}
