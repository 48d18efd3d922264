/**
 * Reads the canonical form of the frontmatter: block mappings and sequences, one line per scalar, flow lists of
 * scalars. It is a strict subset of YAML 1.2: what it reads, it reads as YAML does; whatever else a line holds, the
 * answer is undefined ("not canonical") and the full parser decides.
 *
 * Native regular expressions do the work: one parse per process means that they run before any loop is compiled.
 */
import {
  type Entry,
  type MappingNode,
  type Node,
  nodeMapping,
  nodeSequence,
  type Scalar,
  type SequenceNode,
} from "./node.ts";

/** A place in the text that moves forward; `end` is the end of the frontmatter. */
export interface Cursor {
  readonly text: string;
  readonly end: number;
  pos: number;
}

/** What may follow a value on its line. */
export const EOL = String.raw` *(?: #[^\r\n]*)?\r?\n`;
/** Inside double quotes, escapes included. */
export const STRING = String.raw`[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*`;
/** Inside double quotes, where nothing is escaped. */
export const UNESCAPED = String.raw`[^"\\\x00-\x1f]*`;
/** A plain word that YAML reads as a string. */
export const WORD = String.raw`(?!(?:[Tt]rue|TRUE|[Ff]alse|FALSE|[Nn]ull|NULL)(?![\w.-]))[A-Za-z_][\w.-]*`;

const BLANK_LINES = /(?: *(?:#[^\r\n]*)?\r?\n)*/y;
const INDENT = / */y;
const KEY = /([A-Za-z0-9_][\w.-]*|"[^"\\\x00-\x1f]*"):(?: +|(?=\r?\n))/y;
const TAIL = new RegExp(EOL, "y");
const DOUBLE = new RegExp(`"(${STRING})"`, "y");
const SINGLE = /'([^'\x00-\x1f]*)'(?!')/y;
const NUMBER = /-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?=[ \r\n,\]])/y;
const PLAIN = /[A-Za-z_](?:[\w .,'()/-]*[\w.'()/-])?/y;
const PLAIN_IN_FLOW = /[A-Za-z_][\w./-]*/y;
const GAP = / */y;
const ESCAPES = /^[^\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*)*$/;
const CONSTANTS: Readonly<Record<string, Scalar>> = { true: true, false: false, null: null };
const OTHER_CONSTANT = /^(?:True|TRUE|False|FALSE|Null|NULL)$/;

/** Deeper than this the full parser decides (and says `too_deep`). */
const MAX_DEPTH = 60;

/** Moves over blank lines and comments; the indent of the line found there, or -1 at the end. */
export function nextIndent(cursor: Cursor): number {
  BLANK_LINES.lastIndex = cursor.pos;
  BLANK_LINES.test(cursor.text);
  cursor.pos = BLANK_LINES.lastIndex;
  if (cursor.pos >= cursor.end) return -1;
  INDENT.lastIndex = cursor.pos;
  INDENT.test(cursor.text);
  return INDENT.lastIndex - cursor.pos;
}

/** The block collection whose lines are indented by `indent`; the cursor stands at a line start. */
function readBlock(cursor: Cursor, indent: number, depth = 0): MappingNode | SequenceNode | undefined {
  if (depth > MAX_DEPTH) return undefined;
  return isDash(cursor.text, cursor.pos + indent)
    ? readItems(cursor, indent, depth)
    : readEntries(cursor, indent, depth, cursor.pos + indent);
}

function isDash(text: string, at: number): boolean {
  return text.charCodeAt(at) === 45 && text.charCodeAt(at + 1) === 32;
}

/** Entries in column `indent`, the first of which starts at `first`. */
function readEntries(cursor: Cursor, indent: number, depth: number, first: number): MappingNode | undefined {
  const entries: Entry[] = [];
  const names = new Set<string | null>();
  for (let start = first; ; start = cursor.pos + indent) {
    cursor.pos = start;
    const entry = readEntry(cursor, indent, depth);
    if (entry === undefined || names.has(entry.name)) return undefined;
    names.add(entry.name);
    entries.push(entry);
    const next = nextIndent(cursor);
    if (next > indent) return undefined;
    if (next < indent) return nodeMapping({ start: first, end: entry.value.end }, false, entries);
  }
}

/** One `key: value`, the cursor at the key; undefined if it is not canonical. */
export function readEntry(cursor: Cursor, indent: number, depth: number): Entry | undefined {
  const start = cursor.pos;
  KEY.lastIndex = start;
  const key = KEY.exec(cursor.text)?.[1];
  if (key === undefined) return undefined;
  cursor.pos = KEY.lastIndex;
  const value = skipTail(cursor) ? readNested(cursor, indent, depth) : readInline(cursor);
  if (value === undefined) return undefined;
  const name = key.startsWith('"') ? key.slice(1, -1) : key;
  return { name, start, keyEnd: start + key.length, value, end: value.end };
}

