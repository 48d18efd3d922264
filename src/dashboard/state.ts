/** A state as sent to a page: whole, or only its changes (SPEC section 10). Pure. */
import type { AtomStatus, Binding, Control, State } from "../core/state.ts";

/** A change that leaves the graph as it is. `atoms`: those that changed, by index. */
export interface StateChange {
  readonly control: Control;
  readonly atoms: readonly {
    readonly at: number;
    readonly status: AtomStatus;
    readonly binding?: Binding;
  }[];
}

const LONGEST_TEXT = 2_000;
const MOST_ARTIFACTS = 50;

/** The state with its long texts cut. */
export function wireOf(state: State): State {
  const atoms = state.atoms.map((atom) => ({
    ...atom,
    description: cut(atom.description),
    ...(atom.binding === undefined ? {} : { binding: shortened(atom.binding) }),
  }));
  return { ...state, atoms };
}

/** Law: `withChange(before, changeBetween(before, after))` equals `after`. Null: it has to be sent whole. */
export function changeBetween(before: State, after: State): StateChange | null {
  if (structureOf(before) !== structureOf(after)) return null;
  const atoms = after.atoms.flatMap((atom, at) => {
    const old = before.atoms[at];
    if (old !== undefined && old.status === atom.status && isSame(old.binding, atom.binding)) return [];
    return [{ at, status: atom.status, ...(atom.binding === undefined ? {} : { binding: atom.binding }) }];
  });
  return { control: after.control, atoms };
}

export function withChange(before: State, change: StateChange): State {
  const atoms = [...before.atoms];
  for (const { at, status, binding } of change.atoms) {
    const old = atoms[at];
    if (old === undefined) continue;
    const { binding: _, ...rest } = old;
    atoms[at] = { ...rest, status, ...(binding === undefined ? {} : { binding }) };
  }
  return { ...before, control: change.control, atoms };
}

function structureOf({ control: _, ...state }: State): string {
  return JSON.stringify({ ...state, atoms: state.atoms.map(({ status: _s, binding: _b, ...rest }) => rest) });
}

function isSame(left: Binding | undefined, right: Binding | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function shortened({ summary, artifacts }: Binding): Binding {
  return { summary: cut(summary), artifacts: artifacts.slice(0, MOST_ARTIFACTS) };
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} …` : text;
}
