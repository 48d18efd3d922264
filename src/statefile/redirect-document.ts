/**
 * What a person may change of a loop, as one YAML text (SPEC section 8): `aot redirect edit` shows it, `aot redirect --from`
 * reads it. What is not in it stays as it is.
 */
import { CONSTRAINTS, OBJECTIVE_FIELDS, type Change, type ObjectiveField, type Transaction } from "../core/redirect.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { marksOf, type Atom, type Constraints, type Marks, type Objective, type State } from "../core/state.ts";
import { FILLED, list, may, need, record, TEXT, TEXTS, WORD, WORDS } from "./field-types.ts";
import { objectiveType } from "./read-redirect.ts";
import { readYamlValue } from "./read-yaml-value.ts";
import { renderEntry } from "./render.ts";
import { isSame } from "./same.ts";
import { LIMITS, MARKS, OBJECTIVE } from "./schema.ts";

type Settled = Partial<Readonly<Pick<Objective, ObjectiveField>>>;
type OpenAtom = Pick<Atom, "id" | "or_group"> & Marks & Partial<Pick<Atom, "description" | "depends_on">>;

export interface RedirectDocument extends Settled {
  readonly reason?: string;
  /** Null unsets a limit. */
  readonly limits?: Partial<Readonly<Record<keyof Constraints, string | number | null>>>;
  readonly atoms?: readonly OpenAtom[];
  readonly choose?: readonly { readonly group: string; readonly atom: string }[];
  readonly rebind?: readonly {
    readonly id: string;
    readonly summary: string;
    readonly artifacts?: readonly string[];
  }[];
  readonly redo?: readonly string[];
  readonly remove?: readonly string[];
}

const ATOM = record({
  id: need(WORD, "Its id; a new one adds an atom."),
  description: may(FILLED, "What is to be done."),
  depends_on: may(WORDS, "Atoms that must be met first."),
  or_group: may(WORD, "Of a new atom: the OR group it is a choice of."),
  ...MARKS,
});

const LIMIT_FIELDS = [...LIMITS].map(([name, type]) => [name, { ...may(type, ""), nullable: true as const }] as const);

const DOCUMENT = record({
  reason: may(TEXT, "Why; kept in the loop's corrections."),
  ...Object.fromEntries(
    OBJECTIVE_FIELDS.map((field) => [field, may(objectiveType(field), OBJECTIVE.fields[field]?.doc ?? "")]),
  ),
  limits: may(record(Object.fromEntries(LIMIT_FIELDS)), "The loop's limits."),
  atoms: may(list(ATOM), "Open atoms."),
  choose: may(
    list(record({ group: need(WORD, "The OR group."), atom: need(WORD, "Its choice from now on.") })),
    "Choices of OR groups.",
  ),
  rebind: may(
    list(
      record({
        id: need(WORD, "A resolved atom."),
        summary: need(FILLED, "Its result in words."),
        artifacts: may(TEXTS, "Files of the result."),
      }),
    ),
    "Results that are replaced.",
  ),
  redo: may(WORDS, "Resolved atoms to be done again."),
  remove: may(WORDS, "Open atoms to be removed."),
});

/** Everything that can be changed, as it is. */
export function documentOf(state: State): RedirectDocument {
  const { objective } = state;
  const texts = Object.fromEntries(
    OBJECTIVE_FIELDS.flatMap((field) => (objective[field] === undefined ? [] : [[field, objective[field]]])),
  );
  const atoms = state.atoms.flatMap(({ id, description, depends_on, or_group, status, ...marks }) =>
    status === "resolved"
      ? []
      : [{ id, description, depends_on, ...(or_group === undefined ? {} : { or_group }), ...marksOf(marks) }],
  );
  return { ...texts, limits: objective.constraints, atoms };
}

export function documentText(document: RedirectDocument): string {
  return Object.entries(DOCUMENT.fields)
    .flatMap(([name, { type }]) => {
      const value = document[name as keyof RedirectDocument];
      return value === undefined ? [] : renderEntry(name, type, value, 0);
    })
    .join("\n")
    .concat("\n");
}

export function readDocument(text: string): Result<RedirectDocument> {
  return readYamlValue(text, DOCUMENT, "a redirect") as Result<RedirectDocument>;
}

/**
 * The transaction that makes of `was` what `wanted` says.
 * @param gone what becomes of atoms that `wanted` does not name: removed, or nothing
 */
