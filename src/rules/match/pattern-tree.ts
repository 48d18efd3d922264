/**
 * A regular expression as rule files write it: Python's syntax (SPEC section 12). It is read into a tree, from which the
 * text for an engine is written (`pattern-text.ts`).
 *
 * PATTERN-TREE-1 what is read means the same here as it does there; what cannot is a fault with its place, never a guess;
 * PATTERN-TREE-2 matching never minds the case, as where these rules come from.
 */
import { backTo, readEscape, readSet } from "./pattern-character.ts";
import type { PatternNode, PatternTree } from "./pattern-node.ts";
import { Fault, type PatternFault, type Reader } from "./pattern-node.ts";

const DEEPEST = 60;
/** Repetitions inside of repetitions, multiplied. */
const MOST_REPEATS = 20_000;
const ENDLESS = Number.POSITIVE_INFINITY;

/** Reads a pattern; a fault where it is wrong, or says what no engine here can do. */
export function readPattern(source: string): PatternTree | PatternFault {
  const reader: Reader = {
    source,
    at: 0,
    depth: 0,
    flags: "",
    asciiClasses: false,
    refersBack: false,
    groups: 0,
    names: new Map(),
  };
  try {
    const root = readChoice(reader);
    if (reader.at < source.length) throw new Fault("an unopened ); write \\)", reader.at);
    if (repeatsOf(root) > MOST_REPEATS) throw new Fault(`it repeats more than ${MOST_REPEATS} times`, 0);
    return { root, asciiClasses: reader.asciiClasses, refersBack: reader.refersBack };
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

function readChoice(reader: Reader): PatternNode {
  if (++reader.depth > DEEPEST) throw new Fault(`groups are nested deeper than ${DEEPEST} levels`, reader.at);
  const options = [readSequence(reader)];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    options.push(readSequence(reader));
  }
  reader.depth--;
  return options.length === 1 ? (options[0] ?? { kind: "sequence", items: [] }) : { kind: "choice", options };
}

function readSequence(reader: Reader): PatternNode {
  const items: PatternNode[] = [];
  for (;;) {
    skipComments(reader);
    const unit = reader.source[reader.at];
    if (unit === undefined || unit === "|" || unit === ")") break;
    const from = reader.at;
    const atom = readAtom(reader);
    if (atom === null) continue;
    items.push(readRepeats(reader, atom, from));
  }
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "sequence", items };
}

/** White space and comments under (?x). */
function skipComments(reader: Reader): void {
  if (!reader.flags.includes("x")) return;
  const blank = /(?:[ \t\n\r\f\v]+|#[^\n]*)*/y;
  blank.lastIndex = reader.at;
  blank.exec(reader.source);
  reader.at = blank.lastIndex;
}

function readRepeats(reader: Reader, body: PatternNode, from: number): PatternNode {
  skipComments(reader);
  const count = readCount(reader);
  if (count === null) return body;
  if (body.kind === "edge" && body.of === "start") throw new Fault("there is nothing to repeat", from);
  const mark = reader.source[reader.at];
  if (mark === "+")
    throw new Fault("a quantifier with + behind it (possessive) is not known here: leave the + out", reader.at);
  const lazy = mark === "?";
  if (lazy) reader.at++;
  skipComments(reader);
  const again = reader.at;
  if (readCount(reader) !== null) throw new Fault("two quantifiers in a row: put the first in (?: )", again);
  return { kind: "repeat", body, ...count, lazy };
}

/** The quantifier that is here; null: none does. */
function readCount(reader: Reader): { readonly min: number; readonly max: number } | null {
  const unit = reader.source[reader.at];
  const simple = unit === "*" ? [0, ENDLESS] : unit === "+" ? [1, ENDLESS] : unit === "?" ? [0, 1] : null;
  if (simple !== null) {
    reader.at++;
    return { min: simple[0] ?? 0, max: simple[1] ?? 0 };
  }
  const braces = /\{(?!\})(\d*)(,?)(\d*)\}/y;
  braces.lastIndex = reader.at;
  const found = braces.exec(reader.source);
  if (found === null) return null;
  const [, low = "", comma = "", high = ""] = found;
  const min = low === "" ? 0 : Number(low);
  const max = comma === "" ? min : high === "" ? ENDLESS : Number(high);
  if (max < min) throw new Fault("a quantifier ends below its beginning", reader.at);
  if (min > MOST_REPEATS || (max !== ENDLESS && max > MOST_REPEATS))
    throw new Fault(`it repeats more than ${MOST_REPEATS} times`, reader.at);
  reader.at = braces.lastIndex;
  return { min, max };
}

