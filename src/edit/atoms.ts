/** What is done to atoms by hand (SPEC section 10): the operations of the core on the state file. */
import { attemptId, type ProposedAtom } from "../core/event.ts";
import { addAtom, addBinding, markFailed, switchChoice, updateAtom, type Done } from "../core/operations.ts";
import { decompose } from "../core/decompose.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { NewAtom } from "../core/redirect.ts";
import type { AtomStatus, Binding, State } from "../core/state.ts";
import { graphOf } from "../core/graph.ts";
import { BY_HAND } from "../core/journal-line.ts";
import { measureOf } from "../core/view.ts";
import { recallLoop } from "../history/recall-loop.ts";
import { handedOutAttempt } from "../project/session-record.ts";
import { appendByHand, editLoop, type EditedLoop } from "./edit-loop.ts";
import { isoNow } from "../host/clock.ts";

/** Adds a pending atom; a group that does not exist yet is made with it as its selection. */
export function addAtomTo(stateFile: string, atom: NewAtom): Promise<Result<EditedLoop>> {
  return editLoop(stateFile, `atom add ${atom.id}`, (state, now) => {
    const added = addAtom(state, atom, now);
    if (!added.ok) return added;
    const next = added.value.state;
    const measure = measureOf(next, graphOf(next));
    return accepted({ state: next, facts: [{ fact: "atoms_added", atoms: [atom], reason: "by hand", measure }] });
  });
}

/**
 * `pending -> in_progress -> resolved`, or back to pending. Containers above resolve by themselves.
 * @param binding what an atom came to that is resolved by this
 */
export function updateAtomIn(
  stateFile: string,
  id: string,
  status: AtomStatus,
  binding?: Binding,
): Promise<Result<EditedLoop>> {
  return editLoop(stateFile, `atom update ${id}`, (state) => updateAtom(state, id, status, binding));
}

/**
 * A failure with automatic backtracking (SPEC section 7). It is journaled as an attempt, so that its reason is
 * handed on and `max_attempts_per_atom` counts it; an attempt that was handed out to a session was counted then.
 * It is counted under the state file's lock: two failures at once are two attempts.
 */
export async function failAtomIn(stateFile: string, id: string, reason: string): Promise<Result<EditedLoop>> {
  let spent = 0;
  let number = 0;
  /** Null: not journaled yet. */
  let notes: readonly string[] | null = null;
  const change = (state: State, now: string): Result<Done> => {
    if (notes === null) {
      const { attempts } = recallLoop(stateFile).memory;
      // An atom's id may be the name of a property that every object has (`constructor`).
      spent = Object.hasOwn(attempts, id) ? (attempts[id] ?? 0) : 0;
      const atom = state.atoms.find((candidate) => candidate.id === id);
      number = (atom?.status === "in_progress" ? handedOutAttempt(stateFile, id) : null) ?? spent + 1;
    }
    return markFailed(state, id, { reason, attempts: Math.max(number, spent), now });
  };
  const failed = await editLoop(stateFile, `atom fail ${id}`, change, ({ control: { iteration } }) => {
    const line = { time: isoNow(), run: BY_HAND, iteration, atom: id, attempt: attemptId(id, number) };
    const started = number > spent ? [{ ...line, event: "attempt_started", role: "worker" }] : [];
    const lines = [...started, { ...line, event: "attempt_failed", kind: "failed", reason }];
    notes ??= appendByHand(stateFile, lines);
    return accepted(null);
  });
  return failed.ok ? accepted({ ...failed.value, notes: [...failed.value.notes, ...(notes ?? [])] }) : failed;
}

/** What a resolved atom came to. */
export function addBindingTo(stateFile: string, id: string, binding: Binding): Promise<Result<EditedLoop>> {
  return editLoop(stateFile, `binding add ${id}`, (state) => addBinding(state, id, binding));
}

/** Gives up the selected choice of an OR group for another one. */
export function switchChoiceIn(
  stateFile: string,
  group: string,
  choice: string,
  reason: string,
): Promise<Result<EditedLoop>> {
  return editLoop(stateFile, `or switch ${group}`, (state, now) => switchChoice(state, group, choice, { reason, now }));
}

/** Splits an atom; its children take over its dependencies. @returns with the ids that the children got */
export async function decomposeAtomIn(
  stateFile: string,
  id: string,
  children: readonly ProposedAtom[],
  reason: string,
): Promise<Result<EditedLoop & { readonly children: readonly string[] }>> {
  let ids: readonly string[] = [];
  const edited = await editLoop(stateFile, `atom decompose ${id}`, (state, now) => {
    const added = decompose(state, id, children, { reason, now });
    if (!added.ok) return added;
    const next = added.value.state;
    ({ ids } = added.value);
    const measure = measureOf(next, graphOf(next));
    return accepted({ state: next, facts: [{ fact: "atom_decomposed", atom: id, children: ids, measure }] });
  });
  return edited.ok ? accepted({ ...edited.value, children: ids }) : edited;
}