function skipTail(cursor: Cursor): boolean {
  // A comment needs a blank before it, which the key's pattern may have taken.
  TAIL.lastIndex = cursor.text.charCodeAt(cursor.pos) === 35 ? cursor.pos - 1 : cursor.pos;
  if (!TAIL.test(cursor.text)) return false;
  cursor.pos = TAIL.lastIndex;
  return true;
}

function readNested(cursor: Cursor, indent: number, depth: number): Node | undefined {
  const next = nextIndent(cursor);
  if (next > indent) return readBlock(cursor, next, depth + 1);
  if (next === indent && isDash(cursor.text, cursor.pos + indent)) return readItems(cursor, indent, depth + 1);
  return undefined;
}

function readItems(cursor: Cursor, indent: number, depth: number): SequenceNode | undefined {
  const start = cursor.pos + indent;
  const items: Node[] = [];
  while (true) {
    const item = readItem(cursor, indent, depth);
    if (item === undefined) return undefined;
    items.push(item);
    const next = nextIndent(cursor);
    if (next > indent) return undefined;
    if (next < indent || !isDash(cursor.text, cursor.pos + indent))
      return nodeSequence({ start, end: item.end }, false, items);
  }
}

/** One item of a block sequence in column `indent`; the cursor stands at the start of its line. */
export function readItem(cursor: Cursor, indent: number, depth: number): Node | undefined {
  GAP.lastIndex = cursor.pos + indent + 1;
  GAP.test(cursor.text);
  const start = GAP.lastIndex;
  KEY.lastIndex = start;
  if (KEY.test(cursor.text))
    return depth > MAX_DEPTH ? undefined : readEntries(cursor, start - cursor.pos, depth + 1, start);
  cursor.pos = start;
  return readInline(cursor);
}

/** A scalar, a flow list of scalars, `[]` or `{}`, and the rest of its line. */
function readInline(cursor: Cursor): Node | undefined {
  const node = readValue(cursor);
  return node !== undefined && skipTail(cursor) ? node : undefined;
}

function readValue(cursor: Cursor): Node | undefined {
  const start = cursor.pos;
  const first = cursor.text.charCodeAt(start);
  if (first === 91) return readFlowList(cursor);
  if (first !== 123) return readScalar(cursor, PLAIN);
  if (!cursor.text.startsWith("{}", start)) return undefined;
  cursor.pos += 2;
  return nodeMapping({ start, end: cursor.pos }, true, []);
}

function readFlowList(cursor: Cursor): SequenceNode | undefined {
  const start = cursor.pos++;
  const items: Node[] = [];
  skipGap(cursor);
  while (cursor.text.charCodeAt(cursor.pos) !== 93) {
    if (items.length > 0) {
      if (cursor.text.charCodeAt(cursor.pos) !== 44) return undefined;
      cursor.pos++;
      skipGap(cursor);
    }
    const item = readScalar(cursor, PLAIN_IN_FLOW);
    if (item === undefined) return undefined;
    items.push(item);
    skipGap(cursor);
  }
  cursor.pos++;
  return nodeSequence({ start, end: cursor.pos }, true, items);
}

function skipGap(cursor: Cursor): void {
  GAP.lastIndex = cursor.pos;
  GAP.test(cursor.text);
  cursor.pos = GAP.lastIndex;
}

function readScalar(cursor: Cursor, plain: RegExp): Node | undefined {
  const start = cursor.pos;
  const first = cursor.text.charCodeAt(start);
  const quoted = first === 34 || first === 39;
  const pattern =
    first === 34 ? DOUBLE : first === 39 ? SINGLE : first === 45 || (first >= 48 && first <= 57) ? NUMBER : plain;
  pattern.lastIndex = start;
  const found = pattern.exec(cursor.text);
  if (found === null) return undefined;
  const end = pattern.lastIndex;
  const value = quoted ? unescaped(found[1] ?? "", first) : pattern === NUMBER ? Number(found[0]) : constant(found[0]);
  if (value === undefined) return undefined;
  cursor.pos = end;
  return { kind: "scalar", style: quoted ? "quoted" : "plain", value, start, end };
}

function unescaped(raw: string, quote: number): string | undefined {
  return quote === 34 ? unescapeDouble(raw) : raw;
}

/** What a double-quoted scalar's inside means; undefined for an escape that JSON does not have. */
export function unescapeDouble(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  return hasJsonEscapes(raw) ? (JSON.parse(`"${raw}"`) as string) : undefined;
}

/** YAML has more escapes than JSON; those that both have mean the same. */
export function hasJsonEscapes(raw: string): boolean {
  return ESCAPES.test(raw);
}

function constant(word: string): Scalar | undefined {
  if (Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
  return OTHER_CONSTANT.test(word) ? undefined : word;
}
