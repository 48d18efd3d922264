/**
 * A loop as it was at any line of its journal, for looking back (SPEC sections 8 and 10). Pure: the page folds with it.
 *
 * H1 folding every line of a loop's journal gives the statuses, selections, failed choices, decompositions, iteration,
 *    stall count and outcome that its state has;
 * H2 a line that does not fit is passed over: looking back never fails.
 *
 * The journal holds no graph. The newest state is its shape: what a line added is taken away for the beginning, and put
 * back at its line. What was changed by hand in the file alone looks as if it had always been so.
 */
import type { AnyLine } from "../../core/journal-line.ts";
import { reopenAtom, resetSubtree, select } from "../../core/backtrack.ts";
import { applyRedirect } from "../../core/apply-redirect.ts";
import { graphOf, keepGraph } from "../../core/graph.ts";
import type { Redirect } from "../../core/redirect.ts";
import {
  INITIAL_CONTROL,
  type Atom,
  type AtomStatus,
  type Control,
  type OrGroup,
  type State,
} from "../../core/state.ts";
import { at, toArray, vecOf, withAt } from "../../core/vec.ts";
import { settleContainers } from "../../core/view.ts";
import { readRedirect } from "../../statefile/read-redirect.ts";

export interface Frame {
  /** Its objective, trail and corrections are those of the newest state. */
  readonly state: State;
  /** Attempts at work: the atom of each. */
  readonly running: ReadonlyMap<string, string>;
  /** Redirects that were asked for and are not answered. */
  readonly asked: readonly (Redirect | null)[];
  /** The state as it was last written, from which a crash goes on; and what was reopened since. */
  readonly saved: State;
  readonly reopened: readonly string[];
}

/** The frame before the first line. */
export function firstFrame(shape: State, lines: readonly AnyLine[]): Frame {
  const { added, split, touched, groups } = mentions(lines);
  const atoms = toArray(shape.atoms)
    .filter((atom) => !added.has(atom.id))
    .map((atom) => (touched.has(atom.id) ? withStatus(atom, "pending") : atom));
  const there = new Set(atoms.map((atom) => atom.id));
  const state: State = {
    ...shape,
    control: INITIAL_CONTROL,
    atoms: vecOf(atoms),
    decompositions: shape.decompositions.flatMap((known) => {
      if (split.has(known.parent) || !there.has(known.parent)) return [];
      return [{ ...known, children: known.children.filter((child) => there.has(child)) }];
    }),
    or_groups: vecOf(toArray(shape.or_groups).flatMap((group) => groupBefore(group, there, groups))),
  };
  return { state, running: new Map(), asked: [], saved: state, reopened: [] };
}

/** The frame behind a line. H2. @param shape the newest state, which knows what a line only names */
export function nextFrame(frame: Frame, line: AnyLine, shape: State): Frame {
  const event = text(line["event"]);
  const fold = Object.hasOwn(FOLDS, event) ? FOLDS[event] : undefined;
  if (fold === undefined) return frame;
  try {
    return fold(frame, line, shape);
  } catch (error) {
    // It names what is not there, or holds what a later version, or nobody, means by it.
    if (error instanceof RangeError || error instanceof TypeError) return frame;
    throw error;
  }
}

