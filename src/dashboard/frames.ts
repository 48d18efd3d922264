/**
 * Reconstructs a loop's state at any line of its journal, for looking back (SPEC sections 8 and 10). Pure; runs in the page.
 *
 * FRAMES-1 folding every line of a loop's journal gives the statuses, selections, failed choices, decompositions,
 *    iteration, stall count and outcome that its state has;
 * FRAMES-2 a line that cannot be applied is skipped: looking back never fails.
 *
 * The journal does not hold the graph. So the first frame is the newest state (`shape`) without all that lines added, and each
 * addition comes back at its line. Changes made by hand in the state file appear to have been there from the start.
 */
import type { AnyLine, JournalLine, LineOf } from "../core/journal-line.ts";
import { reopenAtom, resetSubtree, select } from "../core/backtrack.ts";
import { applyRedirect } from "../core/apply-redirect.ts";
import { isKnown } from "../core/decode-line.ts";
import type { ProposedAtom } from "../core/event.ts";
import { graphOf } from "../core/graph.ts";
import { changesOf, type Redirect } from "../core/redirect.ts";
import { INITIAL_CONTROL, type Atom, type AtomStatus, type Control, type OrGroup, type State } from "../core/state.ts";
import { at, withAt } from "../core/vec.ts";
import { settleContainers } from "../core/view.ts";
import { readRedirect } from "../statefile/read-redirect.ts";

export interface Frame {
  /** Objective, trail and corrections are always those of the newest state. */
  readonly state: State;
  /** Atom by running attempt. */
  readonly running: ReadonlyMap<string, string>;
  /** Redirects that were requested but neither applied nor refused yet; null: unreadable. */
  readonly asked: readonly (Redirect | null)[];
  /** The state as last saved, from which a run goes on after a crash, and the atoms reopened since. */
  readonly saved: State;
  readonly reopened: readonly string[];
}

/** The frame before the first line. */
export function firstFrame(shape: State, lines: readonly AnyLine[]): Frame {
  const { added, split, touched, groups } = mentions(lines);
  const atoms = shape.atoms
    .filter((atom) => !added.has(atom.id))
    .map((atom) => (touched.has(atom.id) ? withStatus(atom, "pending") : atom));
  const there = new Set(atoms.map((atom) => atom.id));
  const state: State = {
    ...shape,
    control: INITIAL_CONTROL,
    atoms,
    decompositions: shape.decompositions.flatMap((known) => {
      if (split.has(known.parent) || !there.has(known.parent)) return [];
      return [{ ...known, children: known.children.filter((child) => there.has(child)) }];
    }),
    or_groups: shape.or_groups.flatMap((group) => groupBefore(group, there, groups)),
  };
  return { state, running: new Map(), asked: [], saved: state, reopened: [] };
}

/** The frame after a line. FRAMES-2. @param shape the newest state, with details of what a line only names */
export function nextFrame(frame: Frame, line: AnyLine, shape: State): Frame {
  try {
    return isKnown(line) ? after(frame, line, shape) : frame;
  } catch (error) {
    // The line names an atom that does not exist.
    if (error instanceof RangeError) return frame;
    throw error;
  }
}

/** What lines add to the graph, and the atoms and groups whose status or selection they change. */
function mentions(lines: readonly AnyLine[]): {
  readonly added: ReadonlySet<string>;
  readonly split: ReadonlySet<string>;
  readonly touched: ReadonlySet<string>;
  readonly groups: ReadonlyMap<string, string | null>;
} {
  const added = new Set<string>();
  const split = new Set<string>();
  const touched = new Set<string>();
  const groups = new Map<string, string | null>();
  let asked: (Redirect | null)[] = [];
  for (const line of lines) {
    if (!isKnown(line)) continue;
    if (line.atom !== undefined) touched.add(line.atom);
    switch (line.event) {
      case "run_started":
        asked = [];
        break;
      case "redirect_requested":
        asked.push(redirectIn(line.redirect));
        break;
      case "redirect_refused":
        asked.shift();
        break;
      case "redirected": {
        const redirect = asked.shift();
        for (const change of redirect == null ? [] : changesOf(redirect))
          if (change.kind === "add") added.add(change.id);
        break;
      }
      case "atoms_added":
        for (const { id = "" } of line.atoms) added.add(id);
        break;
      case "atom_decomposed":
        split.add(line.atom);
        for (const id of line.children) added.add(id);
        break;
      case "choice_given_up":
      case "choice_selected":
        touched.add(line.choice);
        // The choice that was given up first had been selected (groupBefore handles races).
        if (!groups.has(line.or_group))
          groups.set(line.or_group, line.event === "choice_given_up" ? line.choice : null);
        break;
    }
  }
  return { added, split, touched, groups };
}

