/** The two long sections, atoms and bindings, in canonical form. */
import type { AtomStatus, Binding } from "../core/state.ts";
import type { NewAtom } from "./document.ts";
import { type Entry, type MappingNode, type Node, present, type SequenceNode } from "./node.ts";
import { noFindings } from "./problems.ts";
import type { Type } from "./field-types.ts";
import { ATOM, BINDING } from "./schema.ts";
import { readValue } from "./shape.ts";
import {
  type Cursor,
  EOL,
  hasJsonEscapes,
  nextIndent,
  readEntry,
  readItem,
  STRING,
  UNESCAPED,
  unescapeDouble,
  WORD,
} from "./subset.ts";

const STRINGS = `(?:"${STRING}"(?:, "${STRING}")*)?`;
const ATOM_LINES = new RegExp(
  ` {2}- id: (${WORD})${EOL}` +
    ` {4}description: "(${STRING})"${EOL}` +
    ` {4}status: (pending|in_progress|resolved)${EOL}` +
    ` {4}depends_on: \\[((?:${WORD}(?:, ${WORD})*)?)\\]${EOL}` +
    `(?: {4}or_group: (${WORD})${EOL})?` +
    `(?: {4}probe: (true|false)${EOL})?` +
    `(?: {4}touches: \\[(${STRINGS})\\]${EOL})?`,
  "y",
);
/** An atom as most are: nothing escaped, no optional field, two dependencies or fewer taken apart. */
const BRIEF_ATOM = new RegExp(
  ` {2}- id: (${WORD})${EOL}` +
    ` {4}description: "(${UNESCAPED})"${EOL}` +
    ` {4}status: (?=(.))(?:pending|in_progress|resolved)${EOL}` +
    ` {4}depends_on: \\[(?:(${WORD})(?:, (${WORD})((?:, ${WORD})*))?)?\\]${EOL}` +
    `(?= {2}- |[a-z])`,
  "y",
);
const BRIEF_BINDING = new RegExp(
  ` {2}(${WORD}):${EOL} {4}summary: "(${UNESCAPED})"${EOL} {4}artifacts: \\[(?:"(${UNESCAPED})")?\\]${EOL}(?= {2}[A-Za-z_]|[a-z])`,
  "y",
);
const BINDING_LINES = new RegExp(
  ` {2}(${WORD}):${EOL} {4}summary: "(${STRING})"${EOL} {4}artifacts: \\[(${STRINGS})\\]${EOL}`,
  "y",
);

const NONE: readonly string[] = [];
const LETTER_A = 97;
const LETTER_Z = 122;
const STATUS: Readonly<Record<string, AtomStatus>> = { p: "pending", i: "in_progress", r: "resolved" };
/** Bindings stand roughly in the order of their atoms: so far ahead the next one is looked for. */
const LOOKAHEAD = 64;

/** Where each child of a long section starts: what a reprint carries over instead of reading it again. */
export interface AtomsNode extends SequenceNode {
  readonly starts: ArrayLike<number>;
}
export interface BindingsNode extends MappingNode {
  readonly starts: ArrayLike<number>;
  readonly names: readonly string[];
  readonly places: Places;
}

/** The atoms behind `atoms:`, and their node; undefined: not canonical. */
export function scanAtoms(
  cursor: Cursor,
): { readonly atoms: readonly NewAtom[]; readonly node: SequenceNode } | undefined {
  const atoms: NewAtom[] = [];
  const starts: number[] = [];
  let indent = nextIndent(cursor);
  while (indent === 2) {
    scanBriefAtoms(cursor, atoms, starts);
    const start = cursor.pos;
    if (startsSection(cursor.text, start)) {
      indent = 0;
      break;
    }
    const atom = atomAt(cursor);
    if (atom === undefined) return undefined;
    atoms.push(atom);
    starts.push(start);
    indent = nextIndent(cursor);
  }
  if (indent > 0 || starts.length === 0) return undefined;
  return { atoms, node: atomsNode(cursor, starts) };
}

/** The node of a section that was read; its children are read when they are asked for. */
export function atomsNode({ text, end }: Cursor, starts: ArrayLike<number>): AtomsNode {
  const item = (index: number): Node => defined(readItem({ text, end, pos: present(starts[index], index) }, 2, 1));
  return {
    kind: "sequence",
    flow: false,
    start: present(starts[0], 0) + 2,
    get end() {
      return item(starts.length - 1).end;
    },
    size: starts.length,
    item,
    starts,
  };
}

