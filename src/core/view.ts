/**
 * What follows from a state, kept up to date instead of computed again: unmet dependencies, open
 * children, the measure, the executable atoms. Law (tests/core/view.test.ts): after any sequence of
 * resolutions the view equals `viewOf(state)`. Everything but a resolution is rare and rebuilds it.
 */
import { exhaustedGroups, isCounted, isExecutable, isLive, isMet, isRacing, deadGroupOf } from "./fate.ts";
import { graphOf, idAt, isContainer, listAt, metWith, NONE, numberAt, subtreeOf, type Graph } from "./graph.ts";
import { inOrder, ranksOf } from "./order.ts";
import type { Atom, Binding, State } from "./state.ts";
import { at, withAt } from "./vec.ts";

export interface View {
  readonly graph: Graph;
  /** Own dependencies of each atom that are not met. */
  readonly waits: readonly number[];
  /** Children of each container that are not met. */
  readonly open: readonly number[];
  /** `M`: unresolved atoms that count (SPEC section 3). */
  readonly measure: number;
  /** Executable atoms by rank, and perhaps some that are not any more: `takeReady` looks again. */
  readonly ready: readonly number[] | "not kept";
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
  return { ...countersOf(state, graph), ready: executableOf(state, graph) };
}

/** A view for a single operation: nobody takes atoms from it, so they are not put in order. */
export function countersOf(state: State, graph: Graph): View {
  const met = graph.ids.map((_, index) => isMet(state, graph, index));
  const countUnmet = (targets: readonly number[]): number => {
    let count = 0;
    for (const target of targets) if (met[target] !== true) count++;
    return count;
  };
  return {
    graph,
    waits: graph.dependencies.map(countUnmet),
    open: graph.children.map(countUnmet),
    measure: measureOf(state, graph),
    ready: "not kept",
    exhausted: exhaustedGroups(state, graph),
  };
}

/** Answers that were given: one operation asks for the same one more than once. */
const executable = new WeakMap<State, readonly number[]>();

/** The executable atoms, best first. */
export function executableOf(state: State, graph: Graph): readonly number[] {
  let known = executable.get(state);
  if (known === undefined) executable.set(state, (known = findExecutable(state, graph)));
  return known;
}

function findExecutable(state: State, graph: Graph): readonly number[] {
  const all = graph.ids.map((_, index) => index);
  return inOrder(
    graph,
    all.filter((index) => isExecutable(state, graph, index)),
  );
}

/** `M`: how many unresolved atoms count (SPEC section 3). */
export function measureOf(state: State, graph: Graph): number {
  let measure = 0;
  for (let index = 0; index < graph.ids.length; index++) if (isCounted(state, graph, index)) measure++;
  return measure;
}

/** `isExecutable`, answered from the view's counters. */
function isReady(board: Board, index: number): boolean {
  const { state, view } = board;
  if (at(state.atoms, index).status !== "pending" || isContainer(view.graph, index)) return false;
  for (let here = index; here !== NONE; here = numberAt(view.graph.parent, here)) {
    if (at(view.waits, here) > 0) return false;
  }
  return isLive(state, view.graph, index) || isRacing(state, view.graph, index);
}

/** The best executable atom that `fits`, and the view without it; those that do not fit stay. Null: none. */
export function takeReady(
  board: Board,
  fits: (index: number) => boolean,
): { readonly index: number; readonly view: View } | null {
  const ready = kept(board.view.ready);
  const passedOver: number[] = [];
  for (const [place, index] of ready.entries()) {
    if (!isReady(board, index) || passedOver.at(-1) === index) continue;
    if (fits(index)) return { index, view: { ...board.view, ready: [...passedOver, ...ready.slice(place + 1)] } };
    passedOver.push(index);
  }
  return null;
}

function kept(ready: View["ready"]): readonly number[] {
  if (ready === "not kept") throw new Error("this view keeps no executable atoms");
  return ready;
}