function groupBefore(
  group: OrGroup,
  there: ReadonlySet<string>,
  mentioned: ReadonlyMap<string, string | null>,
): OrGroup[] {
  const choices = group.choices.filter((choice) => there.has(choice));
  const [first] = choices;
  if (first === undefined) return [];
  if (!mentioned.has(group.name) && choices.length === group.choices.length) return [group];
  const given = mentioned.get(group.name) ?? first;
  const selected = group.speculative !== true && choices.includes(given) ? given : first;
  return [{ ...group, choices, failed: [], selected }];
}

function after(frame: Frame, line: JournalLine, shape: State): Frame {
  const { state } = frame;
  switch (line.event) {
    case "run_started":
      return begun(frame, line);
    case "state_saved":
      return { ...frame, saved: state, reopened: [] };
    case "iteration_opened":
      return withControl(frame, { iteration: line.iteration });
    case "iteration_judged":
      return withControl(frame, { stall_count: line.stall_count });
    case "stop_requested":
      return withControl(frame, { stop_requested: true, stop_reason: line.reason });
    case "halted": {
      const { outcome, message: stop_reason } = line;
      return withControl(frame, { status: outcome === "verified" ? "completed" : "stopped", outcome, stop_reason });
    }
    case "attempt_started": {
      const running = new Map(frame.running).set(line.attempt, line.atom);
      return { ...frame, running, state: changed(state, line.atom, "in_progress", "pending") };
    }
    case "attempt_failed":
    case "attempt_aborted":
    case "attempt_discarded":
    case "agent_unavailable":
    case "probe_feasible":
    case "split_refused": {
      const atom = frame.running.get(line.attempt);
      if (atom === undefined) return frame;
      return { ...frame, running: without(frame, line), state: changed(state, atom, "pending", "in_progress") };
    }
    case "attempt_integrated": {
      const atom = frame.running.get(line.attempt);
      return {
        ...frame,
        running: without(frame, line),
        reopened: frame.reopened.filter((other) => other !== atom),
      };
    }
    case "atom_resolved":
      return { ...frame, state: changed(state, line.atom, "resolved") };
    case "atom_reset": {
      const open = reopenAtom(state, graphOf(state), indexOf(state, line.atom));
      return { ...frame, state: open, reopened: [...frame.reopened, line.atom] };
    }
    case "atoms_added":
      return { ...frame, state: withAtoms(state, line.atoms, shape) };
    case "atom_decomposed":
      return decomposed(frame, line, shape);
    case "choice_given_up": {
      const cleared = resetSubtree(state, graphOf(state), indexOf(state, line.choice), line.time).state;
      return { ...frame, state: withFailed(cleared, line.or_group, line.choice) };
    }
    case "choice_selected":
      return selected(frame, line);
    case "redirect_requested":
      return { ...frame, asked: [...frame.asked, redirectIn(line.redirect)] };
    case "redirect_refused":
      return { ...frame, asked: frame.asked.slice(1) };
    case "redirected":
      return redirected(frame, line);
    default:
      return frame;
  }
}

function without({ running }: Frame, { attempt }: { readonly attempt: string }): Frame["running"] {
  const rest = new Map(running);
  rest.delete(attempt);
  return rest;
}

function begun(frame: Frame, { from, integrated = [] }: LineOf<"run_started">): Frame {
  const base = from === "crashed" ? recoveredFrom(frame) : frame.state;
  const atoms = base.atoms.map((atom) => (atom.status === "in_progress" ? withStatus(atom, "pending") : atom));
  const cleared = from === "halted" ? { stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 } : {};
  const control: Control = { ...base.control, ...cleared, status: "running", redirect_requested: false };
  const { state } = settleContainers({ ...base, atoms, control }).board;
  const reopened = frame.reopened.filter((atom) => !integrated.some((work) => work.atom === atom));
  return { ...frame, state, running: new Map(), asked: [], reopened };
}

