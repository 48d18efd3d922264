/**
 * Calls that fail because of the call itself (a program that is not there, an option that it does not know), not because
 * of what they look at: the same one again and again is a mistake, a red test is work.
 */
import { baseName } from "./command-pieces.ts";
import { clip } from "./clip.ts";
import type { PastCall } from "./past-call.ts";

export interface Misuse {
  /** The same mistake has the same one. */
  readonly key: string;
  /** The line of the answer that tells it. */
  readonly quote: string;
  /** What of the command is at fault: a program or an option; empty: not reported. */
  readonly word: string;
}

const MISUSES = [
  /(?:^|: )([\w./-]+): (?:command )?not found$/,
  /(?:unknown|unrecognized|invalid|illegal|unexpected) (?:option|flag|switch|argument|command)s?:? (?:-- )?['"`]?([^\s'"`]+)/i,
  /no such (?:option|command|subcommand):? ['"`]?([^\s'"`]+)/i,
  /missing script:? ['"`]?([^\s'"`]+)/i,
  /error: pathspec ['"`]([^'"`]+)['"`] did not match/i,
  /is not recognized as an internal or external command/i,
  /not a git repository/i,
];
const EDIT_MISUSES = [
  /file has not been read yet/i,
  /string to replace not found/i,
  /file has been (?:modified|unexpectedly modified)/i,
  /old_string and new_string are exactly the same/i,
  /found \d+ matches of the string to replace/i,
];
const LOOKED_AT = 4_000;

/** @param answer what the call answered; null: it is no mistake of the call's own */
export function misuseOf(call: PastCall, answer: string): Misuse | null {
  const patterns = call.event === "bash" ? MISUSES : EDIT_MISUSES;
  for (const line of answer.slice(0, LOOKED_AT).split("\n").slice(0, 12)) {
    const trimmed = line.trim().slice(0, 300);
    for (const pattern of patterns) {
      const found = pattern.exec(trimmed);
      if (found === null) continue;
      const word = clip(found[1] ?? "", 100);
      return { key: `${programWith(call, word)} ${pattern.source} ${word}`, quote: trimmed, word };
    }
  }
  return null;
}

function programWith(call: PastCall, word: string): string {
  const piece = call.pieces.find(({ words }) => words.some((one) => one.startsWith(word))) ?? call.pieces[0];
  return piece === undefined ? call.tool : baseName(piece.words[0] ?? "");
}
