/** What differs between two states of a loop, field by field: what `corrections` keeps of a redirect (SPEC section 8). */
import { CONSTRAINTS, OBJECTIVE_FIELDS } from "./redirect.ts";
import type { Atom, FieldChange, State, TrailEntry } from "./state.ts";

/** Old and new value of what a person may change, and what was removed. Empty: nothing of it differs. */
export function changesBetween(before: State, after: State): readonly FieldChange[] {
  if (before === after) return [];
  const [was, is] = [before.objective, after.objective];
  return [
    ...OBJECTIVE_FIELDS.flatMap((field) => changed(field, textOf(was[field]), textOf(is[field]))),
    ...CONSTRAINTS.flatMap((name) =>
      changed(`constraints.${name}`, textOf(was.constraints[name]), textOf(is.constraints[name])),
    ),
    ...atomChanges(before, after),
    ...groupChanges(before, after),
    ...(after.trail.length === 0 ? changed("trail", trailText(before.trail), undefined) : []),
  ];
}

function atomChanges(before: State, after: State): readonly FieldChange[] {
  if (before.atoms === after.atoms) return [];
  const now = new Map(after.atoms.map((atom) => [atom.id, atom]));
  const then = new Map(before.atoms.map((atom) => [atom.id, atom]));
  const all = [...then.values(), ...[...now.values()].filter(({ id }) => !then.has(id))];
  const reopened = [...then.values()].flatMap(({ id, status }) => {
    const { status: current = "resolved" } = now.get(id) ?? {};
    return status === "resolved" && current !== "resolved" ? [id] : [];
  });
  return [
    ...all.flatMap(({ id }) => atomChange(id, then.get(id), now.get(id))),
    ...(reopened.length === 0 ? [] : [{ field: "resolved", old: reopened.join(", ") }]),
  ];
}

function atomChange(id: string, was: Atom | undefined, is: Atom | undefined): readonly FieldChange[] {
  if (was === is) return [];
  if (was === undefined || is === undefined) return changed(`atoms.${id}`, was?.description, is?.description);
  const result =
    was.binding === is.binding || is.binding === undefined
      ? []
      : changed(`bindings.${id}`, textOf(was.binding), textOf(is.binding));
  return [
    ...changed(`atoms.${id}.description`, was.description, is.description),
    ...changed(`atoms.${id}.depends_on`, was.depends_on.join(", "), is.depends_on.join(", ")),
    ...changed(`atoms.${id}.touches`, was.touches?.join(", "), is.touches?.join(", ")),
    ...changed(`atoms.${id}.criteria`, was.criteria, is.criteria),
    ...changed(`atoms.${id}.probe`, was.probe?.toString(), is.probe?.toString()),
    ...result,
  ];
}

function groupChanges(before: State, after: State): readonly FieldChange[] {
  if (before.or_groups === after.or_groups) return [];
  const then = new Map(before.or_groups.map((group) => [group.name, group.selected]));
  return after.or_groups.flatMap(({ name, selected }) =>
    changed(`or_groups.${name}.selected`, then.get(name), selected),
  );
}

function changed(field: string, old: string | undefined, now: string | undefined): readonly FieldChange[] {
  if (old === now) return [];
  return [{ field, ...(old === undefined ? {} : { old }), ...(now === undefined ? {} : { new: now }) }];
}

function textOf(value: object | string | number | undefined): string | undefined {
  return typeof value === "object" ? JSON.stringify(value) : value?.toString();
}

function trailText(trail: readonly TrailEntry[]): string | undefined {
  const entries = trail.map((entry) => ("or_group" in entry ? `${entry.or_group}: ${entry.selected}` : entry.reason));
  return entries.length === 0 ? undefined : entries.join("; ");
}

/**
 * Whether a change has to be in the state file before anything follows from it: structure, selections and the status,
 * which the journal alone could not bring back (SPEC section 8). Statuses of atoms and counters may follow.
 */
export function isUrgent(before: State, after: State): boolean {
  return (
    before.or_groups !== after.or_groups ||
    before.decompositions !== after.decompositions ||
    before.trail !== after.trail ||
    before.corrections !== after.corrections ||
    before.objective !== after.objective ||
    before.atoms.length !== after.atoms.length ||
    before.control.asked !== after.control.asked ||
    before.control.replans !== after.control.replans ||
    before.control.fewest_failing !== after.control.fewest_failing ||
    before.control.status !== after.control.status ||
    before.control.stop_requested !== after.control.stop_requested ||
    before.control.redirect_requested !== after.control.redirect_requested
  );
}