/** Puts an atom that is pending again back among the executable ones. */
export function offered(view: View, index: number): View {
  if (view.ready === "not kept") return view;
  const ranks = ranksOf(view.graph);
  const place = view.ready.findIndex((other) => (ranks[other] ?? 0) > (ranks[index] ?? 0));
  return { ...view, ready: view.ready.toSpliced(place === -1 ? view.ready.length : place, 0, index) };
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
 * Resolves a live atom: its binding replaces it (contraction), containers above it that have no unmet
 * child left resolve by themselves, what waited for it may run.
 * @returns the board after it and the atoms resolved, the given one first
 */
export function resolveAtom(
  board: Board,
  index: number,
  binding: Binding | undefined,
): { readonly board: Board; readonly resolved: readonly number[] } {
  const resolved = [index];
  let current = board;
  for (let next = 0; next < resolved.length; next++) {
    const here = resolved[next] as number;
    const own = here === index ? binding : containerBinding(current.state, current.view.graph, here);
    const step = resolveOne(current, here, own);
    current = step.board;
    for (const container of step.containers) resolved.push(container);
  }
  return { board: current, resolved };
}

function resolveOne(
  board: Board,
  index: number,
  binding: Binding | undefined,
): { readonly board: Board; readonly containers: readonly number[] } {
  const { graph } = board.view;
  const members = metWith(graph, index);
  let measure = board.view.measure;
  for (const member of members) if (isCounted(board.state, graph, member)) measure--;
  const state = withAtom(board.state, index, { status: "resolved", ...(binding === undefined ? {} : { binding }) });
  let { waits, open } = board.view;
  const woken: number[] = [];
  const containers: number[] = [];
  for (const member of members) {
    if (isMet(board.state, graph, member)) continue;
    for (const dependant of listAt(graph.dependants, member)) {
      const left = at(waits, dependant) - 1;
      waits = withAt(waits, dependant, left);
      if (left > 0) continue;
      if (isContainer(graph, dependant)) woken.push(...subtreeOf(graph, dependant));
      else woken.push(dependant);
    }
    const above = numberAt(graph.parent, member);
    if (above === NONE) continue;
    open = withAt(open, above, at(open, above) - 1);
    if (at(open, above) === 0 && isLive(state, graph, above)) containers.push(above);
  }
  let view: View = { ...board.view, waits, open, measure };
  const after: Board = { state, view };
  for (const candidate of woken) if (isReady(after, candidate)) view = offered(view, candidate);
  return { board: { state, view }, containers };
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
  let board: Board = { state, view: countersOf(state, graph) };
  const resolved: number[] = [];
  for (let index = 0; index < graph.ids.length; index++) {
    if (!isContainer(graph, index) || at(board.view.open, index) > 0) continue;
    if (at(board.state.atoms, index).status === "resolved" || !isLive(board.state, graph, index)) continue;
    const step = resolveAtom(board, index, containerBinding(board.state, graph, index));
    board = step.board;
    resolved.push(...step.resolved);
  }
  return { board: { state: board.state, view: viewOf(board.state, graph) }, resolved };
}

const NO_BINDINGS: Readonly<Record<string, Binding>> = {};

/**
 * The bindings of an atom's direct dependencies, by atom id: what replaces them (contraction, SPEC sections 1 and 7). A
 * dependency that waits for a group (FATE-1) is replaced by the choice that made it.
 */
export function bindingsFor(state: State, graph: Graph, index: number): Readonly<Record<string, Binding>> {
  const dependencies = listAt(graph.dependencies, index);
  if (dependencies.length === 0) return NO_BINDINGS;
  // Without a prototype: keys that no other object has would each give it a shape of its own, which is slow and lasts.
  const bindings: Record<string, Binding> = Object.create(null) as Record<string, Binding>;
  for (const dependency of dependencies) {
    const dead = deadGroupOf(state, graph, dependency);
    const groupIndex = dead === NONE ? numberAt(graph.groupOf, dependency) : dead;
    const chosen = groupIndex === NONE ? dependency : graph.indexOf.get(at(state.or_groups, groupIndex).selected);
    const atom = at(state.atoms, chosen ?? dependency);
    if (atom.binding !== undefined) bindings[atom.id] = atom.binding;
  }
  return bindings;
}
