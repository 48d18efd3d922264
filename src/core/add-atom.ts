/** A person adds an atom, or an alternative (SPEC section 8). */
import { isExhausted } from "./fate.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { NewAtom } from "./redirect.ts";
import { marksOf, type Atom, type State, type TrailEntry } from "./state.ts";
import { at, withAt } from "./vec.ts";

/** Adds an atom, perhaps as a choice of a group (a new one if the name is new). */
export function withNewAtom(state: State, atom: NewAtom): State {
  const { id, description, depends_on, or_group } = atom;
  const added: Atom = {
    id,
    description,
    status: "pending",
    depends_on,
    ...(or_group === undefined ? {} : { or_group }),
    ...marksOf(atom),
  };
  const grown = { ...state, atoms: [...state.atoms, added] };
  if (or_group === undefined) return grown;
  const groupIndex = state.or_groups.findIndex((group) => group.name === or_group);
  if (groupIndex < 0)
    return { ...grown, or_groups: [...state.or_groups, { name: or_group, choices: [id], selected: id, failed: [] }] };
  const group = at(state.or_groups, groupIndex);
  const choices = [...group.choices, id];
  // A choice stands where its rivals stand: below the same container.
  const decompositions = state.decompositions.map((split) =>
    split.children.includes(group.choices[0] ?? "") ? { ...split, children: [...split.children, id] } : split,
  );
  return {
    ...grown,
    decompositions,
    or_groups: withAt(state.or_groups, groupIndex, {
      ...group,
      choices,
      selected: isExhausted(group) ? id : group.selected,
    }),
  };
}

export function addAtom(state: State, atom: NewAtom, reason: string, now: string): Result<Draft> {
  if (state.atoms.some((other) => other.id === atom.id))
    return refused(`atom ${atom.id} already exists`, "choose an id that is free");
  const grown = withNewAtom(state, atom);
  const description = `added ${atom.id}: ${atom.description}`;
  if (atom.or_group === undefined)
    return accepted({
      state: { ...grown, trail: [...state.trail, note(withReason(description, reason), now)] },
      description,
    });
  const selected = grown.or_groups.find((group) => group.name === atom.or_group)?.selected ?? atom.id;
  const entry: TrailEntry = {
    or_group: atom.or_group,
    selected,
    reason: withReason(description, reason),
    timestamp: now,
  };
  return accepted({
    state: { ...grown, trail: [...state.trail, entry] },
    description: `${description}, a choice of ${atom.or_group}`,
  });
}
