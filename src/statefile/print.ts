/**
 * State to text, by splicing: only the source ranges of what changed are written, the rest is not re-rendered
 * (SPEC section 2: an operation changes the lines that it must and no others).
 *
 * PRINT-1 printing the state that was read gives the text that was read;
 * PRINT-2 reading what was printed gives the state that was printed;
 * PRINT-3 a line that holds no changed value stays as it is: comments, key order, unknown keys, quotes, line endings.
 */
import { accepted, type Result } from "../core/problem.ts";
import type { Atom, Binding, OrGroup, State } from "../core/state.ts";
import { at, changedIndices } from "../core/vec.ts";
import { align, type Alignment } from "./align.ts";
import { assignEntry } from "./assign.ts";
import { editChildren, type Insertion } from "./children.ts";
import { diffEntry, diffList, diffRows, isOpen, newEntry, type Row } from "./diff.ts";
import type { StateDocument } from "./document.ts";
import { applyEdits, emptyPatch, type Patch } from "./edits.ts";
import { content } from "./node.ts";
import { isSame } from "./same.ts";
import { STATE } from "./schema.ts";

interface Printing {
  readonly patch: Patch;
  readonly document: StateDocument;
  /** Sections that the file does not have yet. */
  readonly created: Insertion[];
}

/**
 * The document's text with `next` in the place of its state. The caller has checked `next` (`checkInvariants`).
 *
 * Refused (`refused`, with path and place): an edit inside a value that an alias shows elsewhere, under an explicit
 * tag, or in a form that has no line of its own. Then nothing is to be written.
 */
export function printState(document: StateDocument, next: State): Result<string> {
  if (next === document.state) return accepted(document.text);
  const { state, text, root } = document;
  const atoms = alignAtoms(state.atoms, next.atoms);
  const bindings = atoms === undefined ? [] : bindingRows(state, next, atoms);
  const printing: Printing = { patch: emptyPatch(text), document, created: [] };
  printSection(printing, "objective", { before: state.objective, after: next.objective });
  printSection(printing, "control", { before: state.control, after: next.control });
  if (atoms !== undefined) printAtoms(printing, next, atoms);
  printSection(
    printing,
    "decompositions",
    { before: state.decompositions, after: next.decompositions },
    (item) => (item as { parent: string }).parent,
  );
  printGroups(printing, next);
  printTable(printing, "bindings", bindings, () => bindingPairs(next));
  printSection(printing, "trail", { before: state.trail, after: next.trail });
  printSection(printing, "corrections", { before: state.corrections, after: next.corrections });
  if (isOpenFor(printing))
    editChildren(printing.patch, { node: root, entry: undefined, trace: undefined }, [], printing.created);
  return applyEdits(printing.patch);
}

function isOpenFor({ patch, document, created }: Printing): boolean {
  return created.length > 0 && isOpen(patch, document.root, undefined);
}

type Section = keyof typeof STATE.fields;

function fieldOf(name: Section) {
  const field = STATE.fields[name];
  if (field === undefined) throw new Error(`no section ${name}`);
  return field;
}

function printSection(
  printing: Printing,
  name: Section,
  { before, after }: { readonly before: unknown; readonly after: unknown },
  keyOf?: (item: unknown) => unknown,
): void {
  if (isSame(before, after)) return;
  const { patch, document } = printing;
  const { root } = document;
  const index = root.indexOf(name);
  const field = fieldOf(name);
  if (index < 0) return create(printing, name, after);
  const entry = root.entry(index);
  const node = content(entry.value);
  const trace = { up: undefined, key: name };
  if (keyOf !== undefined && node.kind === "sequence" && node.size > 0 && field.type.kind === "list") {
    const lists = [before as unknown[], after as unknown[]] as const;
    if (isOpen(patch, entry.value, trace))
      diffList(
        patch,
        { node, entry, trace },
        { type: field.type, before: (i) => lists[0][i], after: (j) => lists[1][j] },
        align(...lists, keyOf),
      );
  } else diffEntry(patch, entry, field, { before, after, flow: root.flow, trace });
}

/** A section that was absent goes behind the section that the schema has before it. */
function create({ document, created }: Printing, name: Section, value: unknown): void {
  const names = Object.keys(STATE.fields);
  const places = names.slice(0, names.indexOf(name)).map((before) => document.root.indexOf(before));
  const place = places.findLast((index) => index >= 0) ?? document.root.size - 1;
  created.push(newEntry(name, fieldOf(name).type, value, place));
}

// ── atoms ───────────────────────────────────────────────────────────────────

