/**
 * What a person, a coordinator or a tool may do to a loop by hand (SPEC section 10, `aot atom`,
 * `binding`, `or`, `state`, `stop`). Each is a function of the state; refused with the reason, never
 * half done.
 */
import { failAtom, giveUp, type Cause } from "./backtrack.ts";
import type { Fact } from "./effect.ts";
import { groupWith } from "./choose-option.ts";
import { firstSelections } from "./decompose.ts";
import { exhaustedGroups, isCounted, isGroupResolved, isLive, isRacing } from "./fate.ts";
import { graphOf, indexIn, isContainer, NONE, numberAt, type Graph } from "./graph.ts";
import { checkInvariants } from "./invariants.ts";
import { accepted, refused, type Refused, type Result } from "./problem.ts";
import { withNewAtom } from "./add-atom.ts";
import type { NewAtom } from "./redirect.ts";
import type { AtomStatus, Binding, Control, State } from "./state.ts";
import { containerBinding, resolveAtom, unbound, viewOf, withAtom } from "./view.ts";
import { at, withAt } from "./vec.ts";
import { waitsFor } from "./schedule.ts";

/** A new state and what it brought about. */
export interface Done {
  readonly state: State;
  readonly facts: readonly Fact[];
}

/** The place of the atom with this id; refused: there is none. */
function find(graph: Graph, id: string): Result<number> {
  const index = graph.indexOf.get(id);
  return index === undefined ? refused(`there is no atom ${id}`, "list the atoms with `aot status`") : accepted(index);
}

/** pending -> in_progress -> resolved, or back to pending. A resolved atom stays so. */
export function updateAtom(state: State, id: string, status: AtomStatus, binding?: Binding): Result<Done> {
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
  const { board, resolved } = resolveAtom({ state, view: viewOf(state, graph) }, index, binding);
  return accepted({
    state: board.state,
    facts: resolved.map((done): Fact => ({
      fact: "atom_resolved",
      atom: graph.ids[done] ?? "",
      measure: board.view.measure,
    })),
  });
}

