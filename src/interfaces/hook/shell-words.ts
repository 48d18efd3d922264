/**
 * A shell command line taken apart as far as a guard needs it: which programs with which words, and where output goes.
 * What only the shell can know (variables, substitutions) makes it `dynamic`; the guard then decides for safety.
 */

export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that its output is redirected to. */
  readonly outputs: readonly string[];
  /** It reads the output of the command before it. */
  readonly piped: boolean;
}

export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  /** Some words are known only when it runs. */
  readonly dynamic: boolean;
  /** A part of the text is a program's input (a here-document), which is in no command's words. */
  readonly fed: boolean;
}

const OPERATOR = /^(?:&&|\|\||;;|[;&|\n()])/;
const REDIRECTION = /^(?:\d*|&)(>>|>\||>&|>|<<-|<<<|<<|<>|<&|<)/;
const BLANK = /^[ \t]+/;
const BLANK_OR_COMMENT = /^(?:[ \t]+|#[^\n]*)/;
const KEYWORDS = new Set(["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "time"]);

export function parseShell(text: string): CommandLine {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let outputs: string[] = [];
  let dynamic = false;
  let piped = false;
  let fed = false;
  let rest = text.replaceAll("\\\n", "");
  const heredocs: string[] = [];
  const end = (): void => {
    while (words[0] !== undefined && KEYWORDS.has(words[0])) words.shift();
    if (words.length > 0 || outputs.length > 0) commands.push({ words, outputs, piped });
    words = [];
    outputs = [];
  };
  while (rest !== "") {
    const idle = BLANK_OR_COMMENT.exec(rest);
    if (idle !== null) {
      rest = rest.slice(idle[0].length);
      continue;
    }
    const redirection = REDIRECTION.exec(rest);
    if (redirection !== null) {
      rest = rest.slice(redirection[0].length).replace(BLANK, "");
      const target = takeWord(rest);
      rest = rest.slice(target.length);
      dynamic ||= target.dynamic;
      const sign = redirection[1] ?? "";
      fed ||= sign.startsWith("<<");
      if (sign === "<<" || sign === "<<-") heredocs.push(target.word);
      else if (isOutput(sign, target.word)) outputs.push(target.word);
      if (target.length === 0) dynamic = true;
      continue;
    }
    const operator = OPERATOR.exec(rest);
    if (operator !== null) {
      // `|&` pipes both outputs; a pipe may be followed by the end of a line.
      rest = rest.slice(operator[0].length).replace(operator[0] === "|" ? /^&/ : /^$/, "");
      const empty = words.length === 0 && outputs.length === 0;
      end();
      if (operator[0] !== "\n" || !empty) piped = operator[0] === "|";
      if (operator[0] !== "\n") continue;
      for (const mark of heredocs.splice(0)) {
        const body = hereBody(rest, mark);
        // The shell expands a body whose mark is not quoted; whether it is, is not kept.
        dynamic ||= /[$`]/.test(rest.slice(0, body));
        rest = rest.slice(body);
      }
      continue;
    }
    const word = takeWord(rest);
    dynamic ||= word.dynamic;
    words.push(word.word);
    rest = rest.slice(Math.max(1, word.length));
  }
  end();
  return { commands, dynamic, fed };
}

function isOutput(sign: string, word: string): boolean {
  return sign === "<>" || (sign.startsWith(">") && !(sign === ">&" && /^(\d+|-)$/.test(word)));
}

function hereBody(rest: string, mark: string): number {
  let from = 0;
  for (const line of rest.split("\n")) {
    from += line.length + 1;
    if (line.replace(/^\t+/, "") === mark) return Math.min(from, rest.length);
  }
  return rest.length;
}

interface ShellWord {
  readonly word: string;
  readonly length: number;
  readonly dynamic: boolean;
}

function takeWord(text: string): ShellWord {
  let word = "";
  let dynamic = false;
  let at = 0;
  while (at < text.length) {
    const unit = text.charAt(at);
    if (/[\s;&|<>()]/.test(unit)) break;
    if (unit === "'") {
      const close = text.indexOf("'", at + 1);
      if (close < 0) return { word: word + text.slice(at + 1), length: text.length, dynamic: true };
      word += text.slice(at + 1, close);
      at = close + 1;
    } else if (unit === '"') {
      const quoted = takeQuoted(text, at + 1);
      word += quoted.word;
      dynamic ||= quoted.dynamic;
      at = quoted.length;
    } else if (unit === "\\") {
      word += text.charAt(at + 1);
      at += 2;
    } else {
      if (isExpanded(text, at, /[.,;:%/)\s]/) || (unit === "{" && /^\S/.test(text.slice(at + 1)))) dynamic = true;
      word += unit;
      at++;
    }
  }
  return { word, length: at, dynamic };
}

/** Whether the shell puts something here. @param plain what may follow a `$` that stands for itself */
function isExpanded(text: string, at: number, plain: RegExp): boolean {
  const [unit, next] = [text.charAt(at), text.charAt(at + 1)];
  return unit === "`" || (unit === "$" && next !== "" && !plain.test(next));
}

/** @returns `length`: the position behind the closing quote, counted from the start of `text` */
function takeQuoted(text: string, from: number): ShellWord {
  let word = "";
  let dynamic = false;
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '"') return { word, length: at + 1, dynamic };
    if (isExpanded(text, at, /["'.,;:%/)\s]/)) dynamic = true;
    if (unit === "\\" && /["\\$`]/.test(text.charAt(at + 1))) at++;
    word += text.charAt(at);
  }
  return { word, length: at, dynamic: true };
}
