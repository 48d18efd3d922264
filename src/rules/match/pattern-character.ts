/** The smallest parts of a pattern: escapes, and sets of characters in brackets. */
import type { ClassLetter, Edge, PatternNode, SetItem } from "./pattern-node.ts";
import { Fault, type Reader } from "./pattern-node.ts";

export function backTo(reader: Reader, group: number | undefined, at: number): PatternNode {
  if (group === undefined || group > reader.groups) throw new Fault("it refers back to a group that is not there", at);
  reader.refersBack = true;
  return { kind: "back", group };
}

const EDGES: Readonly<Record<string, Edge>> = { A: "start", Z: "end", b: "word", B: "inside" };

export function readEscape(reader: Reader): PatternNode {
  const { source, at } = reader;
  const unit = source[at + 1] ?? "";
  const edge = EDGES[unit];
  if (edge !== undefined) {
    reader.at += 2;
    return { kind: "edge", of: edge };
  }
  if (/[dDwWsS]/.test(unit)) {
    reader.at += 2;
    return { kind: "set", negated: false, items: [{ class: unit as ClassLetter }] };
  }
  const number = /[1-9]\d?/y;
  number.lastIndex = at + 1;
  const group = number.exec(source)?.[0];
  if (group !== undefined && !/^[0-3][0-7]{2}/.test(source.slice(at + 1))) {
    reader.at += 1 + group.length;
    return backTo(reader, Number(group), at);
  }
  return { kind: "text", code: readCharacter(reader) };
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** The one character that an escape stands for. */
function readCharacter(reader: Reader): number {
  const { source, at } = reader;
  const coded = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(0[0-7]{0,2}|[1-3][0-7]{2}))/y;
  coded.lastIndex = at;
  const found = coded.exec(source);
  if (found !== null) {
    const [, byte, short, long, octal] = found;
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff) throw new Fault("there is no such character", at);
    reader.at = coded.lastIndex;
    return code;
  }
  const code = source.codePointAt(at + 1);
  if (code === undefined) throw new Fault("it ends with a single \\; write \\\\", at);
  const unit = String.fromCodePoint(code);
  const control = CONTROLS[unit];
  if (control === undefined && /[a-zA-Z0-9]/.test(unit)) throw new Fault(unknownEscape(unit), at);
  reader.at += 1 + unit.length;
  return control ?? code;
}

function unknownEscape(unit: string): string {
  if (unit === "p" || unit === "P") return `\\${unit} is not known in Python's syntax: write the characters in [ ]`;
  if (unit === "z") return "\\z is not known: the end of the text is \\Z";
  return `\\${unit} means nothing`;
}

export function readSet(reader: Reader): PatternNode {
  const from = reader.at++;
  const negated = reader.source[reader.at] === "^";
  if (negated) reader.at++;
  const items: SetItem[] = [];
  // A ] that stands first is one of the characters.
  for (let first = true; first || reader.source[reader.at] !== "]"; first = false) {
    if (reader.at >= reader.source.length) throw new Fault("an unclosed [; write \\[", from);
    items.push(readRange(reader));
  }
  reader.at++;
  return { kind: "set", negated, items };
}

function readRange(reader: Reader): SetItem {
  const begin = reader.at;
  const low = readMember(reader);
  const { source, at } = reader;
  if (source[at] !== "-" || source[at + 1] === "]" || at + 1 >= source.length)
    return typeof low === "number" ? { from: low, to: low } : low;
  reader.at++;
  const high = readMember(reader);
  if (typeof low !== "number" || typeof high !== "number" || high < low)
    throw new Fault("a range in [ ] ends below its beginning, or has a class for an end", begin);
  return { from: low, to: high };
}

function readMember(reader: Reader): number | { readonly class: ClassLetter } {
  const { source, at } = reader;
  const code = source.codePointAt(at) ?? 0;
  if (code !== 0x5c) {
    reader.at += String.fromCodePoint(code).length;
    return code;
  }
  const unit = source[at + 1] ?? "";
  if (/[dDwWsS]/.test(unit)) {
    reader.at += 2;
    return { class: unit as ClassLetter };
  }
  if (unit === "b") {
    reader.at += 2;
    return 8;
  }
  return readCharacter(reader);
}
