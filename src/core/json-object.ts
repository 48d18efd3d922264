/**
 * The last JSON object in a text that was meant for people: prose, code fences, logs, other objects.
 *
 * JSON-OBJECT-1 what is found is complete and top-level: a part of an unfinished object is never taken for an answer;
 * JSON-OBJECT-2 each position is visited at most twice (once as text, once inside a string), so time is linear in the text;
 * JSON-OBJECT-3 nothing but a strict JSON object counts: JSON.parse accepts exactly what the scan accepts;
 * JSON-OBJECT-4 an object that is nested too deep to be read (reading.ts) is none, and nothing before it or in it counts instead.
 */
import { parseObject } from "./reading.ts";

/** The text broke the grammar here; an object may still begin later. */
const BROKEN = -1;
/** The text ended inside the object. */
const UNFINISHED = -2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * The last complete top-level JSON object of `text`, or undefined if there is none. Text after it may
 * hold anything. If the text breaks off inside an object, what that object contains does not count.
 */
export function lastJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const tried = new Uint8Array(text.length);
  let found: { from: number; to: number } | undefined;
  let from = text.indexOf("{");
  while (from !== -1) {
    if (tried[from] === 1) {
      from = text.indexOf("{", from + 1);
      continue;
    }
    const end = objectEnd(text, from, tried);
    if (end === UNFINISHED) break;
    if (end !== BROKEN) found = { from, to: end };
    from = text.indexOf("{", end === BROKEN ? from + 1 : end);
  }
  return found === undefined ? undefined : (parseObject(text.slice(found.from, found.to)) ?? undefined);
}

/** What the grammar allows at this place. */
type Expected = "value" | "value_or_end" | "key" | "key_or_end" | "colon" | "comma_or_end";

interface Cursor {
  at: number;
  expected: Expected;
  /** The brackets that are open, outermost first. */
  readonly open: number[];
}

/** Offset behind the object that begins at `start`, BROKEN or UNFINISHED; marks every `{` that it took for structure. */
function objectEnd(text: string, start: number, tried: Uint8Array): number {
  const cursor: Cursor = { at: start, expected: "value", open: [] };
  do {
    cursor.at = spaceEnd(text, cursor.at);
    if (cursor.at >= text.length) return UNFINISHED;
    const depth = cursor.open.length;
    const end = advance(text, cursor);
    if (end < 0) return end;
    if (cursor.open.length > depth) tried[cursor.at] = 1;
    cursor.at = end;
  } while (cursor.open.length > 0);
  return cursor.at;
}

/** Takes one token; answers the offset behind it, BROKEN or UNFINISHED. */
function advance(text: string, cursor: Cursor): number {
  const code = text.charCodeAt(cursor.at);
  const { at, expected, open } = cursor;
  if (closes(code, expected, open.at(-1))) {
    open.pop();
    cursor.expected = "comma_or_end";
    return at + 1;
  }
  if (expected === "colon" || expected === "comma_or_end") {
    if (code !== (expected === "colon" ? COLON : COMMA)) return BROKEN;
    cursor.expected = expected === "comma_or_end" && open.at(-1) === OPEN_BRACE ? "key" : "value";
    return at + 1;
  }
  const isKey = expected === "key" || expected === "key_or_end";
  cursor.expected = isKey ? "colon" : "comma_or_end";
  if (code === QUOTE) return stringEnd(text, at);
  if (isKey) return BROKEN;
  if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return scalarEnd(text, at);
  open.push(code);
  cursor.expected = code === OPEN_BRACE ? "key_or_end" : "value_or_end";
  return at + 1;
}

function closes(code: number, expected: Expected, open: number | undefined): boolean {
  if (code === CLOSE_BRACE) return open === OPEN_BRACE && (expected === "key_or_end" || expected === "comma_or_end");
  if (code === CLOSE_BRACKET)
    return open === OPEN_BRACKET && (expected === "value_or_end" || expected === "comma_or_end");
  return false;
}

function spaceEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/** Offset behind the string that begins at `start`. A raw control character breaks it, as JSON says. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return BROKEN;
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at + 1;
      if (!ESCAPE.test(text)) return at + 6 > text.length ? UNFINISHED : BROKEN;
      at = ESCAPE.lastIndex;
    } else at += 1;
  }
  return UNFINISHED;
}

const SCALAR_CHARACTERS = /[-+.0-9a-zA-Z]*/y;
const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Offset behind the number or literal that begins at `start`. */
function scalarEnd(text: string, start: number): number {
  SCALAR_CHARACTERS.lastIndex = start;
  SCALAR_CHARACTERS.test(text);
  const end = SCALAR_CHARACTERS.lastIndex;
  if (end === text.length) return UNFINISHED;
  return SCALAR.test(text.slice(start, end)) ? end : BROKEN;
}
