/**
 * The canonical form, read fast: what `create.ts` and `print.ts` write and the schema's examples show. One native
 * regular expression reads an atom, another a binding; whatever they do not know is read by `subset.ts`, and whatever
 * that does not know is "not canonical". Never guessed: a text that is read here has the same meaning in YAML
 * (`tests/statefile/scan.test.ts` keeps that as a law).
 *
 * Edit ranges are found when they are asked for, so that a scan makes little more than the state itself.
 */
import { checkInvariants } from "../core/invariants.ts";
import type { Binding, State } from "../core/state.ts";
import { type NewAtom, stateOf, type StateDocument } from "./document.ts";
import { findFrontmatter } from "./frontmatter.ts";
import { type Entry, type MappingNode, nodeMapping } from "./node.ts";
import { noFindings } from "./problems.ts";
import { joinBindings, scanAtoms, scanBindings } from "./scan-graph.ts";
import { STATE } from "./schema.ts";
import { readValue } from "./shape.ts";
import { type Cursor, nextIndent, readEntry } from "./subset.ts";

interface Scan {
  readonly cursor: Cursor;
  readonly entries: Entry[];
  atoms: readonly NewAtom[] | undefined;
  bindings: readonly (readonly [string, Binding])[] | undefined;
}

const HEADING = /(atoms|bindings): *(?: #[^\r\n]*)?\r?\n/y;
const SECTIONS = Object.keys(STATE.fields);

/** The document that a canonical, valid text holds. Anything else, invalid texts included: "not canonical". */
export function scanState(text: string): StateDocument | "not canonical" {
  const frontmatter = findFrontmatter(text);
  if (typeof frontmatter === "string" || text.includes("\0")) return "not canonical";
  const scan: Scan = {
    cursor: { text, end: frontmatter.end, pos: frontmatter.start },
    entries: [],
    atoms: undefined,
    bindings: undefined,
  };
  while (nextIndent(scan.cursor) === 0) if (!scanSection(scan)) return "not canonical";
  const root = scan.cursor.pos === frontmatter.end ? rootOf(scan.entries) : undefined;
  const state = root === undefined ? undefined : readState(text, root, scan);
  if (root === undefined || state === undefined || checkInvariants(state).length > 0) return "not canonical";
  return { text, state, body: frontmatter.body, root };
}

/** Whether the document's atoms were read here. */
export function isCanonical({ root }: StateDocument): boolean {
  return "starts" in root.entry(root.indexOf("atoms")).value;
}

/** One section, the cursor at its key. */
function scanSection(scan: Scan): boolean {
  const { cursor, entries } = scan;
  const long = scanLong(cursor);
  if (long !== undefined && "atoms" in long) scan.atoms = long.atoms;
  if (long !== undefined && "pairs" in long) scan.bindings = long.pairs;
  const entry = long?.entry ?? readEntry(cursor, 0, 0);
  if (entry !== undefined) entries.push(entry);
  return entry !== undefined;
}

type Long = { readonly entry: Entry } & (
  | { readonly atoms: readonly NewAtom[] }
  | { readonly pairs: readonly (readonly [string, Binding])[] }
);

/** Atoms or bindings, the cursor at their key, which moves behind them; undefined: not canonical, and it stays. */
export function scanLong(cursor: Cursor): Long | undefined {
  const start = cursor.pos;
  HEADING.lastIndex = start;
  const name = HEADING.exec(cursor.text)?.[1];
  if (name === undefined) return undefined;
  cursor.pos = HEADING.lastIndex;
  const found = name === "atoms" ? scanAtoms(cursor) : scanBindings(cursor);
  if (found === undefined) {
    cursor.pos = start;
    return undefined;
  }
  const { node: value, ...read } = found;
  const entry = {
    name,
    start,
    keyEnd: start + name.length,
    value,
    get end() {
      return value.end;
    },
  };
  return { entry, ...read };
}

/** The root, if every section is there, and once. */
function rootOf(entries: readonly Entry[]): MappingNode | undefined {
  const names = new Set(entries.map((entry) => entry.name));
  const [first] = entries;
  if (first === undefined || names.size !== entries.length || !SECTIONS.every((name) => names.has(name)))
    return undefined;
  const last = entries[entries.length - 1] ?? first;
  return {
    ...nodeMapping({ start: first.start, end: 0 }, false, entries),
    get end() {
      return last.end;
    },
  };
}

function readState(text: string, root: MappingNode, scan: Scan): State | undefined {
  const findings = noFindings(text);
  const read = (name: string): unknown => {
    const type = STATE.fields[name]?.type;
    return type === undefined
      ? undefined
      : readValue(type, root.entry(root.indexOf(name)).value, { up: undefined, key: name }, findings);
  };
  const atoms = scan.atoms ?? (read("atoms") as NewAtom[]);
  const bindings = scan.bindings ?? (read("bindings") as [string, Binding][]);
  const sections = {
    objective: read("objective"),
    control: read("control"),
    atoms,
    decompositions: read("decompositions"),
    or_groups: read("or_groups"),
    trail: read("trail"),
    corrections: read("corrections"),
  };
  if (findings.problems.length > 0 || findings.warnings.length > 0 || !joinBindings(atoms, bindings)) return undefined;
  return stateOf(sections);
}
