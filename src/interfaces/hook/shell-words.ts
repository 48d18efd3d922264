/**
 * A shell command line taken apart as far as a guard needs it: which programs with which words, and where output goes.
 * What only the shell can know (variables, substitutions) makes it `dynamic`; the guard then decides for safety.
 */

export interface SimpleCommand {
  readonly words: readonly string[];
  readonly outputs: readonly string[];
}

export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  /** Words are not all known before it runs. */
  readonly dynamic: boolean;
}

const OPERATOR = /^(?:&&|\|\||;;|[;&|\n()])/;
const REDIRECTION = /^(?:\d*|&)(>>|>\||>&|>|<<-|<<<|<<|<>|<&|<)/;
const BLANK = /^[ \t]+/;
const KEYWORDS = new Set(["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "time"]);

export function parseShell(text: string): CommandLine {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let outputs: string[] = [];
  let dynamic = false;
  let rest = text.replaceAll("\\\n", "");
  const heredocs: string[] = [];
  const end = (): void => {
    while (words[0] !== undefined && KEYWORDS.has(words[0])) words.shift();
    if (words.length > 0 || outputs.length > 0) commands.push({ words, outputs });
    words = [];
    outputs = [];
  };
  while (rest !== "") {
    const blank = BLANK.exec(rest);
    if (blank !== null) {
      rest = rest.slice(blank[0].length);
      continue;
    }
    if (rest.startsWith("#")) {
      rest = rest.replace(/^[^\n]*/, "");
      continue;
    }
    const redirection = REDIRECTION.exec(rest);
    if (redirection !== null) {
      rest = rest.slice(redirection[0].length).replace(BLANK, "");
      const target = takeWord(rest);
      rest = rest.slice(target.length);
      dynamic ||= target.dynamic;
      const sign = redirection[1] ?? "";
      if (sign === "<<" || sign === "<<-") heredocs.push(target.word);
      else if (sign.startsWith(">") && !(sign === ">&" && /^(\d+|-)$/.test(target.word))) outputs.push(target.word);
      else if (sign === "<>") outputs.push(target.word);
      if (target.length === 0) dynamic = true;
      continue;
    }
    const operator = OPERATOR.exec(rest);
    if (operator !== null) {
      rest = rest.slice(operator[0].length);
      end();
      if (operator[0] !== "\n") continue;
      for (const mark of heredocs.splice(0)) {
        const body = hereBody(rest, mark);
        // The body of an unquoted one is expanded.
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
  return { commands, dynamic };
}

function hereBody(rest: string, mark: string): number {
  let from = 0;
  for (const line of rest.split("\n")) {
    from += line.length + 1;
    if (line.replace(/^\t+/, "") === mark) return Math.min(from, rest.length);
  }
  return rest.length;
}

interface Taken {
  readonly word: string;
  readonly length: number;
  readonly dynamic: boolean;
}

function takeWord(text: string): Taken {
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
      if (unit === "$" || unit === "`" || (unit === "{" && /^\S/.test(text.slice(at + 1)))) dynamic = true;
      word += unit;
      at++;
    }
  }
  return { word, length: at, dynamic };
}

/** @returns `length`: where the text goes on */
function takeQuoted(text: string, from: number): Taken {
  let word = "";
  let dynamic = false;
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '"') return { word, length: at + 1, dynamic };
    if (unit === "$" || unit === "`") dynamic = true;
    if (unit === "\\" && /["\\$`]/.test(text.charAt(at + 1))) at++;
    word += text.charAt(at);
  }
  return { word, length: at, dynamic: true };
}
