/** `aot atom update` (SPEC section 10): a file of its own, so that the command that is called most loads little. */
import type { Fact } from "./effect.ts";
import { isLive, isRacing } from "./fate.ts";
import { graphOf, isContainer, type Graph } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import type { AtomStatus, State } from "./state.ts";
import { countersOf, resolveAtom, unbound, withAtom } from "./view.ts";
import { at, withAt } from "./vec.ts";
import { waitsFor } from "./waiting.ts";

/** A new state and what it brought about. */
export interface Done {
  readonly state: State;
  readonly facts: readonly Fact[];
}

/** The place of the atom with this id; refused: there is none. */
export function find(graph: Graph, id: string): Result<number> {
  const index = graph.indexOf.get(id);
  return index === undefined ? refused(`there is no atom ${id}`, "list the atoms with `aot status`") : accepted(index);
}

/** pending -> in_progress -> resolved, or back to pending. A resolved atom stays so. */
export function updateAtom(state: State, id: string, status: AtomStatus): Result<Done> {
  const graph = graphOf(state);
  const found = find(graph, id);
  if (!found.ok) return found;
  const index = found.value;
  const atom = at(state.atoms, index);
  if (atom.status === status) return accepted({ state, facts: [] });
  if (atom.status === "resolved")
    return refused(
      `${id} is resolved; it leaves that state only through a redirect`,
      `have it done again with \`aot redirect redo ${id}\`, or overwrite its binding with \`aot redirect rebind ${id} --summary "..."\``,
    );
  if (status === "pending")
    return accepted({
      state: { ...state, atoms: withAt(state.atoms, index, { ...unbound(atom), status }) },
      facts: [],
    });
  const hindrance = atom.status === "pending" ? whyNotExecutable(state, graph, index) : null;
  if (hindrance !== null) return hindrance;
  if (status === "in_progress") return accepted({ state: withAtom(state, index, { status }), facts: [] });
  if (!isLive(state, graph, index))
    return refused(
      `${id} is not selected in its OR group, so nothing would follow from its success`,
      "take it over first: `aot redirect choose GROUP ATOM --reason ...`",
    );
  const { board, resolved } = resolveAtom({ state, view: countersOf(state, graph) }, index, undefined);
  return accepted({
    state: board.state,
    facts: resolved.map((done): Fact => ({
      fact: "atom_resolved",
      atom: graph.ids[done] ?? "",
      measure: board.view.measure,
    })),
  });
}

function whyNotExecutable(
  state: State,
  graph: Graph,
  index: number,
): { readonly ok: false; readonly problems: Extract<Result<never>, { ok: false }>["problems"] } | null {
  const { id, or_group } = at(state.atoms, index);
  if (isContainer(graph, index))
    return refused(`${id} is decomposed: it is never executed, it resolves by itself`, "work its children");
  if (!isLive(state, graph, index) && !isRacing(state, graph, index))
    return refused(
      `${id} is at or below a choice that is not selected${or_group === undefined ? "" : ` in ${or_group}`}`,
      "switch to it first: `aot or switch GROUP ATOM --reason ...`",
    );
  const waits = waitsFor(state, graph, index);
  return waits.length === 0
    ? null
    : refused(`${id} is not executable: it waits for ${waits.join(", ")}`, "resolve what it waits for first");
}
