/**
 * The frontmatter's tree. YAML is js-yaml's to read (`yaml.ts`), but for the two sections that grow with the loop: where
 * atoms and bindings are written as this program writes them, one native regular expression reads an item of them. A
 * command on ten thousand atoms would otherwise take twice as long as it may.
 *
 * SECTIONS-1 what is read here YAML reads the same (law: tests/statefile/sections.test.ts): the patterns are a strict
 *    subset of it, and whatever else such a section holds makes the file js-yaml's as a whole.
 */
import type { AtomStatus, Binding } from "../core/state.ts";
import type { NewAtom } from "./document.ts";
import { type ContentNode, type Entry, type MappingNode, nodeMapping, present, type Range } from "./node.ts";
import type { Finding } from "./problems.ts";
import { readYaml } from "./yaml.ts";

/** What may follow a value on its line. */
const EOL = String.raw` *(?: #[^\r\n]*)?\r?\n`;
const BLANK_LINES = String.raw`(?: *(?:#[^\r\n]*)?\r?\n)*`;
/** Inside double quotes, escapes included. */
const STRING = String.raw`[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*`;
const STRINGS = `(?:"${STRING}"(?:, "${STRING}")*)?`;
/** A plain word that YAML reads as a string. */
const WORD = String.raw`(?!(?:[Tt]rue|TRUE|[Ff]alse|FALSE|[Nn]ull|NULL)(?![\w.-]))[A-Za-z_][\w.-]*`;
const ATOM = new RegExp(
  `(${BLANK_LINES}) {2}- id: (${WORD})${EOL}` +
    ` {4}description: "(${STRING})"${EOL}` +
    ` {4}status: (pending|in_progress|resolved)${EOL}` +
    ` {4}depends_on: \\[((?:${WORD}(?:, ${WORD})*)?)\\]${EOL}` +
    `(?: {4}or_group: (${WORD})${EOL})?` +
    `(?: {4}probe: (true|false)${EOL})?` +
    `(?: {4}touches: \\[(${STRINGS})\\]${EOL})?` +
    `(?: {4}criteria: "(${STRING})"${EOL})?`,
  "y",
);
const BINDING = new RegExp(
  `(${BLANK_LINES}) {2}(${WORD}):${EOL} {4}summary: "(${STRING})"${EOL} {4}artifacts: \\[(${STRINGS})\\]${EOL}`,
  "y",
);
/** The next section: a plain key. Anything else there may belong to what is before it. */
const BEHIND = new RegExp(`${BLANK_LINES}(?=[A-Za-z_])`, "y");
const HEADING = new RegExp(String.raw`\n(atoms|bindings):${EOL}`, "g");
/** Lines that mean something to YAML wherever they stand. */
const MARKER = /^(?:---|\.\.\.|%)/m;
/** YAML has more escapes than JSON; those that both have mean the same. */
const JSON_ESCAPES = /^[^\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*)*$/;
const NO_NAMES: readonly string[] = [];

export type Tree = { readonly root: ContentNode } | { readonly finding: Finding };

/** The frontmatter's root node, or the first thing that is wrong with the text as YAML. */
export function readFrontmatter(text: string, range: Range): Tree {
  return readInPieces(text, range) ?? readYaml(text, range);
}

/** The long sections by their patterns, what is between them as YAML; undefined: it is YAML as a whole. */
function readInPieces(text: string, range: Range): Tree | undefined {
  const entries: Entry[] = [];
  let from = range.start;
  HEADING.lastIndex = range.start - 1;
  for (let found = HEADING.exec(text); found !== null && found.index < range.end; found = HEADING.exec(text)) {
    const section = readSection(text, { start: found.index + 1, end: range.end }, HEADING.lastIndex);
    if (section === undefined) return undefined;
    const between = readPiece(text, { start: from, end: section.entry.start });
    if (between === undefined) return undefined;
    entries.push(...between, section.entry);
    from = section.end;
    HEADING.lastIndex = from - 1;
  }
  const rest = entries.length === 0 ? undefined : readPiece(text, { start: from, end: range.end });
  if (rest === undefined) return undefined;
  entries.push(...rest);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined || new Set(entries.map(({ name }) => name)).size < entries.length)
    return undefined;
  const root: MappingNode = {
    ...nodeMapping({ start: first.start, end: 0 }, false, entries),
    get end() {
      return last.end;
    },
  };
  return { root };
}

