/** SPEC section 8 said a second time: whose work each redirect ends, by name and from the state alone. */
import type { Redirect } from "../src/core/redirect.ts";
import type { State } from "../src/core/state.ts";
import { boardOf } from "./oracle.ts";

/** @returns whether an atom that is in progress is one whose attempt ends */
export function touchedBy(state: State, redirect: Redirect): (atom: string) => boolean {
  switch (redirect.kind) {
    case "set": {
      const isAnother = state.objective[redirect.field] !== redirect.value;
      return () => isAnother;
    }
    case "limit":
    case "add":
      return () => false;
    case "transaction": {
      const ends = redirect.changes.map((change) => touchedBy(state, change));
      return (atom) => ends.some((isEnded) => isEnded(atom));
    }
    case "change": {
      const atom = state.atoms.find(({ id }) => id === redirect.id);
      const { description, depends_on, criteria } = redirect;
      const isAnother =
        (description !== undefined && description !== atom?.description) ||
        (criteria !== undefined && criteria !== (atom?.criteria ?? "")) ||
        (depends_on !== undefined && depends_on.join() !== atom?.depends_on.join());
      return isAnother ? within(state, redirect.id) : () => false;
    }
    case "confirm":
      return () => false;
    case "reject":
      return () => true;
    case "remove":
      return (atom) => atom === redirect.id;
    case "redo": {
      const isOwn = within(state, redirect.id);
      const builds = waitsFor(state, isOwn);
      return (atom) => isOwn(atom) || builds(atom);
    }
    case "rebind":
      return waitsFor(state, (atom) => atom === redirect.id);
    case "choose": {
      const board = boardOf(state);
      const choiceAt = (atom: string): string | undefined => board.choicesAt(atom).get(redirect.group);
      const builds = waitsFor(state, (atom) => choiceAt(atom) === atom);
      return (atom) => {
        const choice = choiceAt(atom);
        return choice === undefined ? builds(atom) : choice !== redirect.atom;
      };
    }
  }
}

/** The atom and what is below it. */
function within(state: State, id: string): (atom: string) => boolean {
  const board = boardOf(state);
  const isOwn = (atom: string | undefined): boolean =>
    atom !== undefined && (atom === id || isOwn(board.parentOf(atom)));
  return isOwn;
}

/** Whether an atom, or a container above it, depends on one of these, directly or through others. */
function waitsFor(state: State, isMeant: (atom: string) => boolean): (atom: string) => boolean {
  const board = boardOf(state);
  const groups = state.or_groups;
  const named = new Map(board.atoms.map((atom) => [atom.id, atom.depends_on]));
  /** Whose end an atom waits for: its dependencies and those above it, with their rivals and what they were split into. */
  const before = (id: string): readonly string[] => {
    const above = board.parentOf(id);
    const own = (named.get(id) ?? []).flatMap(
      (one) => groups.find(({ choices }) => choices.includes(one))?.choices ?? [one],
    );
    return [...own, ...(above === undefined ? [] : before(above))];
  };
  const parts = (id: string): readonly string[] =>
    board.atoms.flatMap((atom) => (board.parentOf(atom.id) === id ? [atom.id] : []));
  return (atom) => {
    const queue = [...before(atom)];
    for (let next = 0; next < queue.length; next++) {
      const here = queue[next] ?? "";
      if (isMeant(here)) return true;
      for (const one of [...before(here), ...parts(here)]) if (!queue.includes(one)) queue.push(one);
    }
    return false;
  };
}
