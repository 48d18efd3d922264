/**
 * Expectation canaries (SPEC section 6): the agreed tests with other expectations. A check that is green with them does not look at
 * what it tests. Pure.
 *
 * CANARY-1 only what a test expects is changed: a literal that is an argument of an assertion, that is compared, or that stands in a
 *    table; never a title, what is imported, or what is handed to the program;
 * CANARY-2 first what stands where the check failed before the work, then the whole files: other tests that go red would hide one
 *    that was made to say yes.
 */
export interface TestText {
  readonly path: string;
  readonly text: string;
  /** Where it failed before the work, from 1; empty: nobody knows. */
  readonly lines: readonly number[];
}

/** Texts by path. */
export type Canary = ReadonlyMap<string, string>;

const AT_ONCE = 4;
/** Around a line that failed: an assertion has several lines, a condition stands above what it reports. */
const [ABOVE, BELOW] = [3, 6];

/** At most four, in the order in which they are to be tried; none: nothing can be changed. */
export function canariesOf(files: readonly TestText[]): readonly Canary[] {
  const placed = files.filter(({ lines }) => lines.length > 0);
  const found: Canary[] = [];
  for (const some of placed.length > 0 ? [placed, files] : [files])
    for (const change of [otherLiterals, negated]) {
      const texts = new Map<string, string>();
      for (const { path, text, lines } of some) {
        const changed = change(text, path, some === placed ? near(lines) : null);
        if (changed !== text) texts.set(path, changed);
      }
      if (texts.size > 0) found.push(texts);
    }
  return found.slice(0, AT_ONCE);
}

function near(lines: readonly number[]): (line: number) => boolean {
  return (line) => lines.some((failed) => line >= failed - ABOVE && line <= failed + BELOW);
}

/** Languages in which a single quote opens a text. */
const SINGLE_QUOTED = /\.([cm]?[jt]sx?|coffee|py|rb|php|pl|pm|t|sh|bats|lua|ex|exs)$/;
/** Whose arguments are what is expected. */
const ASSERTION =
  /(^|[._])(assert\w*|expect\w*|should\w*|refute\w*|to[A-Z]\w*|be|equals?|eq|eql|deep\w*|strict\w*|not\w*|throws|match\w*|same|is\w*|ok|like|contains?|include\w*|must\w*)!?$|^(if|elif|while|and|or|not|return|in|of)$/i;
const TOKEN =
  /\/\/.*|#(?!\[).*|"""[^]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<![\w$.])\d+(?:\.\d+)?(?![\w.])|(?<![\w$.])(?:true|false|True|False)(?![\w$])|[([{}\])\n]|[\w$.!]+/g;

/** CANARY-1. @param isIn null: the whole file */
function otherLiterals(text: string, path: string, isIn: ((line: number) => boolean) | null): string {
  // Of each bracket that is open: whether a literal in it is expected.
  const open: boolean[] = [];
  let [line, word, wordEnd, count, out, from] = [1, "", -1, 0, "", 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const outer = open.at(-1) ?? true;
    if (/^[[({]$/.test(token)) {
      const isCall = wordEnd >= 0 && text.slice(wordEnd, index).trim() === "";
      open.push(token === "{" ? isBlock(text, index) || outer : isCall ? token === "(" && ASSERTION.test(word) : outer);
    } else if (/^[\])}]$/.test(token)) open.pop();
    else if (outer && isLiteral(token, path) && (isIn === null || isIn(line)) && !isImport(text, index)) {
      out += text.slice(from, index) + otherThan(token, ++count);
      from = index + token.length;
    }
    line += token.split("\n").length - 1;
    if (/^[.]?[A-Za-z_$]/.test(token)) [word, wordEnd] = [token, index + token.length];
    else if (token !== "\n") wordEnd = -1;
  }
  return out + text.slice(from);
}