/** The entries of some sections; undefined: they are not sections by themselves. */
function readPiece(text: string, range: Range): readonly Entry[] | undefined {
  const source = text.slice(range.start, range.end);
  if (MARKER.test(source)) return undefined;
  if (/^[ \r\n]*(?:#[^\r\n]*[ \r\n]*)*$/.test(source)) return [];
  const read = readYaml(text, range);
  if ("finding" in read || read.root.kind !== "mapping") return undefined;
  const { root } = read;
  if (root.flow || root.lock !== undefined || root.merges.length > 0) return undefined;
  const entries = Array.from({ length: root.size }, (_, index) => root.entry(index));
  // An anchor may be meant by an alias in another piece: that one is refused there, and all is read as a whole.
  return entries.every(({ name, start }) => name !== null && text.charCodeAt(start - 1) === LINE_FEED)
    ? entries
    : undefined;
}

const LINE_FEED = 10;

/** A section with its items' values; `end`: behind its last item's line. Undefined: it is written otherwise. */
function readSection(
  text: string,
  { start, end }: Range,
  itemsAt: number,
): { readonly entry: Entry; readonly end: number } | undefined {
  const isAtoms = text.charCodeAt(start) === 97;
  const starts: number[] = [];
  const values: unknown[] = [];
  const names: string[] = [];
  const pattern = isAtoms ? ATOM : BINDING;
  let at = itemsAt;
  pattern.lastIndex = at;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const value = isAtoms ? atomOf(found) : bindingOf(found);
    if (value === undefined) return undefined;
    starts.push(at + (found[1] as string).length);
    values.push(value);
    names.push(found[2] as string);
    at = pattern.lastIndex;
  }
  BEHIND.lastIndex = at;
  if (values.length === 0 || at > end || !BEHIND.test(text) || BEHIND.lastIndex > end) return undefined;
  const items = { text, starts, end: at, values };
  const value = isAtoms ? atomsNode(items) : bindingsNode(items, names);
  if (value === undefined) return undefined;
  const name = isAtoms ? "atoms" : "bindings";
  const entry = {
    name,
    start,
    keyEnd: start + name.length,
    value,
    get end() {
      return value.end;
    },
  };
  return { entry, end: at };
}

interface Items {
  readonly text: string;
  /** Where each item's first line begins. */
  readonly starts: readonly number[];
  readonly end: number;
  readonly values: readonly unknown[];
}

/** An item as YAML: whoever edits it asks where it stands. */
function itemAt({ text, starts, end }: Items, index: number): ContentNode {
  const read = readYaml(text, { start: present(starts[index], index), end: starts[index + 1] ?? end });
  if ("finding" in read)
    throw new Error(`YAML does not read what the pattern of its section reads: ${read.finding.message}`);
  return read.root;
}

function atomsNode(items: Items): ContentNode {
  const item = (index: number) => {
    const node = itemAt(items, index);
    return node.kind === "sequence" ? node.item(0) : node;
  };
  const size = items.values.length;
  return {
    kind: "sequence",
    flow: false,
    start: present(items.starts[0], 0) + 2,
    get end() {
      return item(size - 1).end;
    },
    size,
    item,
    values: items.values,
  };
}

/** Undefined: a name is there twice. */
function bindingsNode(items: Items, names: readonly string[]): ContentNode | undefined {
  const places = new Map(names.map((name, index) => [name, index]));
  if (places.size < names.length) return undefined;
  const entry = (index: number): Entry => {
    const node = itemAt(items, index);
    return (node as MappingNode).entry(0);
  };
  const size = names.length;
  return {
    kind: "mapping",
    flow: false,
    start: present(items.starts[0], 0) + 2,
    get end() {
      return entry(size - 1).end;
    },
    size,
    merges: [],
    entry,
    indexOf: (name) => places.get(name) ?? -1,
    values: items.values,
  };
}

// The groups are read by index: this runs once per item in code that is not compiled yet.
function atomOf(found: RegExpExecArray): NewAtom | undefined {
  const description = unescaped(found[3] as string);
  const dependencies = found[5] as string;
  if (description === undefined) return undefined;
  const atom: NewAtom = {
    id: found[2] as string,
    description,
    status: found[4] as AtomStatus,
    depends_on: dependencies === "" ? NO_NAMES : dependencies.split(", "),
  };
  if (found[6] !== undefined) atom.or_group = found[6];
  if (found[7] !== undefined) atom.probe = found[7] === "true";
  const [touches, criteria] = [stringsOf(found[8] ?? ""), unescaped(found[9] ?? "")];
  if (touches === undefined || criteria === undefined) return undefined;
  if (found[8] !== undefined) atom.touches = touches;
  if (found[9] !== undefined) atom.criteria = criteria;
  return atom;
}

function bindingOf(found: RegExpExecArray): readonly [string, Binding] | undefined {
  const summary = unescaped(found[3] as string);
  const artifacts = stringsOf(found[4] as string);
  return summary === undefined || artifacts === undefined ? undefined : [found[2] as string, { summary, artifacts }];
}

/** What a double-quoted scalar's inside means; undefined for an escape that JSON does not have. */
function unescaped(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  return JSON_ESCAPES.test(raw) ? (JSON.parse(`"${raw}"`) as string) : undefined;
}

/** The strings of a flow list's inside; undefined as of `unescaped`. */
function stringsOf(inside: string): readonly string[] | undefined {
  if (inside === "") return NO_NAMES;
  return JSON_ESCAPES.test(inside) ? (JSON.parse(`[${inside}]`) as string[]) : undefined;
}
