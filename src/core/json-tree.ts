/**
 * JSON with the place of every value, so that a problem can be shown where it stands and an edit changes only
 * what it must. Strict (RFC 8259), but for a byte order mark in front; or as settings have it, with comments, trailing
 * commas, and of two members of one name the later one.
 *
 * JSON-TREE-1 in strict JSON a key is once in its object: which of two would count is anybody's guess;
 * JSON-TREE-2 nesting is bounded.
 */
import type { Problem } from "./problem.ts";

export interface Range {
  /** Offset in UTF-16 units. */
  readonly start: number;
  /** Behind the last unit. */
  readonly end: number;
}

export interface ScalarNode extends Range {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}
export interface ListNode extends Range {
  readonly kind: "list";
  readonly items: readonly JsonNode[];
}
export interface Entry {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
}
export interface ObjectNode extends Range {
  readonly kind: "object";
  /** In the order of the text, whatever the keys look like. */
  readonly entries: readonly Entry[];
  /** The last member has a comma behind it. */
  readonly trailing: boolean;
}
export type JsonNode = ScalarNode | ListNode | ObjectNode;

export type ReadJson =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Levels of nesting (JSON-TREE-2). */
const MAX_DEPTH = 200;

interface Cursor {
  readonly text: string;
  readonly blank: RegExp;
  readonly loose: boolean;
  at: number;
  /** The bracket that was closed last has a comma before it. */
  trailing: boolean;
}

/** Never leaves `readJson`, which turns it into a value. */
class Broken extends Error {
  readonly at: number;
  readonly hint: string;
  readonly code: "json_syntax" | "duplicate_key" | "too_deep";
  constructor(message: string, at: number, hint: string, code: Broken["code"] = "json_syntax") {
    super(message);
    this.at = at;
    this.hint = hint;
    this.code = code;
  }
}

/**
 * The text's root value, or the first thing that is wrong with it as JSON.
 * @param loose JSON as settings have it
 */
export function readJson(text: string, loose = false): ReadJson {
  const at = text.startsWith("\ufeff") ? 1 : 0;
  const cursor: Cursor = { text, loose, blank: loose ? COMMENTED : BLANK, at, trailing: false };
  try {
    const root = value(cursor, 0);
    blank(cursor);
    if (cursor.at < text.length)
      throw new Broken(
        "unexpected text after the end of the JSON value",
        cursor.at,
        "remove it, or the bracket before",
      );
    return { ok: true, root };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const found = /^\S{1,40}/.exec(text.slice(error.at))?.[0];
    return {
      ok: false,
      problems: [
        {
          code: error.code,
          message: error.message,
          ...(found === undefined ? {} : { found }),
          hint: error.hint,
          at: placeOf(text, error.at),
        },
      ],
    };
  }
}

/** The value under a key. */
export function under(node: ObjectNode, key: string): JsonNode | undefined {
  return node.entries.findLast((entry) => entry.key === key)?.value;
}

/** What JSON.parse makes of it. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(valueOf);
  return Object.fromEntries(node.entries.map(({ key, value: member }) => [key, valueOf(member)]));
}

/** 1-based place of an offset. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(text.startsWith("\ufeff") ? 1 : 0, offset);
  const lines = before.split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function value(cursor: Cursor, depth: number): JsonNode {
  blank(cursor);
  if (depth > MAX_DEPTH)
    throw new Broken(`nested deeper than ${MAX_DEPTH} levels`, cursor.at, "flatten it", "too_deep");
  switch (cursor.text[cursor.at]) {
    case "{":
      return object(cursor, depth);
    case "[":
      return list(cursor, depth);
    case '"':
      return string(cursor);
    case undefined:
      throw new Broken(
        "the text ends where a value belongs",
        cursor.at,
        "close what is open, or look for a cut-off file",
      );
    default:
      return literal(cursor);
  }
}

function object(cursor: Cursor, depth: number): ObjectNode {
  const start = cursor.at++;
  const entries: Entry[] = [];
  const keys = new Set<string>();
  for (let more = !closes(cursor, "}"); more; more = goesOn(cursor, "}")) {
    blank(cursor);
    const at = cursor.at;
    if (cursor.text[at] !== '"')
      throw new Broken(
        "a key in double quotes belongs here",
        at,
        'write keys as "key", and no comma behind the last one',
      );
    const key = String(string(cursor).value);
    if (keys.has(key) && !cursor.loose)
      throw new Broken(
        `the key ${JSON.stringify(key)} is defined twice in the same object`,
        at,
        "keep one of the two",
        "duplicate_key",
      );
    keys.add(key);
    blank(cursor);
    if (cursor.text[cursor.at] !== ":")
      throw new Broken("a colon belongs behind a key", cursor.at, 'write "key": value');
    cursor.at++;
    entries.push({ key, start: at, value: value(cursor, depth + 1) });
  }
  return { kind: "object", start, end: cursor.at, entries, trailing: cursor.trailing };
}

function list(cursor: Cursor, depth: number): ListNode {
  const start = cursor.at++;
  const items: JsonNode[] = [];
  for (let more = !closes(cursor, "]"); more; more = goesOn(cursor, "]")) items.push(value(cursor, depth + 1));
  return { kind: "list", start, end: cursor.at, items };
}

/** Takes the closing bracket if it is what comes next. */
function closes(cursor: Cursor, bracket: string): boolean {
  blank(cursor);
  if (cursor.text[cursor.at] !== bracket) return false;
  cursor.at++;
  cursor.trailing = false;
  return true;
}

/** Takes a comma (true) or the closing bracket (false). */
function goesOn(cursor: Cursor, bracket: string): boolean {
  if (closes(cursor, bracket)) return false;
  if (cursor.text[cursor.at] !== ",")
    throw new Broken(
      `a comma or ${bracket} belongs here`,
      cursor.at,
      "separate values with commas, and close the bracket",
    );
  cursor.at++;
  if (!cursor.loose || !closes(cursor, bracket)) return true;
  cursor.trailing = true;
  return false;
}

// oxlint-disable-next-line no-control-regex -- these are what JSON forbids inside a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;
const COMMENTED = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

function string(cursor: Cursor): ScalarNode {
  return scalar(
    cursor,
    STRING,
    "this string is not closed, or holds what a JSON string cannot",
    "close the quote; write a line break as \\n and a backslash as \\\\",
  );
}

function literal(cursor: Cursor): ScalarNode {
  return scalar(
    cursor,
    LITERAL,
    "this is no JSON value",
    "write a text in double quotes, a number, true, false, null, a list or an object; JSON has no comments",
  );
}

function scalar(cursor: Cursor, form: RegExp, message: string, hint: string): ScalarNode {
  form.lastIndex = cursor.at;
  const found = form.exec(cursor.text)?.[0];
  if (found === undefined) throw new Broken(message, cursor.at, hint);
  const start = cursor.at;
  cursor.at += found.length;
  return { kind: "scalar", start, end: cursor.at, value: JSON.parse(found) as ScalarNode["value"] };
}

function blank(cursor: Cursor): void {
  cursor.blank.lastIndex = cursor.at;
  cursor.blank.exec(cursor.text);
  cursor.at = cursor.blank.lastIndex;
}
