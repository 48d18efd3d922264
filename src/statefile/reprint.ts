/**
 * Printing for a writer that goes on from what it wrote: the text with another state in it, read back.
 *
 * Of a canonical text only what an edit touched is read again; the rest stands where it stood, moved. Law
 * (tests/statefile/reprint.test.ts): the document is the one that reading the whole text gives.
 */
import { accepted, type Result } from "../core/problem.ts";
import type { Atom, State } from "../core/state.ts";
import { at, toArray } from "../core/vec.ts";
import { type NewAtom, type Sections, type StateDocument, stateOf } from "./document.ts";
import { applyEdits, type Edit, inOrder } from "./edits.ts";
import { type Entry, nodeMapping } from "./node.ts";
import { parseState } from "./parse.ts";
import { bindingPairs, type Printing, printingOf } from "./print.ts";
import { noFindings } from "./problems.ts";
import { isSame } from "./same.ts";
import { atomAt, type AtomsNode, atomsNode, bindingAt, type BindingsNode, bindingsNode } from "./scan-graph.ts";
import { scanLong } from "./scan.ts";
import { ATOM, STATE } from "./schema.ts";
import { readValue } from "./shape.ts";
import { type Cursor, nextIndent, readEntry } from "./subset.ts";

/**
 * The document that holds `next`; its state is `next` itself. Refused as `printState` refuses, and when the text could
 * not be read again: then nothing is to be written.
 */
export function reprintState(document: StateDocument, next: State): Result<StateDocument> {
  if (next === document.state) return accepted(document);
  const printing = printingOf(document, next);
  const printed = applyEdits(printing.patch);
  if (!printed.ok) return printed;
  const text = printed.value;
  if (printing.patch.edits.length === 0) return accepted({ ...document, state: next });
  const moved = carryOver(printing, text, next);
  if (moved !== undefined) return accepted(moved);
  const parsed = parseState(text);
  return parsed.ok ? accepted({ ...parsed.document, state: next }) : parsed;
}

/** The edits in order, passed by one after the other: offsets are asked for in ascending order. */
interface Shift {
  /** Where what stood at this line start stands now; undefined: it does not stand any more. */
  moved(offset: number): number | undefined;
  /** Edits that were passed. */
  passed(): number;
  /** Of them, those after which something has to be read again. */
  unread(): number;
}

function shiftBy(edits: readonly Edit[]): Shift {
  let next = 0;
  let by = 0;
  let plain = 0;
  return {
    moved: (offset) => {
      let edit = edits[next];
      // What is put in at a line start stands in front of that line.
      while (edit !== undefined && edit.end <= offset) {
        by += edit.text.length - (edit.end - edit.start);
        if (edit.plain === true) plain++;
        edit = edits[++next];
      }
      return edit !== undefined && edit.start < offset ? undefined : offset + by;
    },
    passed: () => next,
    unread: () => next - plain,
  };
}

/** Undefined: the text has to be read as a whole. */
function carryOver({ document, patch, bindings }: Printing, text: string, next: State): StateDocument | undefined {
  const { root, body } = document;
  if (!("starts" in root.entry(root.indexOf("atoms")).value)) return undefined;
  const shift = shiftBy(inOrder(patch.edits));
  const grown = text.length - document.text.length;
  const end = document.text.lastIndexOf("---", body.start - 1) + grown;
  const cursor: Cursor = { text, end, pos: 0 };
  const entries: Entry[] = [];
  let expected = shift.moved(root.start);
  for (let index = 0; index < root.size; index++) {
    const start = expected;
    const old = root.entry(index);
    if (start === undefined || old.start === old.end) return undefined;
    cursor.pos = start;
    const entry = carryEntry(cursor, old, shift, next, bindings);
    const behind = index + 1 < root.size ? root.entry(index + 1).start : end - grown;
    expected = shift.moved(behind);
    if (entry === undefined || nextIndent(cursor) > 0 || cursor.pos !== expected) return undefined;
    entries.push(entry);
  }
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined || !holdsSections(text, entries, next)) return undefined;
  const moved = {
    ...nodeMapping({ start: first.start, end: 0 }, false, entries),
    get end() {
      return last.end;
    },
  };
  return { text, state: next, body: { start: body.start + grown, end: body.end + grown }, root: moved };
}

/** A section, the cursor at its key; the cursor then stands behind it. */
function carryEntry(
  cursor: Cursor,
  { name, start, keyEnd, value }: Entry,
  shift: Shift,
  next: State,
  rows: Printing["bindings"],
): Entry | undefined {
  if (!("starts" in value)) {
    const entry = (name === "bindings" ? firstBindings(cursor, next) : undefined) ?? readEntry(cursor, 0, 0);
    return entry?.name === name ? entry : undefined;
  }
  const key = { name, start: cursor.pos, keyEnd: cursor.pos + keyEnd - start };
  const node =
    value.kind === "sequence"
      ? carryAtoms(cursor, value as AtomsNode, shift, next)
      : carryBindings(cursor, value as BindingsNode, shift, rows);
  if (node === undefined) return undefined;
  return {
    ...key,
    value: node,
    get end() {
      return node.end;
    },
  };
}