/** What lines tell of the graph: atoms that came later, and everything whose status or selection they change. */
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
    const atom = text(line["atom"]);
    if (atom !== "") touched.add(atom);
    const group = text(line["or_group"]);
    switch (line["event"]) {
      case "run_started":
        asked = [];
        break;
      case "redirect_requested":
        asked.push(redirectIn(line));
        break;
      case "redirect_refused":
        asked.shift();
        break;
      case "redirected": {
        const redirect = asked.shift();
        if (redirect?.kind === "add") added.add(redirect.id);
        break;
      }
      case "atoms_added":
        for (const one of objectsIn(line["atoms"])) added.add(text(one["id"]));
        break;
      case "atom_decomposed":
        split.add(atom);
        for (const id of texts(line["children"])) added.add(id);
        break;
      case "choice_given_up":
      case "choice_selected":
        touched.add(text(line["choice"]));
        // Who was given up first was selected, unless there was a race; the first of all otherwise.
        if (!groups.has(group)) groups.set(group, line["event"] === "choice_given_up" ? text(line["choice"]) : null);
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

type Fold = (frame: Frame, line: AnyLine, shape: State) => Frame;

const ended: Fold = (frame, line) => {
  const attempt = text(line["attempt"]);
  const atom = frame.running.get(attempt);
  if (atom === undefined) return frame;
  const running = new Map(frame.running);
  running.delete(attempt);
  return { ...frame, running, state: changed(frame.state, atom, "pending", "in_progress") };
};

const added: Fold = (frame, line, shape) => {
  return { ...frame, state: withAtoms(frame.state, objectsIn(line["atoms"]), shape) };
};

const FOLDS: Readonly<Record<string, Fold>> = {
  run_started: (frame, line) => {
    const from = line["from"];
    const crashed = from === "crashed";
    const base = crashed ? recoveredFrom(frame) : frame.state;
    const atoms = toArray(base.atoms).map((atom) =>
      atom.status === "in_progress" ? withStatus(atom, "pending") : atom,
    );
    const cleared =
      from === "halted" ? { stop_requested: false, stop_reason: null, outcome: null, stall_count: 0 } : {};
    const control: Control = { ...base.control, ...cleared, status: "running", redirect_requested: false };
    const { state } = settleContainers({ ...base, atoms: vecOf(atoms), control }).board;
    const again = objectsIn(line["integrated"]).map((work) => text(work["atom"]));
    const reopened = frame.reopened.filter((atom) => !again.includes(atom));
    return { ...frame, state, running: new Map(), asked: [], reopened };
  },
  state_saved: (frame) => ({ ...frame, saved: frame.state, reopened: [] }),
  iteration_opened: (frame, line) => withControl(frame, { iteration: count(line["iteration"]) }),
  iteration_judged: (frame, line) => withControl(frame, { stall_count: count(line["stall_count"]) }),
  stop_requested: (frame, line) => withControl(frame, { stop_requested: true, stop_reason: text(line["reason"]) }),
  halted: (frame, line) => {
    const outcome = text(line["outcome"]) as NonNullable<Control["outcome"]>;
    const status = outcome === "verified" ? "completed" : "stopped";
    return withControl(frame, { status, outcome, stop_reason: text(line["message"]) });
  },
  attempt_started: (frame, line) => {
    const [attempt, atom] = [text(line["attempt"]), text(line["atom"])];
    const running = new Map(frame.running).set(attempt, atom);
    return { ...frame, running, state: changed(frame.state, atom, "in_progress", "pending") };
  },
  attempt_failed: ended,
  attempt_aborted: ended,
  attempt_discarded: ended,
  agent_unavailable: ended,
  attempt_integrated: (frame, line) => {
    const attempt = text(line["attempt"]);
    const atom = frame.running.get(attempt);
    const running = new Map(frame.running);
    running.delete(attempt);
    return { ...frame, running, reopened: frame.reopened.filter((other) => other !== atom) };
  },
  probe_feasible: ended,
  split_refused: ended,
  atom_resolved: (frame, line) => ({ ...frame, state: changed(frame.state, text(line["atom"]), "resolved") }),
  atom_reset: (frame, line) => ({
    ...frame,
    state: reopenAtom(frame.state, graphOf(frame.state), indexOf(frame.state, text(line["atom"]))),
    reopened: [...frame.reopened, text(line["atom"])],
  }),
  atoms_added: added,
  atom_decomposed: (frame, line, shape) => {
    const parent = text(line["atom"]);
    const children = texts(line["children"]);
    const known = shape.decompositions.find((split) => split.parent === parent);
    const grown = withAtoms(
      changed(frame.state, parent, "pending"),
      children.map((id) => ({ id })),
      shape,
    );
    const here = { parent, children, reason: known?.reason ?? "" };
    return { ...frame, state: { ...grown, decompositions: [...grown.decompositions, here] } };
  },
  choice_given_up: (frame, line) => {
    const { state } = frame;
    const choice = indexOf(state, text(line["choice"]));
    const cleared = resetSubtree(state, graphOf(state), choice, text(line["time"])).state;
    return { ...frame, state: withFailed(cleared, text(line["or_group"]), text(line["choice"])) };
  },
  choice_selected: (frame, line) => {
    const { state } = frame;
    const name = text(line["or_group"]);
    const choice = text(line["choice"]);
    const group = toArray(state.or_groups).find((one) => one.name === name);
    if (group === undefined || group.selected === choice || !group.choices.includes(choice)) return frame;
    const graph = graphOf(state);
    // After a race, or by a person's hand, nothing of the former one stays.
    const cleared = resetSubtree(state, graph, indexOf(state, group.selected), text(line["time"])).state;
    return { ...frame, state: { ...select(cleared, graph, name, choice, "", "").state, trail: state.trail } };
  },
  redirect_requested: (frame, line) => ({ ...frame, asked: [...frame.asked, redirectIn(line)] }),
  redirect_refused: (frame) => ({ ...frame, asked: frame.asked.slice(1) }),
  redirected: (frame, line) => {
    const [redirect, ...asked] = frame.asked;
    if (redirect === undefined) return frame;
    const { trail, corrections, objective } = frame.state;
    const applied = redirect === null ? null : applyRedirect(frame.state, redirect, text(line["time"]));
    if (applied?.ok !== true) return { ...frame, asked };
    return { ...frame, asked, state: { ...applied.value.state, trail, corrections, objective } };
  },
};

/** Null: the line does not hold one that can be read. */
function redirectIn(line: AnyLine): Redirect | null {
  const read = readRedirect(line["redirect"]);
  return read.ok ? read.value : null;
}

/** A crash goes on from what was written, and from what was reopened since. */
function recoveredFrom({ state, saved, reopened }: Frame): State {
  const open = reopened.reduce(
    (so, atom) => (has(so, atom) ? reopenAtom(so, graphOf(so), indexOf(so, atom)) : so),
    saved,
  );
  const { iteration, stall_count } = state.control;
  return { ...open, control: { ...saved.control, iteration, stall_count } };
}

function withAtoms(state: State, named: readonly AnyLine[], shape: State): State {
  const known = new Map(toArray(shape.atoms).map((atom) => [atom.id, atom]));
  const fresh = named.flatMap((each): Atom[] => {
    const id = text(each["id"]);
    if (id === "" || has(state, id)) return [];
    const atom = known.get(id) ?? {
      id,
      description: text(each["description"]),
      status: "pending" as const,
      depends_on: texts(each["depends_on"]),
    };
    return [withStatus(atom, "pending")];
  });
  if (fresh.length === 0) return state;
  const there = new Set(toArray(state.or_groups).map((group) => group.name));
  const ids = new Set(fresh.map((atom) => atom.id));
  // A group that came with them: others have had choices before.
  const groups = toArray(shape.or_groups).flatMap((group) =>
    there.has(group.name) ? [] : groupBefore(group, ids, new Map()),
  );
  return {
    ...state,
    atoms: vecOf([...toArray(state.atoms), ...fresh]),
    or_groups: groups.length === 0 ? state.or_groups : vecOf([...toArray(state.or_groups), ...groups]),
  };
}

function withFailed(state: State, name: string, choice: string): State {
  const index = toArray(state.or_groups).findIndex((group) => group.name === name);
  if (index < 0) return state;
  const group = at(state.or_groups, index);
  const failed = group.failed.includes(choice) ? group.failed : [...group.failed, choice];
  return { ...state, or_groups: withAt(state.or_groups, index, { ...group, failed }) };
}

/** @param only leaves an atom alone that has another status */
function changed(state: State, id: string, status: AtomStatus, only?: AtomStatus): State {
  if (!has(state, id)) return state;
  const index = indexOf(state, id);
  const atom = at(state.atoms, index);
  if (atom.status === status || (only !== undefined && atom.status !== only)) return state;
  const next = { ...state, atoms: withAt(state.atoms, index, withStatus(atom, status)) };
  keepGraph(state, next);
  return next;
}

function withStatus(atom: Atom, status: AtomStatus): Atom {
  const { binding: _, ...rest } = atom;
  return { ...rest, status };
}

function withControl(frame: Frame, change: Partial<Control>): Frame {
  return { ...frame, state: { ...frame.state, control: { ...frame.state.control, ...change } } };
}

function has(state: State, id: string): boolean {
  return graphOf(state).indexOf.has(id);
}

function indexOf(state: State, id: string): number {
  const index = graphOf(state).indexOf.get(id);
  if (index === undefined) throw new RangeError(`no atom ${id}`);
  return index;
}

function objectsIn(value: unknown): readonly AnyLine[] {
  const isObject = (one: unknown): one is AnyLine => typeof one === "object" && one !== null;
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