/** The atom at the cursor, which moves behind it; undefined: not canonical. */
export function atomAt(cursor: Cursor): NewAtom | undefined {
  const { text, pos: start } = cursor;
  if (!text.startsWith("- ", start + 2)) return undefined;
  const atom = matchAtom(cursor) ?? readAtom(cursor);
  if (text.startsWith("  - ", cursor.pos) || nextIndent(cursor) <= 2) return atom;
  // It goes on with keys that the pattern does not know.
  cursor.pos = start;
  return readAtom(cursor);
}

/**
 * Moves over atoms that `BRIEF_ATOM` knows and that another atom or section follows; the cursor stands at an atom before,
 * and behind them there.
 *
 * The groups are read by index: this runs once per atom in code that is not compiled yet, where taking a match
 * apart by destructuring, or a call, costs more than the match.
 */
function scanBriefAtoms(cursor: Cursor, atoms: NewAtom[], starts: number[]): void {
  const { text } = cursor;
  let start = cursor.pos;
  BRIEF_ATOM.lastIndex = start;
  for (let found = BRIEF_ATOM.exec(text); found !== null; found = BRIEF_ATOM.exec(text)) {
    const first = found[4];
    const second = found[5];
    const rest = found[6];
    atoms.push({
      id: found[1] as string,
      description: found[2] as string,
      status: STATUS[found[3] as string] as AtomStatus,
      depends_on:
        first === undefined
          ? NONE
          : second === undefined
            ? [first]
            : rest === ""
              ? [first, second]
              : [first, second, ...(rest as string).slice(2).split(", ")],
    });
    starts.push(start);
    start = BRIEF_ATOM.lastIndex;
  }
  cursor.pos = start;
}

function matchAtom(cursor: Cursor): NewAtom | undefined {
  ATOM_LINES.lastIndex = cursor.pos;
  const found = ATOM_LINES.exec(cursor.text);
  if (found === null) return undefined;
  let description = found[2] as string;
  if (description.includes("\\")) {
    const plain = unescapeDouble(description);
    if (plain === undefined) return undefined;
    description = plain;
  }
  const dependencies = found[4] as string;
  const atom: NewAtom = {
    id: found[1] as string,
    description,
    status: found[3] as AtomStatus,
    depends_on: dependencies === "" ? NONE : dependencies.split(", "),
  };
  if (found[5] !== undefined) atom.or_group = found[5];
  if (found[6] !== undefined) atom.probe = found[6] === "true";
  if (found[7] !== undefined) {
    const globs = stringsOf(found[7]);
    if (globs === undefined) return undefined;
    atom.touches = globs;
  }
  cursor.pos = ATOM_LINES.lastIndex;
  return atom;
}

function readAtom(cursor: Cursor): NewAtom | undefined {
  const node = readItem(cursor, 2, 1);
  return node === undefined ? undefined : (readShape(ATOM, node, cursor) as NewAtom | undefined);
}

/** The bindings behind `bindings:`, and their node; undefined: not canonical. */
export function scanBindings(
  cursor: Cursor,
): { readonly pairs: readonly (readonly [string, Binding])[]; readonly node: MappingNode } | undefined {
  const pairs: (readonly [string, Binding])[] = [];
  const starts: number[] = [];
  let indent = nextIndent(cursor);
  while (indent === 2) {
    scanBriefBindings(cursor, pairs, starts);
    const start = cursor.pos;
    if (startsSection(cursor.text, start)) {
      indent = 0;
      break;
    }
    const pair = bindingAt(cursor);
    if (pair === undefined) return undefined;
    pairs.push(pair);
    starts.push(start);
    indent = nextIndent(cursor);
  }
  if (indent > 0 || starts.length === 0) return undefined;
  const names = pairs.map((pair) => pair[0]);
  return { pairs, node: bindingsNode(cursor, starts, names, placesOf()) };
}

/** As `atomsNode`. */
export function bindingsNode(
  { text, end }: Cursor,
  starts: ArrayLike<number>,
  names: readonly string[],
  places: Places,
): BindingsNode {
  const entry = (index: number): Entry =>
    defined(readEntry({ text, end, pos: present(starts[index], index) + 2 }, 2, 1));
  return {
    kind: "mapping",
    flow: false,
    start: present(starts[0], 0) + 2,
    get end() {
      return entry(starts.length - 1).end;
    },
    size: starts.length,
    merges: [],
    entry,
    indexOf: (name) => places.find(names, name),
    starts,
    names,
    places,
  };
}

