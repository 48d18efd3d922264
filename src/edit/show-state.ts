/** A state as the JSON that other programs read (SPEC section 10, seed state-contract: read_state). */
import { graphOf, idAt, type Graph } from "../core/graph.ts";
import type { Atom, Binding, OrGroup, State } from "../core/state.ts";
import { executableOf, measureOf, unbound } from "../core/view.ts";

export interface ShownState {
  readonly status: State["control"]["status"];
  readonly iteration: number;
  readonly stall_count: number;
  readonly prev_pending_count: number;
  /** `M`: what still has to be resolved. */
  readonly measure: number;
  readonly stop_requested: boolean;
  readonly stop_reason: string | null;
  readonly redirect_requested: boolean;
  readonly outcome: string | null;
  readonly session_id: string | null;
  /** Ids, best first. */
  readonly executable_atoms: readonly string[];
  readonly objective: State["objective"];
  readonly atoms: readonly Omit<Atom, "binding">[];
  readonly decompositions: State["decompositions"];
  readonly or_groups: Readonly<Record<string, Omit<OrGroup, "name">>>;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly trail: State["trail"];
  readonly corrections: State["corrections"];
}

export function showState(state: State, graph: Graph = graphOf(state)): ShownState {
  const { control, objective } = state;
  const atoms = state.atoms;
  return {
    status: control.status,
    iteration: control.iteration,
    stall_count: control.stall_count,
    prev_pending_count: control.prev_pending_count,
    measure: measureOf(state, graph),
    stop_requested: control.stop_requested,
    stop_reason: control.stop_reason,
    redirect_requested: control.redirect_requested,
    outcome: control.outcome ?? null,
    session_id: control.session_id ?? null,
    executable_atoms: executableIds(state, graph),
    objective,
    atoms: atoms.map(unbound),
    decompositions: state.decompositions,
    or_groups: Object.fromEntries(state.or_groups.map(({ name, ...group }) => [name, group])),
    bindings: Object.fromEntries(atoms.flatMap(({ id, binding }) => (binding === undefined ? [] : [[id, binding]]))),
    trail: state.trail,
    corrections: state.corrections,
  };
}

/** The atoms that may run now, best first. */
export function executableIds(state: State, graph: Graph): readonly string[] {
  return executableOf(state, graph).map((index) => idAt(graph, index));
}
