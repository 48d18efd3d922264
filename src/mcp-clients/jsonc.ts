/** JSON as configuration files have it, with comments and trailing commas: what it says, and what stands where. Pure. */

export interface JsonNode {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  readonly value: unknown;
  /** Of an object; of two members of one name the later one holds. */
  readonly members?: readonly JsonMember[];
  /** Of an object: the last member has a comma behind it. */
  readonly trailingComma?: boolean;
}

export interface JsonMember {
  readonly key: string;
  readonly node: JsonNode;
}

/** Thrown and caught inside: where the text is not JSON. */
class NotJson extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export type JsonRead =
  | { readonly ok: true; readonly node: JsonNode }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** How deep lists and objects may be. */
const DEEPEST = 200;

export function readJsonc(text: string): JsonRead {
  const reader = createReader(text);
  try {
    const node = reader.value(reader.skip(text.startsWith("\uFEFF") ? 1 : 0), 0);
    const end = reader.skip(node.end);
    if (end < text.length) throw new NotJson("there is more behind the value", end);
    return { ok: true, node };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, message: error.message, offset: error.offset };
    throw error;
  }
}

interface Reader {
  skip(from: number): number;
  value(from: number, depth: number): JsonNode;
}

const SPACE = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const PLAIN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

function createReader(text: string): Reader {
  const take = (pattern: RegExp, from: number): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  };
  const skip = (from: number): number => from + (take(SPACE, from) ?? "").length;
  const leaf = (from: number): JsonNode => {
    const word = take(text[from] === '"' ? STRING : PLAIN, from);
    if (word === undefined)
      throw new NotJson(from < text.length ? "a value is wanted here" : "it ends too early", from);
    return { start: from, end: from + word.length, value: JSON.parse(word) as unknown };
  };
  /** Items up to `close`, with commas between them and perhaps one behind. @returns where `close` stands */
  const items = (from: number, close: string, item: (at: number) => number): { end: number; trailing: boolean } => {
    let at = skip(from);
    let trailing = false;
    while (text[at] !== close) {
      at = skip(item(at));
      trailing = text[at] === ",";
      if (trailing) at = skip(at + 1);
      else if (text[at] !== close) throw new NotJson(`a comma or ${close} is wanted here`, at);
    }
    return { end: at + 1, trailing };
  };
  const object = (start: number, depth: number): JsonNode => {
    const members: JsonMember[] = [];
    const { end, trailing } = items(start + 1, "}", (at) => {
      if (text[at] !== '"') throw new NotJson("a name in quotes is wanted here", at);
      const key = leaf(at);
      const colon = skip(key.end);
      if (text[colon] !== ":") throw new NotJson("a colon is wanted here", colon);
      const node = value(skip(colon + 1), depth + 1);
      members.push({ key: String(key.value), node });
      return node.end;
    });
    const entries = members.map(({ key, node }) => [key, node.value] as const);
    return { start, end, value: Object.fromEntries(entries), members, trailingComma: trailing };
  };
  const list = (start: number, depth: number): JsonNode => {
    const values: unknown[] = [];
    const { end } = items(start + 1, "]", (at) => {
      const node = value(at, depth + 1);
      values.push(node.value);
      return node.end;
    });
    return { start, end, value: values };
  };
  const value = (from: number, depth: number): JsonNode => {
    if (depth > DEEPEST) throw new NotJson("it is nested too deep", from);
    if (text[from] === "{") return object(from, depth);
    return text[from] === "[" ? list(from, depth) : leaf(from);
  };
  return { skip, value };
}