function readAtom(reader: Reader): PatternNode | null {
  const { source, at, flags } = reader;
  const code = source.codePointAt(at) ?? 0;
  const unit = String.fromCodePoint(code);
  if (unit === "(") return readGroup(reader);
  if (unit === "[") return readSet(reader);
  if (unit === "\\") return readEscape(reader);
  if (unit === "*" || unit === "+" || unit === "?" || startsCount(reader))
    throw new Fault(`there is nothing to repeat before ${unit}`, at);
  reader.at += unit.length;
  if (unit === ".") return { kind: "any", lines: flags.includes("s") };
  if (unit === "^") return { kind: "edge", of: flags.includes("m") ? "line_start" : "start" };
  if (unit === "$") return { kind: "edge", of: flags.includes("m") ? "line_end" : "before_end" };
  // A backspace is a `\b` that YAML's double quotes have eaten: nobody looks for one.
  if (code === 8) return { kind: "edge", of: "word" };
  return { kind: "text", code };
}

function startsCount(reader: Reader): boolean {
  if (reader.source[reader.at] !== "{") return false;
  const before = reader.at;
  const counts = readCount(reader) !== null;
  reader.at = before;
  return counts;
}

function readGroup(reader: Reader): PatternNode | null {
  const { source, at } = reader;
  const head =
    /\((?:\?(?:P<(\w+)>|<(\w+)>|(P=)(\w+)\)|(<=|<!|=|!)|(:)|(#)[^)]*\)|([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)]))|(?!\?))/y;
  head.lastIndex = at;
  const found = head.exec(source);
  if (found === null) throw new Fault(unknownGroup(source.slice(at, at + 4)), at);
  reader.at = head.lastIndex;
  const [, named, plain, isBack, back, look, , comment, on = "", off, end] = found;
  if (comment !== undefined) return null;
  if (isBack !== undefined) return backTo(reader, reader.names.get(back ?? ""), at);
  if (end !== undefined) return readFlags(reader, { on, off: off ?? "" }, end === ":", at);
  const name = named ?? plain;
  const captures = look === undefined && found[6] === undefined;
  if (captures) reader.groups++;
  if (name !== undefined) {
    if (reader.names.has(name)) throw new Fault(`two groups have the name ${name}`, at);
    reader.names.set(name, reader.groups);
  }
  const body = readBody(reader, at);
  if (look === undefined) return { kind: "group", captures, body };
  return { kind: "look", sign: `?${look}` as "?=" | "?!" | "?<=" | "?<!", body };
}

function unknownGroup(head: string): string {
  if (head.startsWith("(?>")) return "an atomic group (?> is not known here: write (?:";
  if (head.startsWith("(?(")) return "a conditional group (?( is not known here: write two rules, or two alternatives";
  return `a group that begins with ${head} is not known`;
}

/** Up to the group's end; flags that were set inside end with it. */
function readBody(reader: Reader, from: number): PatternNode {
  const { flags } = reader;
  const body = readChoice(reader);
  if (reader.source[reader.at] !== ")") throw new Fault("an unclosed (; write \\(", from);
  reader.at++;
  reader.flags = flags;
  return body;
}

/** `(?i)` for what follows, `(?s:...)` for the group. Case is never minded, so that i changes nothing. */
function readFlags(
  reader: Reader,
  { on, off }: { readonly on: string; readonly off: string },
  scoped: boolean,
  at: number,
): PatternNode | null {
  const strange = /[^imsxau]/.exec(on)?.[0] ?? /[^imsx]/.exec(off)?.[0];
  if (strange !== undefined) throw new Fault(`the flag ${strange} is not known here`, at);
  if (on === "" && off === "") throw new Fault("a group that begins with (?) is not known", at);
  if (scoped && on.includes("a")) throw new Fault("(?a: is not known here: write (?a) at the beginning", at);
  if (off.includes("i")) throw new Fault("(?-i: is not known here: rules never mind the case", at);
  if (on.includes("a")) reader.asciiClasses = true;
  const before = reader.flags;
  reader.flags = ["s", "m", "x"].filter((flag) => (before + on).includes(flag) && !off.includes(flag)).join("");
  if (!scoped) return null;
  const body = readBody(reader, at);
  reader.flags = before;
  return { kind: "group", captures: false, body };
}

function repeatsOf(node: PatternNode): number {
  switch (node.kind) {
    case "group":
    case "look":
      return repeatsOf(node.body);
    case "repeat":
      return Math.max(1, node.max === ENDLESS ? node.min : node.max) * repeatsOf(node.body);
    case "sequence":
      return node.items.reduce((most, item) => Math.max(most, repeatsOf(item)), 1);
    case "choice":
      return node.options.reduce((most, option) => Math.max(most, repeatsOf(option)), 1);
    default:
      return 1;
  }
}
