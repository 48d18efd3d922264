/** A person changes an atom that is not resolved (SPEC section 8). */
import { graphOf } from "./graph.ts";
import { accepted, refused, type Result } from "./problem.ts";
import { note, withReason, type Draft } from "./redirect-draft.ts";
import type { Change } from "./redirect.ts";
import type { Atom, State } from "./state.ts";
import { at, withAt } from "./vec.ts";

/** @param change what it does not name stays as it is */
export function changeAtom(
  state: State,
  change: Extract<Change, { kind: "change" }>,
  { reason, now }: { readonly reason: string; readonly now: string },
): Result<Draft> {
  const { id, description, depends_on, touches } = change;
  const index = graphOf(state).indexOf.get(id);
  if (index === undefined) return refused(`there is no atom ${id}`, "list the atoms with `aot status`");
  const atom = at(state.atoms, index);
  if (atom.status === "resolved")
    return refused(
      `${id} is resolved: its work was done as it was described`,
      `have it done again with \`aot redirect redo ${id}\`; both can be one transaction (--from FILE, \`aot redirect edit\`)`,
    );
  const names = (["description", "depends_on", "touches"] as const).filter((field) => change[field] !== undefined);
  if (names.length === 0)
    return refused(`nothing about ${id} is to change`, "give a new description, other dependencies or other touches");
  const { touches: touched, ...rest } = atom;
  const files = touches ?? touched ?? [];
  const next: Atom = {
    ...rest,
    description: description ?? atom.description,
    depends_on: depends_on === undefined || isSame(depends_on, atom.depends_on) ? atom.depends_on : depends_on,
    ...(files.length === 0 ? {} : { touches: files }),
  };
  const what = `${id}: ${names.join(", ")} changed`;
  return accepted({
    state: {
      ...state,
      atoms: withAt(state.atoms, index, next),
      trail: [...state.trail, note(withReason(what, reason), now)],
    },
    description: what,
  });
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, place) => id === other[place]);
}
