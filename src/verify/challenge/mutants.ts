/**
 * Small changes that break a program, found in its text (SPEC section 6): one table for each family of languages. Not
 * every mutant changes what the program does, and not every one can be parsed. Pure.
 */

export interface Mutant {
  /** First line that differs, counted from 1. */
  readonly line: number;
  /** What was changed, in words. */
  readonly change: string;
  /** The whole file. */
  readonly text: string;
}

interface Rule {
  readonly pattern: RegExp;
  /** What takes the place of the match. */
  readonly by: (match: string) => string;
  /** What a person reads; default: the match and what takes its place. */
  readonly change?: string;
}

const swap = (pattern: RegExp, pairs: Readonly<Record<string, string>>): Rule => ({
  pattern,
  by: (match) => pairs[match] ?? match,
});

const BOTH: readonly Rule[] = [
  swap(/(?<=\s)(?:<=|>=|<|>)(?=\s)/g, { "<=": "<", ">=": ">", "<": "<=", ">": ">=" }),
  swap(/(?<=\s)[+\-*](?=\s)/g, { "+": "-", "-": "+", "*": "+" }),
  swap(/(?<=\s)(?:\+=|-=)(?=\s)/g, { "+=": "-=", "-=": "+=" }),
  { pattern: /(?<![\w.])\d+(?![\w.])/g, by: (digits) => String(Number(digits) + 1) },
];

const RULES: Readonly<Record<Family, readonly Rule[]>> = {
  braces: [
    swap(/(?<=\s)(?:===|!==|==|!=)(?=\s)/g, { "===": "!==", "!==": "===", "==": "!=", "!=": "==" }),
    swap(/&&|\|\|/g, { "&&": "||", "||": "&&" }),
    swap(/\b(?:true|false)\b/g, { true: "false", false: "true" }),
    { pattern: /(?<=\bif \()(?!!)(?=[^\n]*\))/g, by: () => "!", change: "the first condition of the `if` is turned" },
    { pattern: /\breturn\s+[^;\n]+(?=;)/g, by: () => "return", change: "the return's value is gone" },
    {
      pattern:
        /(?:\bfunction\b[^\n]*|=>\s*|^\s*(?!\s|if\b|for\b|while\b|switch\b|catch\b|\}|else\b)[\w#].*\)\s*)\{(?=\s*$)/gm,
      by: (head) => `${head} return;`,
      change: "the function returns at once",
    },
  ],
  indent: [
    swap(/(?<=\s)(?:==|!=)(?=\s)/g, { "==": "!=", "!=": "==" }),
    swap(/\b(?:and|or)\b/g, { and: "or", or: "and" }),
    swap(/\b(?:True|False)\b/g, { True: "False", False: "True" }),
    { pattern: /(?<=\b(?:if|while) )(?!not )(?=[^\n]*:)/g, by: () => "not ", change: "the first condition is turned" },
    { pattern: /\breturn [^\n]+/g, by: () => "return None", change: "the return's value is gone" },
    {
      pattern: /^([ \t]*)(?:async )?def [^\n]*:[ \t]*$/gm,
      by: (head) => `${head}\n${/^[ \t]*/.exec(head)?.[0] ?? ""}    return None`,
      change: "the function returns at once",
    },
  ],
};

/** All of a file; none where its language is not known. */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const family = familyOf(path);
  if (family === null) return [];
  const code = codeOf(text, family);
  return [...RULES[family], ...BOTH].flatMap(({ pattern, by, change }) =>
    [...code.matchAll(pattern)].flatMap(({ index, 0: match }) => {
      const before = text.slice(index, index + match.length);
      const after = by(before);
      if (after === before) return [];
      return [
        {
          line: code.slice(0, index + leading(match)).split("\n").length,
          change: change ?? `\`${before}\` is \`${after}\``,
          text: text.slice(0, index) + after + text.slice(index + match.length),
        },
      ];
    }),
  );
}

/** Characters before the first that is to be seen. */
function leading(match: string): number {
  return match.length - match.trimStart().length;
}

type Family = "braces" | "indent";

const FAMILIES: Readonly<Record<Family, readonly string[]>> = {
  braces: "js mjs cjs jsx ts mts cts tsx java c h cc cpp hpp cs go rs swift kt scala php dart".split(" "),
  indent: ["py"],
};

/** Null: a language that is not known here. */
export function familyOf(path: string): Family | null {
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? "";
  if (FAMILIES.braces.includes(ending)) return "braces";
  return FAMILIES.indent.includes(ending) ? "indent" : null;
}

/** What is no code, with its end; the longer begin first. What has no end goes to the end of the line. */
const APART: Readonly<Record<Family, RegExp>> = {
  braces: /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
  indent: /"""[^]*?"""|'''[^]*?'''|#[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g,
};

/** The text in which every character that is no code is a space; line ends stay. */
export function codeOf(text: string, family: Family): string {
  return text.replace(APART[family], (apart) => apart.replace(/[^\n]/g, " "));
}
