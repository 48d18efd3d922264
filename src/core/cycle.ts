/** Whether dependencies and decompositions together form a DAG (SPEC section 2). */
import { inverted, listAt, NONE, numberAt, type Graph } from "./graph.ts";

/** Whether `findCycle` would find nothing, without looking for a path. */
export function isAcyclic(graph: Graph): boolean {
  if (graph.plain && dependBackwards(graph)) return true;
  const open = graph.dependencies.map((list, index) => list.length + listAt(graph.children, index).length);
  const free: number[] = [];
  open.forEach((count, index) => {
    if (count === 0) free.push(index);
  });
  const settle = (index: number): void => {
    const left = numberAt(open, index) - 1;
    open[index] = left;
    if (left === 0) free.push(index);
  };
  const containersOf = inverted(graph.children);
  for (let next = 0; next < free.length; next++) {
    const index = free[next] as number;
    for (const dependant of listAt(graph.dependants, index)) settle(dependant);
    for (const container of listAt(containersOf, index)) settle(container);
  }
  return free.length === graph.ids.length;
}

/** Whether each atom depends on earlier ones only, as people write them. */
function dependBackwards(graph: Graph): boolean {
  for (let index = 0; index < graph.dependencies.length; index++) {
    const list = listAt(graph.dependencies, index);
    for (let place = 0; place < list.length; place++) if ((list[place] as number) >= index) return false;
  }
  return true;
}

/** A cycle over dependencies and decompositions as a closed path of ids, or null. No recursion: chains may be long. */
export function findCycle(graph: Graph): readonly string[] | null {
  const edgesOf = (index: number): readonly number[] => {
    const children = graph.children[index] ?? [];
    const dependencies = graph.dependencies[index] ?? [];
    return children.length === 0 ? dependencies : [...dependencies, ...children];
  };
  const state = new Uint8Array(graph.ids.length);
  const from = new Int32Array(graph.ids.length).fill(NONE);
  for (let root = 0; root < graph.ids.length; root++) {
    if (state[root] !== 0) continue;
    const stack = [{ index: root, next: 0, edges: edgesOf(root) }];
    state[root] = 1;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = top.edges[top.next++];
      if (target === undefined) {
        state[top.index] = 2;
        stack.pop();
      } else if (state[target] === 0) {
        state[target] = 1;
        from[target] = top.index;
        stack.push({ index: target, next: 0, edges: edgesOf(target) });
      } else if (state[target] === 1) return closedPath(graph, from, top.index, target);
    }
  }
  return null;
}

function closedPath(graph: Graph, from: Int32Array, last: number, first: number): readonly string[] {
  const path = [first];
  for (let here = last; here !== first && here !== NONE; here = from[here] ?? NONE) path.push(here);
  path.push(first);
  return path.reverse().map((index) => graph.ids[index] ?? "");
}
