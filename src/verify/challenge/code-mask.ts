/** Which characters of a program are code: neither a comment nor in a string. By families of languages; pure. */

export type Family = "braces" | "indent";

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