function decomposed(frame: Frame, { atom: parent, children }: LineOf<"atom_decomposed">, shape: State): Frame {
  const known = shape.decompositions.find((split) => split.parent === parent);
  const named = children.map((id) => ({ id, description: "" }));
  const grown = withAtoms(changed(frame.state, parent, "pending"), named, shape);
  const here = { parent, children, reason: known?.reason ?? "" };
  return { ...frame, state: { ...grown, decompositions: [...grown.decompositions, here] } };
}

function selected(frame: Frame, { or_group, choice, time }: LineOf<"choice_selected">): Frame {
  const { state } = frame;
  const group = state.or_groups.find(({ name }) => name === or_group);
  if (group === undefined || group.selected === choice || !group.choices.includes(choice)) return frame;
  const graph = graphOf(state);
  // After a race or a person's change, nothing of the former choice remains.
  const cleared = resetSubtree(state, graph, indexOf(state, group.selected), time).state;
  return {
    ...frame,
    state: {
      ...select(cleared, graph, { groupName: or_group, choice }, { reason: "", now: "" }).state,
      trail: state.trail,
    },
  };
}

function redirected(frame: Frame, { time }: LineOf<"redirected">): Frame {
  const [redirect, ...asked] = frame.asked;
  if (redirect === undefined) return frame;
  const { trail, corrections, objective } = frame.state;
  const applied = redirect === null ? null : applyRedirect(frame.state, redirect, time);
  if (applied?.ok !== true) return { ...frame, asked };
  return { ...frame, asked, state: { ...applied.value.state, trail, corrections, objective } };
}

/** Null: it cannot be read. */
function redirectIn(value: Redirect): Redirect | null {
  const read = readRedirect(value);
  return read.ok ? read.value : null;
}

/** After a crash the saved state counts, except for atoms reopened since. */
function recoveredFrom({ state, saved, reopened }: Frame): State {
  const open = reopened.reduce(
    (so, atom) => (has(so, atom) ? reopenAtom(so, graphOf(so), indexOf(so, atom)) : so),
    saved,
  );
  const { iteration, stall_count } = state.control;
  return { ...open, control: { ...saved.control, iteration, stall_count } };
}

function withAtoms(state: State, named: readonly ProposedAtom[], shape: State): State {
  const known = new Map(shape.atoms.map((atom) => [atom.id, atom]));
  const fresh = named.flatMap(({ id = "", description, depends_on = [] }): Atom[] => {
    if (id === "" || has(state, id)) return [];
    return [withStatus(known.get(id) ?? { id, description, status: "pending", depends_on }, "pending")];
  });
  if (fresh.length === 0) return state;
  const there = new Set(state.or_groups.map((group) => group.name));
  const ids = new Set(fresh.map((atom) => atom.id));
  // Only groups made of these atoms are new: any other group had choices before.
  const groups = shape.or_groups.flatMap((group) => (there.has(group.name) ? [] : groupBefore(group, ids, new Map())));
  return {
    ...state,
    atoms: [...state.atoms, ...fresh],
    or_groups: groups.length === 0 ? state.or_groups : [...state.or_groups, ...groups],
  };
}

function withFailed(state: State, name: string, choice: string): State {
  const index = state.or_groups.findIndex((group) => group.name === name);
  if (index < 0) return state;
  const group = at(state.or_groups, index);
  const failed = group.failed.includes(choice) ? group.failed : [...group.failed, choice];
  return { ...state, or_groups: withAt(state.or_groups, index, { ...group, failed }) };
}

/** @param only change the atom only if it has this status */
function changed(state: State, id: string, status: AtomStatus, only?: AtomStatus): State {
  if (!has(state, id)) return state;
  const index = indexOf(state, id);
  const atom = at(state.atoms, index);
  if (atom.status === status || (only !== undefined && atom.status !== only)) return state;
  return { ...state, atoms: withAt(state.atoms, index, withStatus(atom, status)) };
}

function withStatus(atom: Atom, status: AtomStatus): Atom {
  const { binding: _, ...rest } = atom;
  return { ...rest, status };
}

function withControl(frame: Frame, change: Partial<Control>): Frame {
  return { ...frame, state: { ...frame.state, control: { ...frame.state.control, ...change } } };
}

function has(state: State, id: string): boolean {
  return state.atoms.some((atom) => atom.id === id);
}

function indexOf(state: State, id: string): number {
  const index = state.atoms.findIndex((atom) => atom.id === id);
  if (index < 0) throw new RangeError(`no atom ${id}`);
  return index;
}