/** A table that was empty before; undefined: it is not in canonical form, or not what it should be. */
function firstBindings(cursor: Cursor, next: State): Entry | undefined {
  const start = cursor.pos;
  const read = scanLong(cursor);
  if (read !== undefined && "pairs" in read && isSame(read.pairs, bindingPairs(next))) return read.entry;
  cursor.pos = start;
  return undefined;
}

function carryAtoms(cursor: Cursor, { starts }: AtomsNode, shift: Shift, next: State): AtomsNode | undefined {
  if (next.atoms.length !== starts.length) return undefined;
  const carried = carryStarts(starts, shift);
  if (carried === undefined) return undefined;
  const readsSame = (index: number): boolean => isSameAtom(atomAt(cursor), at(next.atoms, index));
  return isReadAgain(cursor, carried, readsSame) ? atomsNode(cursor, carried.starts) : undefined;
}

/** All but for the binding, which stands elsewhere. Field by field: an atom without one would be a copy each time. */
function isSameAtom(read: NewAtom | undefined, atom: Atom): boolean {
  if (read === undefined) return false;
  for (const field of ATOM_FIELDS) if (!isSame(read[field], atom[field])) return false;
  return true;
}

const ATOM_FIELDS = Object.keys(ATOM.fields) as (keyof NewAtom)[];

function carryBindings(
  cursor: Cursor,
  { starts, names, places }: BindingsNode,
  shift: Shift,
  rows: Printing["bindings"],
): BindingsNode | undefined {
  const carried = carryStarts(starts, shift);
  if (carried === undefined) return undefined;
  const kept = new Map<string, unknown>();
  for (const { name, before, after } of rows) if (before !== undefined) kept.set(name, after);
  const readsSame = (index: number): boolean => {
    const pair = bindingAt(cursor);
    if (pair === undefined || pair[0] !== names[index]) return false;
    return !kept.has(pair[0]) || isSame(pair[1], kept.get(pair[0]));
  };
  if (!isReadAgain(cursor, carried, readsSame)) return undefined;
  const freshStarts: number[] = [];
  const freshNames: string[] = [];
  // New ones were appended in this order.
  for (const { name, before, after } of rows) {
    if (before !== undefined || after === undefined) continue;
    if (nextIndent(cursor) !== 2) return undefined;
    freshStarts.push(cursor.pos);
    const pair = bindingAt(cursor);
    if (pair?.[0] !== name || !isSame(pair[1], after)) return undefined;
    freshNames.push(name);
  }
  const all = new Int32Array(starts.length + freshStarts.length);
  all.set(carried.starts);
  all.set(freshStarts, starts.length);
  return bindingsNode(cursor, all, freshNames.length === 0 ? names : [...names, ...freshNames], places);
}

interface Carried {
  readonly starts: Int32Array;
  /** Children with an edit at or in them that does not leave them as they read before, and the last one. */
  readonly touched: readonly number[];
}

/** Where the children of a section start now; undefined: one of them, or the section's head, went away. */
function carryStarts(starts: ArrayLike<number>, shift: Shift): Carried | undefined {
  const carried = new Int32Array(starts.length);
  const touched: number[] = [];
  const before = shift.passed();
  let unread = shift.unread();
  for (let index = 0; index < starts.length; index++) {
    const start = shift.moved(starts[index] as number);
    if (start === undefined || (index === 0 && shift.passed() !== before)) return undefined;
    carried[index] = start;
    if (shift.unread() !== unread) touched.push(index - 1);
    unread = shift.unread();
  }
  touched.push(starts.length - 1);
  return { starts: carried, touched };
}

/** Reads the touched children; the cursor then stands behind the last child. False: one of them is not what it should be. */
function isReadAgain(cursor: Cursor, { starts, touched }: Carried, readsSame: (index: number) => boolean): boolean {
  for (const index of touched) {
    cursor.pos = starts[index] as number;
    if (!readsSame(index)) return false;
    if (index < starts.length - 1 && (nextIndent(cursor) !== 2 || cursor.pos !== starts[index + 1])) return false;
  }
  return true;
}

/** Whether the sections that were read as a whole say what they should. */
function holdsSections(text: string, entries: readonly Entry[], next: State): boolean {
  const findings = noFindings(text);
  const read: Record<string, unknown> = { atoms: [] };
  for (const { name, value } of entries) {
    if (name === null || "starts" in value) continue;
    const type = STATE.fields[name]?.type;
    if (type !== undefined) read[name] = readValue(type, value, { up: undefined, key: name }, findings);
  }
  const { atoms, bindings, ...sections } = read;
  const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
  if (isLong(atoms) || isLong(bindings) || findings.problems.length + findings.warnings.length > 0) return false;
  const found = stateOf({ ...NO_SECTIONS, ...sections });
  return (
    isSame(found.objective, next.objective) &&
    isSame(found.control, next.control) &&
    isSame(found.decompositions, next.decompositions) &&
    isSame(toArray(found.or_groups), toArray(next.or_groups)) &&
    isSame(found.trail, next.trail) &&
    isSame(found.corrections, next.corrections)
  );
}

const NO_SECTIONS: Sections = {
  objective: undefined,
  control: undefined,
  atoms: [],
  decompositions: [],
  or_groups: [],
  trail: [],
  corrections: [],
};
