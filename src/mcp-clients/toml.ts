/** The outline of a TOML file: its tables, their keys, and where the values stand. Pure. */

export interface TomlTable {
  /** Empty: the keys above the first header. */
  readonly path: readonly string[];
  /** Behind the header's line. */
  readonly body: number;
  readonly pairs: readonly TomlPair[];
}

export interface TomlPair {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  /** A string, or a list of strings; undefined: something else. */
  readonly value: string | readonly string[] | undefined;
}

export type TomlRead =
  | { readonly ok: true; readonly tables: readonly TomlTable[] }
  | { readonly ok: false; readonly message: string; readonly offset: number };

class NotToml extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const INLINE = /[ \t]*/y;
const LINE_END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const LITERAL = /'[^'\n]*'/y;
const BASIC =
  /"(?:[^"\\\u0000-\u0008\n\u000b-\u001f\u007f]|\\(?:["\\befnrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*"/y;
const LONG = /"""(?:[^"\\]|\\[^]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}/y;
const SCALAR =
  /(?:true|false|[+-]?(?:inf|nan)|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)(?![\w.+:-])/y;

const DEEPEST = 200;

export function readToml(text: string): TomlRead {
  try {
    return { ok: true, tables: tablesOf(text) };
  } catch (error) {
    if (error instanceof NotToml) return { ok: false, message: error.message, offset: error.offset };
    throw error;
  }
}

function tablesOf(text: string): TomlTable[] {
  const scan = createScanner(text);
  const tables: { path: readonly string[]; body: number; pairs: TomlPair[] }[] = [{ path: [], body: 0, pairs: [] }];
  let at = scan.skip(BLANK, text.startsWith("\uFEFF") ? 1 : 0);
  while (at < text.length) {
    const open = /\[\[?/y;
    open.lastIndex = at;
    const bracket = open.exec(text)?.[0];
    if (bracket === undefined) {
      const pair = scan.pair(at, 0);
      tables.at(-1)?.pairs.push(pair);
      at = scan.lineEnd(pair.end);
    } else {
      const key = scan.key(scan.skip(INLINE, at + bracket.length));
      const close = scan.skip(INLINE, key.end);
      const wanted = bracket.replaceAll("[", "]");
      if (!text.startsWith(wanted, close)) throw new NotToml(`${wanted} is wanted here`, close);
      at = scan.lineEnd(close + wanted.length);
      tables.push({ path: key.path, body: at, pairs: [] });
    }
    at = scan.skip(BLANK, at);
  }
  return tables;
}

interface Scanner {
  skip(pattern: RegExp, from: number): number;
  lineEnd(from: number): number;
  key(from: number): { readonly path: readonly string[]; readonly end: number };
  pair(from: number, depth: number): TomlPair;
}

function createScanner(text: string): Scanner {
  const take = (pattern: RegExp, from: number): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  };
  const skip = (pattern: RegExp, from: number): number => from + (take(pattern, from) ?? "").length;
  const lineEnd = (from: number): number => {
    const rest = take(LINE_END, from);
    if (rest === undefined) throw new NotToml("the end of the line is wanted here", from);
    return from + rest.length;
  };
  const key = (from: number): { path: string[]; end: number } => {
    const path: string[] = [];
    for (let at = from; ;) {
      const word = take(BARE_KEY, at) ?? take(BASIC, at) ?? take(LITERAL, at);
      if (word === undefined) throw new NotToml("a key is wanted here", at);
      path.push(/^["']/.test(word) ? stringOf(word) : word);
      const end = at + word.length;
      const dot = skip(INLINE, end);
      if (text[dot] !== ".") return { path, end };
      at = skip(INLINE, dot + 1);
    }
  };
  const items = (from: number, close: string, item: (at: number) => number): number => {
    let at = skip(BLANK, from);
    while (text[at] !== close) {
      at = skip(BLANK, item(at));
      if (text[at] === ",") at = skip(BLANK, at + 1);
      else if (text[at] !== close) throw new NotToml(`a comma or ${close} is wanted here`, at);
    }
    return at + 1;
  };
  const value = (from: number, depth: number): Omit<TomlPair, "path"> => {
    if (depth > DEEPEST) throw new NotToml("it is nested too deep", from);
    if (text[from] === "[") {
      const values: TomlPair["value"][] = [];
      const end = items(from + 1, "]", (at) => {
        const item = value(at, depth + 1);
        values.push(item.value);
        return item.end;
      });
      return { start: from, end, value: values.every((one) => typeof one === "string") ? values : undefined };
    }
    if (text[from] === "{")
      return { start: from, end: items(from + 1, "}", (at) => pair(at, depth + 1).end), value: undefined };
    const word = take(LONG, from) ?? take(BASIC, from) ?? take(LITERAL, from);
    if (word !== undefined) return { start: from, end: from + word.length, value: stringOf(word) };
    const scalar = take(SCALAR, from);
    if (scalar === undefined) throw new NotToml("a value is wanted here", from);
    return { start: from, end: from + scalar.length, value: undefined };
  };
  const pair = (from: number, depth: number): TomlPair => {
    const { path, end } = key(from);
    const equals = skip(INLINE, end);
    if (text[equals] !== "=") throw new NotToml("= is wanted here", equals);
    return { path, ...value(skip(INLINE, equals + 1), depth) };
  };
  return { skip, lineEnd, key, pair };
}

/** One of several lines is told as written: nothing that is compared here has several. */
function stringOf(word: string): string {
  if (word.startsWith("'")) return word.slice(1, -1);
  if (word.startsWith('"""')) return word;
  return word
    .slice(1, -1)
    .replace(
      /\\(?:(["\\befnrt])|x(..)|u(.{4})|U(.{8}))/g,
      (_, short: string | undefined, ...codes: (string | undefined)[]) => {
        const code = codes.slice(0, 3).find((one) => one !== undefined);
        return code === undefined
          ? (ESCAPES[short ?? ""] ?? "")
          : String.fromCodePoint(Math.min(0x10_ff_ff, parseInt(code, 16)));
      },
    );
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  b: "\b",
  e: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
