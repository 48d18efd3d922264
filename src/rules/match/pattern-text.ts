/** A pattern's tree as text for an engine: Node's own, or the linear one (`linear.ts`). */
import type { ClassLetter, Edge, PatternNode, PatternTree, SetItem } from "./pattern-node.ts";

/**
 * `ascii`: Node's engine with flag `i`, for text of ASCII alone. `unicode`: with flags `iv`, for any text.
 * `linear`: RE2's syntax, for text of ASCII alone.
 */
export type Dialect = "ascii" | "unicode" | "linear";

/** RE2 counts no further. */
const MOST_COUNTED = 1000;
const BLANKS = String.raw`\t-\r\x1c-\x20`;
const WIDE_BLANKS = String.raw`${BLANKS}\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const NO_BLANKS = String.raw`\x00-\x08\x0e-\x1b\x21-\x7f`;
const WORD = String.raw`[\p{L}\p{N}_]`;

/** Classes as they are inside of [ ]. */
const NARROW: Readonly<Record<ClassLetter, string>> = {
  d: "0-9",
  D: String.raw`\x00-\x2f\x3a-\x7f`,
  w: "0-9A-Za-z_",
  W: String.raw`\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f`,
  s: BLANKS,
  S: NO_BLANKS,
};
const WIDE: Readonly<Record<ClassLetter, string>> = {
  d: String.raw`\p{Nd}`,
  D: String.raw`[^\p{Nd}]`,
  w: String.raw`\p{L}\p{N}_`,
  W: String.raw`[^\p{L}\p{N}_]`,
  s: WIDE_BLANKS,
  S: `[^${WIDE_BLANKS}]`,
};
/** `(?a)` on any text. */
const NARROW_ON_WIDE: Readonly<Record<ClassLetter, string>> = {
  ...NARROW,
  D: "[^0-9]",
  W: "[^0-9A-Za-z_]",
  S: `[^${BLANKS}]`,
};

/** The pattern for that engine; null: the engine cannot do it. */
export function patternText(tree: PatternTree, dialect: Dialect): string | null {
  const classes = dialect !== "unicode" ? NARROW : tree.asciiClasses ? NARROW_ON_WIDE : WIDE;
  const narrow = dialect !== "unicode" || tree.asciiClasses;
  if (dialect === "linear" && tree.refersBack) return null;
  return write(tree.root, { dialect, classes, narrow, captures: tree.refersBack });
}

interface Style {
  readonly dialect: Dialect;
  readonly classes: Readonly<Record<ClassLetter, string>>;
  /** A word's edge is known of ASCII alone. */
  readonly narrow: boolean;
  /** Groups are counted: something refers back. */
  readonly captures: boolean;
}

function write(node: PatternNode, style: Style): string | null {
  switch (node.kind) {
    case "text":
      return character(node.code, style);
    case "any":
      return node.lines ? String.raw`[\s\S]` : except(String.raw`\n`, style);
    case "set":
      return set(node.items, node.negated, style);
    case "edge":
      return edge(node.of, style);
    case "back":
      return `(?:\\${node.group})`;
    case "group":
      return wrap(node.captures && style.captures ? "(" : "(?:", write(node.body, style));
    case "look":
      return style.dialect === "linear" ? null : wrap(`(${node.sign}`, write(node.body, style));
    case "repeat":
      return repeat(node, style);
    case "sequence":
      return joined(node.items, "", style);
    case "choice":
      return wrap("(?:", joined(node.options, "|", style));
  }
}

function wrap(open: string, inner: string | null): string | null {
  return inner === null ? null : `${open}${inner})`;
}

function joined(nodes: readonly PatternNode[], between: string, style: Style): string | null {
  const parts: string[] = [];
  for (const node of nodes) {
    const part = write(node, style);
    if (part === null) return null;
    parts.push(part);
  }
  return parts.join(between);
}

function repeat(node: Extract<PatternNode, { kind: "repeat" }>, style: Style): string | null {
  const { min, max, lazy } = node;
  if (style.dialect === "linear" && (min > MOST_COUNTED || (max !== Number.POSITIVE_INFINITY && max > MOST_COUNTED)))
    return null;
  const body = write(node.body, style);
  if (body === null) return null;
  const high = max === Number.POSITIVE_INFINITY ? "" : max;
  const count = min === 0 && high === "" ? "*" : min === 1 && high === "" ? "+" : `{${min},${high}}`;
  return `(?:${body})${count}${lazy ? "?" : ""}`;
}

/** Everything but letters and digits by its number: no engine takes that for syntax. */
function character(code: number, { dialect }: Style): string {
  const unit = String.fromCodePoint(code);
  if (/^[A-Za-z0-9]$/.test(unit)) return unit;
  const number = code.toString(16);
  if (code < 0x80) return `\\x${number.padStart(2, "0")}`;
  return dialect === "linear" ? `\\x{${number}}` : dialect === "unicode" ? `\\u{${number}}` : unitsOf(unit);
}

function unitsOf(unit: string): string {
  return [...Array(unit.length).keys()].map((at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

function set(items: readonly SetItem[], negated: boolean, style: Style): string | null {
  // In text of ASCII alone nothing beyond it is met, and two halves of a character would be two members.
  const last = style.dialect === "unicode" ? 0x10ffff : 0x7f;
  const members = items.flatMap((item) => {
    if ("class" in item) return style.classes[item.class];
    if (item.from > last) return [];
    const [low, high] = [character(item.from, style), character(Math.min(item.to, last), style)];
    return low === high ? low : `${low}-${high}`;
  });
  if (members.length > 0) return negated ? except(members.join(""), style) : `[${members.join("")}]`;
  return negated ? String.raw`[\s\S]` : String.raw`[^\x00-\x7f]`;
}

/**
 * Every character but these. Up to Node 20 the engine loses matches of a repeated group that holds a negated class, with
 * flag `v`; within another class it does not.
 */
function except(members: string, { dialect }: Style): string {
  return dialect === "unicode" ? `[[^${members}]]` : `[^${members}]`;
}

function edge(of: Edge, { dialect, narrow }: Style): string | null {
  const linear = dialect === "linear";
  switch (of) {
    case "start":
      return linear ? String.raw`\A` : "^";
    case "end":
      return linear ? String.raw`\z` : "$";
    case "before_end":
      return linear ? String.raw`(?:\n?\z)` : String.raw`(?=\n?$)`;
    case "line_start":
      return linear ? "(?m:^)" : String.raw`(?:^|(?<=\n))`;
    case "line_end":
      return linear ? "(?m:$)" : String.raw`(?=\n|$)`;
    case "word":
      return narrow && dialect !== "unicode" ? String.raw`\b` : wordEdge(narrow);
    case "inside":
      return narrow && dialect !== "unicode" ? String.raw`\B` : `(?!${wordEdge(narrow)})`;
  }
}

function wordEdge(narrow: boolean): string {
  const word = narrow ? "[0-9A-Za-z_]" : WORD;
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
}
