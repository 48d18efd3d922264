/**
 * A regular expression as rule files write it (Python's syntax, SPEC section 12), in the spelling of the engines here.
 *
 * PATTERN-1 what is taken means here what it means there; what no engine takes is a fault, never a guess;
 * PATTERN-2 matching never minds the case, as where these rules come from.
 */
import type { Pattern } from "./rule.ts";

/** For Node's engine: `ascii` with flag `i` on text of ASCII alone, `unicode` with `iv` on any. `linear`: for re2js. */
export type Dialect = "ascii" | "unicode" | "linear";

const ESCAPE = String.raw`\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|0[0-7]{0,2}|[1-3][0-7]{2}|[1-9]\d?|[^])`;
const SET = String.raw`\[(\^?)(\]?(?:\\[^]|[^\]\\])*)\]`;
const GROUP = String.raw`\((?:\?(?:#[^)]*\)|P?<(\w+)>|P=(\w+)\)|([imsu]*)(?:-([ms]+))?([:)])|([=!]|<[=!]))|(?!\?))`;
const TOKENS = new RegExp(String.raw`${ESCAPE}|${SET}|${GROUP}|\{(?!\})(\d*)(,?)(\d*)\}|[^]`, "gu");
const MEMBERS = new RegExp(`(${ESCAPE}|[^])(?:-(${ESCAPE}|[^]))?`, "gu");
/** White space and comments are nothing under (?x), but within these. */
const SPACED = new RegExp(String.raw`(\\[^]|${SET})|\s+|#.*`, "gu");

const CONTROLS: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
/** Classes of Python that are spelled otherwise; beyond ASCII they hold what is alike in any script. */
const NARROW = new Map([
  ["s", String.raw`\t-\r\x1c-\x20`],
  ["S", String.raw`\x00-\x08\x0e-\x1b\x21-\x7f`],
]);
const WORD = String.raw`\p{L}\p{N}_`;
const WIDE = new Map([
  ["d", String.raw`\p{Nd}`],
  ["w", WORD],
  ["s", String.raw`\s\x1c-\x1f\x85`],
]);
const WORD_EDGE = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;

/** The pattern, or what is wrong with it and what to write instead. */
export function compilePattern(text: string): Pattern | { readonly message: string } {
  try {
    for (const [dialect, flags] of [["unicode", "iv"] as const, ["ascii", "i"] as const])
      new RegExp(translate(text, dialect), flags).test("");
    return { text };
  } catch (error) {
    return { message: inPlainWords(error instanceof Error ? error.message : String(error)) };
  }
}

/** @throws SyntaxError it holds what no engine here knows */
export function translate(source: string, dialect: Dialect): string {
  const spaced = /^\(\?[imsu]*x[imsu]*\)/.test(source);
  const text = spaced ? source.replace("x", "").replaceAll(SPACED, "$1") : source;
  const around: string[] = [];
  let flags = "";
  return text.replaceAll(TOKENS, (token, ...found: readonly (string | undefined)[]) => {
    const [not, members, name, back, on = "", off = "", end, look, low, comma, high = ""] = found;
    if (members !== undefined) return set(members, not === "^", dialect);
    if (low !== undefined) return `{${low || 0}${comma}${high}}`;
    if (back !== undefined) return `\\k<${back}>`;
    if (token.startsWith("(?#")) return "";
    if (token === ")") flags = around.pop() ?? "";
    if (end === ")") flags += on;
    if (end === ")" || token === ")") return end === ")" ? "" : token;
    if (!token.startsWith("(")) return unit(token, flags, dialect);
    around.push(flags);
    if (end === ":") flags = (flags + on).replaceAll(/./g, (flag) => (off.includes(flag) ? "" : flag));
    return end === ":" ? "(?:" : name !== undefined ? `(?<${name}>` : look !== undefined ? token : "(";
  });
}