/** The binding at the cursor, which moves behind it; undefined: not canonical. */
export function bindingAt(cursor: Cursor): readonly [string, Binding] | undefined {
  const { pos: start } = cursor;
  const pair = matchBinding(cursor) ?? readBinding(cursor);
  if (startsKey(cursor.text, cursor.pos) || nextIndent(cursor) <= 2) return pair;
  cursor.pos = start;
  return readBinding(cursor);
}

/** Where names stand in a list that only grows at its end: one table serves every list that goes on from another. */
export interface Places {
  /** -1: it is not among `names`. */
  find(names: readonly string[], name: string): number;
}

/** Only who asks for several names pays for a table. */
function placesOf(): Places {
  let asked = 0;
  const known = new Map<string, number>();
  return {
    find: (names, name) => {
      if (asked++ < 2) return names.indexOf(name);
      for (let index = known.size; index < names.length; index++) known.set(names[index] as string, index);
      const index = known.get(name) ?? -1;
      return index < names.length ? index : -1;
    },
  };
}

/** As `scanBriefAtoms`. */
function scanBriefBindings(cursor: Cursor, pairs: (readonly [string, Binding])[], starts: number[]): void {
  const { text } = cursor;
  let start = cursor.pos;
  BRIEF_BINDING.lastIndex = start;
  for (let found = BRIEF_BINDING.exec(text); found !== null; found = BRIEF_BINDING.exec(text)) {
    const artifact = found[3];
    pairs.push([
      found[1] as string,
      { summary: found[2] as string, artifacts: artifact === undefined ? NONE : [artifact] },
    ]);
    starts.push(start);
    start = BRIEF_BINDING.lastIndex;
  }
  cursor.pos = start;
}

function matchBinding(cursor: Cursor): readonly [string, Binding] | undefined {
  BINDING_LINES.lastIndex = cursor.pos;
  const found = BINDING_LINES.exec(cursor.text);
  if (found === null) return undefined;
  const raw = found[2] as string;
  const summary = raw.includes("\\") ? unescapeDouble(raw) : raw;
  const artifacts = stringsOf(found[3] as string);
  if (summary === undefined || artifacts === undefined) return undefined;
  cursor.pos = BINDING_LINES.lastIndex;
  return [found[1] as string, { summary, artifacts }];
}

function readBinding(cursor: Cursor): readonly [string, Binding] | undefined {
  cursor.pos += 2;
  const entry = readEntry(cursor, 2, 1);
  if (entry === undefined || entry.name === null) return undefined;
  const binding = readShape(BINDING, entry.value, cursor) as Binding | undefined;
  return binding === undefined ? undefined : [entry.name, binding];
}

function readShape(type: Type, node: Node, { text }: Cursor): unknown {
  const findings = noFindings(text);
  const value = readValue(type, node, undefined, findings);
  return findings.problems.length > 0 || findings.warnings.length > 0 ? undefined : value;
}

/** Whether a name stands in column 0: of the next section. */
function startsSection(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= LETTER_A && code <= LETTER_Z;
}

/** Whether a name stands in column 2 and nothing before it. */
function startsKey(text: string, at: number): boolean {
  return text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 32 && text.charCodeAt(at + 2) > 64;
}

/** The strings of a flow list's inside; undefined for an escape that JSON does not have. */
function stringsOf(inside: string): readonly string[] | undefined {
  if (inside === "") return NONE;
  if (inside.includes("\\")) return hasJsonEscapes(inside) ? (JSON.parse(`[${inside}]`) as string[]) : undefined;
  if (inside.indexOf('"', 1) === inside.length - 1) return [inside.slice(1, -1)];
  return JSON.parse(`[${inside}]`) as string[];
}

/** What was read once is read again when its ranges are asked for. */
function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a canonical block was not read the same way twice");
  return value;
}

/** Gives each atom its binding; false: a binding of nobody, or a second one. */
export function joinBindings(atoms: readonly NewAtom[], pairs: readonly (readonly [string, Binding])[]): boolean {
  let byId: Map<string, NewAtom> | undefined;
  let next = 0;
  for (let i = 0; i < pairs.length; i++) {
    const pair = pairs[i] as readonly [string, Binding];
    const id = pair[0];
    let atom: NewAtom | undefined;
    if (byId === undefined) {
      const limit = Math.min(next + LOOKAHEAD, atoms.length);
      while (next < limit && atoms[next]?.id !== id) next++;
      atom = next < limit ? atoms[next++] : undefined;
      if (atom === undefined) byId = new Map(atoms.map((candidate) => [candidate.id, candidate]));
    }
    atom ??= byId?.get(id);
    if (atom === undefined || atom.binding !== undefined) return false;
    atom.binding = pair[1];
  }
  return true;
}