export function transactionFor(
  wanted: RedirectDocument,
  was: RedirectDocument,
  gone: "removed" | "kept",
): Result<Transaction> {
  const changes: Change[] = [];
  for (const field of OBJECTIVE_FIELDS) {
    const value = wanted[field];
    if (value !== undefined && !isSame(value, was[field])) changes.push({ kind: "set", field, value, reason: "" });
  }
  for (const constraint of CONSTRAINTS) {
    const value = wanted.limits?.[constraint];
    if (value !== undefined && value !== (was.limits?.[constraint] ?? null))
      changes.push({ kind: "limit", constraint, value, reason: "" });
  }
  for (const one of wanted.choose ?? []) changes.push({ kind: "choose", ...one, reason: "" });
  for (const { id, summary, artifacts = [] } of wanted.rebind ?? [])
    changes.push({ kind: "rebind", id, binding: { summary, artifacts }, reason: "" });
  for (const id of wanted.redo ?? []) changes.push({ kind: "redo", id, reason: "" });
  for (const id of wanted.remove ?? []) changes.push({ kind: "remove", id, reason: "" });
  const atoms = atomChanges(wanted, was, gone);
  if (!atoms.ok) return atoms;
  return accepted({ kind: "transaction", changes: [...changes, ...atoms.value], reason: wanted.reason ?? "" });
}

/**
 * What of `wanted` differs from `was`, and what it leaves out as to be removed: it asks for the same of a loop that went on
 * meanwhile.
 */
export function differenceOf(wanted: RedirectDocument, was: RedirectDocument): RedirectDocument {
  const differs = ([name, value]: [string, unknown]): boolean => !isSame(value, was[name as keyof RedirectDocument]);
  const { atoms, limits, ...texts } = wanted;
  const before = new Map((was.atoms ?? []).map((atom) => [atom.id, atom]));
  const named = new Set(atoms?.map(({ id }) => id));
  const gone = atoms === undefined ? [] : [...before.keys()].filter((id) => !named.has(id));
  const changed = Object.entries(limits ?? {}).filter(
    ([name, limit]) => limit !== (was.limits?.[name as keyof Constraints] ?? null),
  );
  return {
    ...Object.fromEntries(Object.entries(texts).filter(differs)),
    limits: Object.fromEntries(changed),
    atoms: (atoms ?? []).filter((atom) => !isSame(atom, before.get(atom.id))),
    remove: [...(wanted.remove ?? []), ...gone],
  };
}

function atomChanges(
  { atoms, redo = [] }: RedirectDocument,
  was: RedirectDocument,
  gone: "removed" | "kept",
): Result<readonly Change[]> {
  if (atoms === undefined) return accepted([]);
  const known = new Map((was.atoms ?? []).map((atom) => [atom.id, atom]));
  const changes: Change[] = [];
  for (const atom of atoms) {
    const before = known.get(atom.id);
    const change = before === undefined && !redo.includes(atom.id) ? added(atom) : changed(atom, before);
    if (!change.ok) return change;
    changes.push(...change.value);
  }
  const named = new Set(atoms.map(({ id }) => id));
  if (gone === "removed")
    for (const id of known.keys()) if (!named.has(id)) changes.push({ kind: "remove", id, reason: "" });
  return accepted(changes);
}

function added({ id, description, depends_on = [], ...more }: OpenAtom): Result<readonly Change[]> {
  if (description === undefined)
    return refused(`there is no open atom ${id}, and a new one needs a description`, "say what is to be done");
  return accepted([{ kind: "add", id, description, depends_on, ...more, reason: "" }]);
}

const UNMARKED: Required<Marks> = { probe: false, touches: [], criteria: "" };

function changed({ id, or_group, ...wanted }: OpenAtom, before: OpenAtom | undefined): Result<readonly Change[]> {
  if (before !== undefined && or_group !== undefined && or_group !== before.or_group)
    return refused(`the group of ${id} cannot be changed`, "add another atom to that group, and remove this one");
  const was: Readonly<Record<string, unknown>> = { ...UNMARKED, ...before };
  const other = Object.entries(wanted).filter(([name, value]) => !isSame(value, was[name]));
  const change: Change = { kind: "change", id, ...Object.fromEntries(other), reason: "" };
  return accepted(other.length > 0 ? [change] : []);
}
