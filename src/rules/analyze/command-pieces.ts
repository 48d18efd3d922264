/** A shell command as its simple commands, well enough to say what was run; no shell is imitated. */

export interface Piece {
  /** Its words without quotes, from the program on: assignments and `sudo`, `env`, `time` before it are left out. */
  readonly words: readonly string[];
  /** Its output goes to a file. */
  readonly writes: boolean;
}

/** Characters. What is longer is a script and not read beyond. */
const LONGEST_COMMAND = 8_192;
const MOST_PIECES = 50;
const PREFIXES = new Set(["sudo", "env", "time", "command", "exec", "nohup", "then", "do", "else", "if", "while", "!"]);

/** @returns what is run, in the order written; a here-document's text is none of it */
export function piecesOf(command: string): readonly Piece[] {
  const [text = ""] = command.slice(0, LONGEST_COMMAND).split(/<<-?\s*['"]?\w+/, 1);
  const pieces: Piece[] = [];
  let words: string[] = [];
  let writes = false;
  const end = (): void => {
    const bare = withoutPrefixes(words);
    if (bare.length > 0) pieces.push({ words: bare, writes });
    words = [];
    writes = false;
  };
  for (const [token] of text.matchAll(
    /\\\r?\n|#[^\n]*|"(?:[^"\\]|\\.)*"|'[^']*'|\d*>>?&?\d?|&&|\|\||[;|&\n()]|(?:[^\s;|&()"'>\\]|\\.)+|\S/g,
  )) {
    if (pieces.length >= MOST_PIECES) break;
    // A comment is no program, and a line that goes on is one line.
    if (token.startsWith("#") || /^\\\r?\n$/.test(token)) continue;
    if (/^(?:&&|\|\||[;|&\n()])$/.test(token)) end();
    else if (/^\d*>>?$/.test(token)) writes = true;
    else if (!/^\d*>/.test(token)) words.push(unquoted(token));
  }
  end();
  return pieces;
}

function unquoted(token: string): string {
  return /^(["']).*\1$/s.test(token) ? token.slice(1, -1) : token;
}

function withoutPrefixes(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !PREFIXES.has(word) && !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

const READERS = new Set(
  `ls cat head tail less grep egrep rg ripgrep ag ack find fd wc pwd which whereis type file stat du df ps tree diff cd echo
   printf date whoami hostname id uname env printenv jq sort uniq cut nl true test [ sleep`.split(/\s+/),
);
const READING_GIT = new Set([
  "status",
  "log",
  "diff",
  "show",
  "blame",
  "ls-files",
  "rev-parse",
  "describe",
  "remote",
  "grep",
]);

/** Whether it only shows what is there. */
export function looks({ words, writes }: Piece): boolean {
  const [program = "", first = ""] = words;
  if (writes || words.includes("-delete") || words.includes("-exec")) return false;
  if (words.some((word) => word === "--version" || word === "--help")) return true;
  return program === "git" ? READING_GIT.has(first) : READERS.has(baseName(program));
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