/** What became of the atoms; undefined: nothing. */
function alignAtoms(before: readonly Atom[], after: readonly Atom[]): Alignment | undefined {
  if (before === after) return undefined;
  const differing = changedIndices(before, after);
  const paired = differing.filter((index) => index < before.length && index < after.length);
  const inPlace =
    after.length >= before.length && paired.every((index) => at(before, index).id === at(after, index).id);
  if (!inPlace) return align(before, after, (atom) => (atom as Atom).id);
  const changed = paired
    .filter((index) => !isSame(at(before, index), at(after, index)))
    .map((index) => [index, index] as const);
  const inserted = differing
    .filter((index) => index >= before.length)
    .map((index) => ({ after: before.length - 1, index }));
  return { changed, removed: [], inserted };
}

function printAtoms({ patch, document: { root, state } }: Printing, next: State, alignment: Alignment): void {
  const entry = root.entry(root.indexOf("atoms"));
  const node = content(entry.value);
  const { type } = fieldOf("atoms");
  const trace = { up: undefined, key: "atoms" };
  const { changed, removed, inserted } = alignment;
  if (changed.length + removed.length + inserted.length === 0 || node.kind !== "sequence" || type.kind !== "list")
    return;
  if (!isOpen(patch, entry.value, trace)) return;
  diffList(
    patch,
    { node, entry, trace },
    { type, before: (i) => at(state.atoms, i), after: (j) => at(next.atoms, j) },
    alignment,
  );
}

// ── tables ──────────────────────────────────────────────────────────────────

/** @param all every row that the table has afterwards, for a table that is written anew */
function printTable(
  printing: Printing,
  name: Section,
  rows: readonly NamedRow[],
  all: () => readonly (readonly [string, unknown])[],
): void {
  if (rows.every(({ before, after }) => isSame(before, after))) return;
  const { patch, document } = printing;
  const { root } = document;
  const index = root.indexOf(name);
  if (index < 0) return create(printing, name, all());
  const entry = root.entry(index);
  const node = content(entry.value);
  const trace = { up: undefined, key: name };
  const { type } = fieldOf(name);
  if (type.kind !== "table") return;
  if (node.kind !== "mapping" || node.size === 0)
    return assignEntry(patch, entry, { type, value: all(), flow: root.flow, trace });
  const field = { type: type.of, doc: "" };
  if (isOpen(patch, entry.value, trace))
    diffRows(
      patch,
      { node, entry, trace },
      rows.map((row) => ({ ...row, field })),
    );
}

type NamedRow = Omit<Row, "field">;

function printGroups(printing: Printing, next: State): void {
  const { or_groups: before } = printing.document.state;
  const after = next.or_groups;
  if (before === after) return;
  const all = (): (readonly [string, unknown])[] => after.map(groupPair);
  const { removed, inserted } = align(before, after, (group) => (group as OrGroup).name);
  const last = before.length - 1;
  // New groups come last; in any other order the section is written anew.
  const inOrder = inserted.every(
    ({ after: place, index }) => place === last && !removed.some((i) => at(before, i).name === at(after, index).name),
  );
  if (inOrder) return printTable(printing, "or_groups", groupRows(before, after), all);
  const { patch, document } = printing;
  const index = document.root.indexOf("or_groups");
  if (index < 0) return create(printing, "or_groups", all());
  assignEntry(patch, document.root.entry(index), {
    type: fieldOf("or_groups").type,
    value: all(),
    flow: document.root.flow,
    trace: {
      up: undefined,
      key: "or_groups",
    },
  });
}

const groupPair = ({ name, ...group }: OrGroup): readonly [string, unknown] => [name, group];

function groupRows(before: readonly OrGroup[], after: readonly OrGroup[]): NamedRow[] {
  const next = new Map(after.map(groupPair));
  const known = before.map(groupPair);
  const rows: NamedRow[] = known.map(([name, group]) => ({ key: name, before: group, after: next.get(name) }));
  for (const [name] of known) next.delete(name);
  return [...rows, ...[...next].map(([name, group]) => ({ key: name, before: undefined, after: group }))];
}

/** The bindings in the order of their atoms, as a table that is written anew has them. */
function bindingPairs(state: State): (readonly [string, Binding])[] {
  const pairs: (readonly [string, Binding])[] = [];
  for (const { id, binding } of state.atoms) if (binding !== undefined) pairs.push([id, binding]);
  return pairs;
}

function bindingRows(state: State, next: State, { changed, removed, inserted }: Alignment): NamedRow[] {
  const rows = new Map<string, { key: string; before: unknown; after: unknown }>();
  const row = (key: string) => {
    const known = rows.get(key) ?? { key, before: undefined, after: undefined };
    rows.set(key, known);
    return known;
  };
  for (const index of [...changed.map(([i]) => i), ...removed]) {
    const { id, binding } = at(state.atoms, index);
    row(id).before = binding;
  }
  for (const index of [...changed.map(([, j]) => j), ...inserted.map((insertion) => insertion.index)]) {
    const { id, binding } = at(next.atoms, index);
    row(id).after = binding;
  }
  return [...rows.values()];
}