/** A block of code and no value. */
function isBlock(text: string, index: number): boolean {
  return !/(?<![=!<>])[(,:[=?]\s*$/.test(text.slice(Math.max(0, index - 20), index));
}

function isLiteral(token: string, path: string): boolean {
  if (token.startsWith("'")) return SINGLE_QUOTED.test(path);
  return /^["\d]|^(true|false|True|False)$/.test(token) && !token.startsWith('"""');
}

function isImport(text: string, index: number): boolean {
  const start = Math.max(text.lastIndexOf("\n", index), text.lastIndexOf(";", index)) + 1;
  return /^\s*(use|import|from|include|#include|export)\b|\b(from|import|require)\s*$/.test(text.slice(start, index));
}

function otherThan(token: string, count: number): string {
  const flipped = { true: "false", false: "true", True: "False", False: "True" }[token];
  if (flipped !== undefined) return flipped;
  // Different ones differently: what gives back what it gets would follow a common change.
  return /^\d/.test(token) ? String(Number(token) + 1 + count) : `${token.slice(0, -1)}~${count}${token.at(-1) ?? ""}`;
}

/** An assertion, and what says the opposite; of a line the first that fits. */
const OPPOSITES: readonly (readonly [RegExp, string | ((...found: readonly string[]) => string)])[] = [
  [/\bassert_(eq|ne)!/g, (_, how) => (how === "eq" ? "assert_ne!" : "assert_eq!")],
  [
    /\b(assert(?:[./]strict)?["')]*|t|test)\.(equal|strictEqual|deepEqual|deepStrictEqual|same)\b/g,
    (_, of = "", how = "") => `${of}.not${how.charAt(0).toUpperCase()}${how.slice(1)}`,
  ],
  [/\bassert(Not)?Equals?\b/g, (_, not) => (not === undefined ? "assertNotEqual" : "assertEqual")],
  [/\bassert_equal\b/g, "refute_equal"],
  [/\bassert(True|False)\b/g, (_, how) => (how === "True" ? "assertFalse" : "assertTrue")],
  [/\)\s*\.(to[A-Z]\w*\()/g, ").not.$1"],
  [/\)\s*\.to\.(?!not)/g, ").not.to."],
  [/(?<![=!<>])=(==?)(?!=)/g, "!$1"],
  [/!(==?)(?!=)/g, "=$1"],
  [/^(\s*)assert\s+(?!\()([^,\n#]+)/g, "$1assert not ($2)"],
  [/\b(assert(?:\.ok)?|ok)\(((?:[^()]|\([^()]*\))+)\)/g, "$1(!($2))"],
  // In Perl a call needs no parentheses.
  [/\bis(?=\s*\(|\s+[$@\\])/g, "isnt"],
  [/\bok\s+(?=[$@!])/g, "ok !"],
  [/ -(eq|ne) /g, (_, how) => (how === "eq" ? " -ne " : " -eq ")],
  [/ = /g, " != "],
];

function negated(text: string, path: string, isIn: ((line: number) => boolean) | null): string {
  // An assignment everywhere else.
  const some = OPPOSITES.slice(0, /\.(sh|bats|bash)$/.test(path) ? undefined : -2);
  const other = (line: string): string => {
    for (const [pattern, opposite] of some) {
      const changed = typeof opposite === "string" ? line.replace(pattern, opposite) : line.replace(pattern, opposite);
      if (changed !== line) return changed;
    }
    return line;
  };
  const lines = text.split("\n");
  return lines.map((line, at) => (isIn === null || isIn(at + 1) ? other(line) : line)).join("\n");
}

/** How runners name a file, and a line of it: `a.js:3`, `(a.py:3)`, `File "a.py", line 3`, `at a.t line 3`. */
const PLACE = /(?:file:\/\/)?([^\s"'():[\]]+\.\w+)(?:(?:[:(]|"?,? line )(\d+))?/g;
const WELL = /^\s*(PASS|ok|✓|✔)\s/;
const MOST_PLACES = 40;

/**
 * The files that the output of a failed run names, with the lines of each; none, where it names the file alone.
 * @param fileOf which file that path is; null: none of interest
 */
export function placesIn(
  output: string,
  fileOf: (path: string) => string | null,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const said of output.split("\n").filter((line) => !WELL.test(line)))
    for (const [, named = "", line] of said.matchAll(PLACE)) {
      const path = fileOf(named);
      if (path === null || found.size >= MOST_PLACES) continue;
      found.set(path, [...(found.get(path) ?? []), ...(line === undefined ? [] : [Number(line)])]);
    }
  return found;
}

const NOT_LOADED =
  /SyntaxError|IndentationError|ImportError|ModuleNotFoundError|Cannot find module|ERR_MODULE_NOT_FOUND|error TS\d+|\[build failed\]|error\[E\d+\]|could not compile|errors? during collection|no tests (ran|found)|syntax error|LoadError/i;

/** Whether a run failed because its tests could not be read at all: it says nothing of what they expect. */
export function isNotLoaded(output: string): boolean {
  return NOT_LOADED.test(output);
}