/** What stands for itself, for a place, or for one of many characters. */
function unit(token: string, flags: string, dialect: Dialect): string {
  const [linear, lines] = [dialect === "linear", flags.includes("m")];
  if (/^\\[dwsDWS]$/.test(token)) return set(token, false, dialect);
  if (/^\\[1-9]\d?$/.test(token)) return `(?:${token})`;
  switch (token) {
    case "|":
    case "*":
    case "+":
    case "?":
    case "[":
      return token;
    case ".":
      return flags.includes("s") ? String.raw`[\s\S]` : set(String.raw`\n`, true, dialect);
    case "^":
      return !lines ? "^" : linear ? "(?m:^)" : String.raw`(?:^|(?<=\n))`;
    case "$":
      if (lines) return linear ? "(?m:$)" : String.raw`(?=\n|$)`;
      return linear ? String.raw`(?:\n?\z)` : String.raw`(?=\n?$)`;
    case "\\A":
      return "^";
    case "\\Z":
      return linear ? String.raw`\z` : "$";
    // A backspace is a `\b` that YAML's double quotes have eaten: nobody looks for one.
    case "\b":
    case "\\b":
      return dialect === "unicode" ? WORD_EDGE : "\\b";
    case "\\B":
      return dialect === "unicode" ? `(?!${WORD_EDGE})` : token;
    default:
      return character(token, dialect);
  }
}

/** Up to Node 20 flag `v` loses matches of a repeated group that holds a negated class, but not of one within another. */
function set(members: string, negated: boolean, dialect: Dialect): string {
  const inside = members.replaceAll(MEMBERS, (range: string, low: string, high?: string) => {
    if (high === undefined) return member(low, dialect);
    if (/^\\[dwsDWS]$/.test(low) || /^\\[dwsDWS]$/.test(high))
      throw new SyntaxError(`the range ${range} has a class for an end: write \\-`);
    return `${character(low, dialect)}-${character(high, dialect)}`;
  });
  return !negated ? `[${inside}]` : dialect === "unicode" ? `[[^${inside}]]` : `[^${inside}]`;
}

function member(token: string, dialect: Dialect): string {
  const letter = /^\\([dwsDWS])$/.exec(token)?.[1];
  if (letter === undefined) return character(token, dialect);
  if (dialect !== "unicode") return NARROW.get(letter) ?? token;
  return WIDE.get(letter) ?? `[^${WIDE.get(letter.toLowerCase())}]`;
}

/** One character, where it could be syntax by its number. */
function character(token: string, dialect: Dialect): string {
  const [, kind = "", rest = ""] = /^\\([xuU0-7]?)([^]*)$/u.exec(token) ?? [];
  let code = token.codePointAt(0) ?? 0;
  if (/[xuU]/.test(kind) && rest !== "") code = Number.parseInt(rest, 16);
  else if (kind !== "") code = Number.parseInt(kind + rest, 8);
  else if (token.startsWith("\\")) code = CONTROLS[rest] ?? rest.codePointAt(0) ?? -1;
  const unknown = kind === "" && /^[a-zA-Z0-9]/.test(rest) && CONTROLS[rest] === undefined;
  if (unknown || Number.isNaN(code) || code > 0x10ffff)
    throw new SyntaxError(`${token} means nothing: the end of the text is \\Z, kinds of characters go in [ ]`);
  if (code < 0) throw new SyntaxError("it ends with a single \\: write \\\\");
  if (code < 0x80 && !/\w/.test(String.fromCharCode(code))) return `\\x${code.toString(16).padStart(2, "0")}`;
  // Text of ASCII alone holds neither; a pair would be two members of a set.
  return code > 0xffff && dialect === "ascii" ? "\\uffff" : String.fromCodePoint(code);
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/Unterminated group/, "an unclosed (: write \\( for the character"],
  [
    /Invalid group/,
    "a group that begins with (? is one of (?: (?P<name> (?P=name) (?= (?! (?<= (?<! (?i) (?m) (?s) (?x)",
  ],
  [/Unmatched '\)'/, "an unopened ): write \\) for the character"],
  [/Unterminated character class/, "an unclosed [: write \\[ for the character"],
  [/out of order/, "a range ends below its beginning"],
  [
    /to repeat|quantifier$/,
    "nothing to repeat: write \\* for the character; a quantifier behind another one (a**, a*+) is not known",
  ],
  [/referenced|Invalid escape/, "it refers back to a group that is not there"],
  [/Duplicate/, "two groups have the same name"],
  [/too large|overflow/, "too large: make it shorter, or two rules of it"],
];

function inPlainWords(message: string): string {
  const said = WORDS.find(([sign]) => sign.test(message))?.[1];
  return said ?? message.replace(/^Invalid regular expression: .*: /s, "");
}