function whyNotExecutable(state: State, graph: Graph, index: number): Refused | null {
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

function done(state: State, facts: readonly Fact[] = []): Result<Done> {
  const problems = checkInvariants(state);
  return problems.length > 0 ? { ok: false, problems } : accepted({ state, facts });
}

/**
 * `aot atom add`. A group that does not exist yet is made with this atom as its selection, and the trail tells it.
 * @param now ISO 8601
 */
export function addAtom(state: State, atom: NewAtom, now: string): Result<Done> {
  if (state.control.status === "completed")
    return refused("the loop is completed", "start it again with `aot run --restart`");
  if (graphOf(state).indexOf.has(atom.id))
    return refused(`atom ${atom.id} already exists`, "choose an id that is free");
  const grown = withNewAtom(state, atom);
  const selected = grown.or_groups.filter((group) => group.selected === atom.id);
  return done({ ...grown, trail: [...state.trail, ...firstSelections(selected, "added by hand", now)] });
}

/**
 * `aot atom fail`: a failure with automatic backtracking; the loop stops if no alternative is left.
 * @param attempts how many attempts the atom has spent, this one counted
 */
export function markFailed(
  state: State,
  id: string,
  { reason, attempts, now }: { readonly reason: string; readonly attempts: number; readonly now: string },
): Result<Done> {
  const graph = graphOf(state);
  const found = find(graph, id);
  if (!found.ok) return found;
  if (at(state.atoms, found.value).status === "resolved")
    return refused(`${id} is resolved`, "only an atom that is worked on can fail");
  if (isContainer(graph, found.value))
    return refused(`${id} is decomposed: it is never executed`, "report the failure of the child that failed");
  if (!isLive(state, graph, found.value) && !isRacing(state, graph, found.value))
    return refused(`${id} is at or below a choice that is not selected`, "see `aot status`");
  const spent = attempts >= (state.objective.constraints.max_attempts_per_atom ?? Infinity);
  const change = failAtom(state, graph, found.value, { reason, retry: false, spent, now });
  return done(stoppedIfExhausted(change.state, graph), change.facts);
}

function stoppedIfExhausted(state: State, graph: Graph): State {
  const exhausted = exhaustedGroups(state, graph);
  if (exhausted.length === 0) return state;
  return {
    ...state,
    control: {
      ...state.control,
      status: "stopped",
      stop_reason: `OR group exhausted: ${exhausted.join(", ")}`,
      outcome: "or_group_exhausted",
    },
  };
}

/** `aot binding add`: what a resolved atom came to. */
export function addBinding(state: State, id: string, binding: Binding): Result<Done> {
  const graph = graphOf(state);
  const found = find(graph, id);
  if (!found.ok) return found;
  const atom = at(state.atoms, found.value);
  if (atom.status !== "resolved")
    return refused(
      `${id} is ${atom.status}: a binding belongs to a resolved atom`,
      `first \`aot atom update ${id} resolved\``,
    );
  if (atom.binding !== undefined && JSON.stringify(atom.binding) !== JSON.stringify(binding))
    return refused(
      `${id} already has a binding`,
      `overwrite it with \`aot redirect rebind ${id} --summary "..."\`, which reopens what depends on it`,
    );
  let next = withAtom(state, found.value, { binding });
  // Containers that resolved by themselves carry the union of their children's artifacts.
  for (let above = numberAt(graph.parent, found.value); above !== NONE; above = numberAt(graph.parent, above)) {
    if (at(next.atoms, above).status === "resolved")
      next = withAtom(next, above, { binding: containerBinding(next, graph, above) });
  }
  return accepted({ state: next, facts: [] });
}

/** `aot or switch`: the selected choice is given up for this one. */
export function switchChoice(state: State, groupName: string, choice: string, { reason, now }: Cause): Result<Done> {
  const graph = graphOf(state);
  const found = groupWith(state, graph, groupName, choice);
  if (!found.ok) return found;
  const { group, groupIndex } = found.value;
  if (group.selected === choice) return refused(`${choice} is already selected in ${groupName}`, "nothing to switch");
  if (group.failed.includes(choice))
    return refused(
      `${choice} has failed in ${groupName}`,
      `force it: \`aot redirect choose ${groupName} ${choice} --reason ...\``,
    );
  if (isGroupResolved(state, graph, groupIndex))
    return refused(
      `${groupName} is resolved by ${group.selected}`,
      `force another choice, which reopens what was built on it: \`aot redirect choose ${groupName} ${choice}\``,
    );
  // The wanted choice is the first one that has not failed, so that giving up the selected one leads to it.
  const first = { ...group, choices: [choice, ...group.choices.filter((other) => other !== choice)] };
  const change = giveUp(
    { ...state, or_groups: withAt(state.or_groups, groupIndex, first) },
    graph,
    indexIn(graph, group.selected),
    { reason, now },
  );
  const after = at(change.state.or_groups, groupIndex);
  return done(
    { ...change.state, or_groups: withAt(change.state.or_groups, groupIndex, { ...after, choices: group.choices }) },
    change.facts,
  );
}

/** `aot stop`: asks the running loop to stop. */
export function requestStop(state: State, reason: string): Result<Done> {
  if (state.control.status !== "running")
    return refused(`the loop is ${state.control.status}, not running`, "there is nothing to stop");
  return accepted({
    state: {
      ...state,
      control: {
        ...state.control,
        stop_requested: true,
        stop_reason: reason === "" ? state.control.stop_reason : reason,
      },
    },
    facts: [],
  });
}

/**
 * `aot state set-status`. `completed` is set only together with a verdict of true (SPEC section 6).
 * @param verified whether the base case was just verified, and how it ended if not
 */
export function setStatus(
  state: State,
  status: "running" | "stopped" | "completed",
  reason: string | null,
  verified: boolean,
): Result<Done> {
  const { control } = state;
  if (control.status === status) return accepted({ state, facts: [] });
  if (control.status === "completed")
    return refused("the loop is completed, which is final", "start it again with `aot run --restart`");
  switch (status) {
    case "running":
      return accepted({ state: { ...state, control: resumed(control) }, facts: [] });
    case "stopped":
      return accepted({ state: { ...state, control: { ...control, status, stop_reason: reason } }, facts: [] });
    case "completed": {
      if (!verified) return refused("the base case is not verified", "see what fails with `aot verify`");
      const open = openAtoms(state);
      if (open.length > 0)
        return refused(
          `the base case is met, but ${open.length === 1 ? "an atom is" : `${open.length} atoms are`} open: ${open.slice(0, 10).join(", ")}`,
          "resolve what is done with `aot atom update ID resolved`, and take out what is not needed with `aot redirect remove ID`",
        );
      return accepted({
        state: { ...state, control: { ...control, status, stop_reason: null, outcome: "verified" } },
        facts: [],
      });
    }
  }
}

/** Atoms that count and are not resolved, by id. */
function openAtoms(state: State): readonly string[] {
  const graph = graphOf(state);
  return graph.ids.filter((_, index) => isCounted(state, graph, index));
}

/** SPEC section 8: a person takes a halted loop up again. */
function resumed(control: Control): Control {
  if (control.status !== "stopped") return { ...control, status: "running" };
  return { ...control, status: "running", stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 };
}

export interface Gate {
  readonly ready: boolean;
  readonly missing: readonly string[];
  readonly status: Control["status"];
}

/** `aot state gate`: whether the loop may be entered (SPEC section 14: pending and stopped). */
export function gateOf(state: State): Gate {
  const missing: string[] = [];
  for (const field of ["goal", "background_intent", "deliverables", "definition_of_done"] as const) {
    if (state.objective[field].trim() === "") missing.push(`objective.${field}`);
  }
  const { status } = state.control;
  if (status !== "pending" && status !== "stopped") missing.push(`control.status is ${status}, not pending or stopped`);
  return { ready: missing.length === 0, missing, status };
}

/** `--restart`: the same goal and graph from the beginning. */
export function restarted(state: State): State {
  let { atoms, or_groups } = state;
  for (let index = 0; index < atoms.length; index++)
    atoms = withAt(atoms, index, { ...unbound(at(atoms, index)), status: "pending" });
  for (let index = 0; index < or_groups.length; index++) {
    const group = at(or_groups, index);
    or_groups = withAt(or_groups, index, { ...group, failed: [], selected: group.choices[0] ?? group.selected });
  }
  const { low_water: _, fewest_failing: __, replans: ___, asked: ____, ...kept } = state.control;
  const control: Control = {
    ...kept,
    status: "pending",
    iteration: 0,
    stall_count: 0,
    prev_pending_count: -1,
    stop_requested: false,
    stop_reason: null,
    redirect_requested: false,
    outcome: null,
  };
  return { ...state, atoms, or_groups, trail: [], control };
}
