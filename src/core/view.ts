/** What follows from a state: the measure, the executable atoms, what resolves by itself. */
import { exhaustedGroups, isCounted, isExecutable, isLive, isMet, deadGroupOf } from "./fate.ts";
import { graphOf, idAt, isContainer, listAt, metWith, NONE, numberAt, type Graph } from "./graph.ts";
import { inOrder } from "./order.ts";
import type { Atom, Binding, State } from "./state.ts";
import { at, withAt } from "./vec.ts";

export interface View {
  readonly graph: Graph;
  /** `M`: unresolved atoms that count (SPEC section 3). */
  readonly measure: number;
  /** Live OR groups of which every choice failed. */
  readonly exhausted: readonly string[];
}

/** A state with what follows from it. */
export interface Board {
  readonly state: State;
  readonly view: View;
}

export function boardOf(state: State): Board {
  return { state, view: viewOf(state) };
}

export function viewOf(state: State, graph: Graph = graphOf(state)): View {
  return { graph, measure: measureOf(state, graph), exhausted: exhaustedGroups(state, graph) };
}

/** The executable atoms, best first. */
export function executableOf(state: State, graph: Graph): readonly number[] {
  return inOrder(
    graph,
    graph.ids.map((_, index) => index).filter((index) => isExecutable(state, graph, index)),
  );
}

/** `M`: how many unresolved atoms count (SPEC section 3). */
export function measureOf(state: State, graph: Graph): number {
  return graph.ids.filter((_, index) => isCounted(state, graph, index)).length;
}

export function withAtom(state: State, index: number, change: Partial<Atom>): State {
  return { ...state, atoms: withAt(state.atoms, index, { ...at(state.atoms, index), ...change }) };
}

/** The atom without its binding. */
export function unbound(atom: Atom): Atom {
  const { binding: _, ...rest } = atom;
  return rest;
}

/**
 * Resolves a live atom: its binding replaces it (contraction), and containers above it that have no unmet child left
 * resolve by themselves.
 * @returns the board after it and the atoms resolved, the given one first
 */
export function resolveAtom(
  { state, view: { graph } }: Board,
  index: number,
  binding: Binding | undefined,
): { readonly board: Board; readonly resolved: readonly number[] } {
  const resolved = [index];
  let now = state;
  for (let next = 0; next < resolved.length; next++) {
    const here = resolved[next] as number;
    const own = here === index ? binding : containerBinding(now, graph, here);
    now = withAtom(now, here, { status: "resolved", ...(own === undefined ? {} : { binding: own }) });
    for (const above of new Set(metWith(graph, here).map((member) => numberAt(graph.parent, member))))
      if (above !== NONE && !resolved.includes(above) && isDone(now, graph, above)) resolved.push(above);
  }
  return { board: { state: now, view: viewOf(now, graph) }, resolved };
}

/** Whether a container is to resolve by itself. */
function isDone(state: State, graph: Graph, container: number): boolean {
  if (at(state.atoms, container).status === "resolved" || !isLive(state, graph, container)) return false;
  return listAt(graph.children, container).every((child) => isMet(state, graph, child));
}

/** SPEC section 3: what a container is bound to. */
export function containerBinding(state: State, graph: Graph, index: number): Binding {
  const done = listAt(graph.children, index).filter((child) => at(state.atoms, child).status === "resolved");
  const artifacts = new Set(done.flatMap((child) => at(state.atoms, child).binding?.artifacts ?? []));
  return {
    summary: `Completed via ${done.map((child) => idAt(graph, child)).join(", ")} resolution`,
    artifacts: [...artifacts],
  };
}

/**
 * Containers that have no unmet child left resolve, whatever made it so (a person's edit, a choice
 * forced, a child removed). Answers a fresh board.
 */
export function settleContainers(
  state: State,
  graph: Graph = graphOf(state),
): { readonly board: Board; readonly resolved: readonly number[] } {
  let board: Board = { state, view: viewOf(state, graph) };
  const resolved: number[] = [];
  for (let index = 0; index < graph.ids.length; index++) {
    if (!isContainer(graph, index) || !isDone(board.state, graph, index)) continue;
    const step = resolveAtom(board, index, containerBinding(board.state, graph, index));
    board = step.board;
    resolved.push(...step.resolved);
  }
  return { board, resolved };
}

/**
 * The bindings of an atom's direct dependencies, by atom id: what replaces them (contraction, SPEC sections 1 and 7). A
 * dependency that waits for a group (FATE-1) is replaced by the choice that made it.
 */
export function bindingsFor(state: State, graph: Graph, index: number): Readonly<Record<string, Binding>> {
  const bound = listAt(graph.dependencies, index).map((dependency) => {
    const dead = deadGroupOf(state, graph, dependency);
    const groupIndex = dead === NONE ? numberAt(graph.groupOf, dependency) : dead;
    const chosen = groupIndex === NONE ? dependency : graph.indexOf.get(at(state.or_groups, groupIndex).selected);
    return at(state.atoms, chosen ?? dependency);
  });
  return Object.fromEntries(bound.flatMap(({ id, binding }) => (binding === undefined ? [] : [[id, binding]])));
}
