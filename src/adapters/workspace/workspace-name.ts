/**
 * Names of branches and folders from ids that anything may be in.
 *
 * The mapping is injective and its values are valid ref components and file names on every system:
 * letters, digits, `_` and `-` stay, every other byte is `+` and two hex digits. Ids that differ only in case
 * collide on some file systems; who creates a folder or a branch takes the next free suffix then.
 */
import { createHash } from "node:crypto";
import type { Attempt } from "../../core/effect.ts";

const LONGEST_NAME = 80;

export function safeName(id: string): string {
  return escaped(id, /[A-Za-z0-9_-]/);
}

/** `<atom>-<number>-<run>`; the run holds no dash, so that the parts can be distinguished from the right. */
export function attemptName(attempt: Attempt, run: string): string {
  return `${safeName(attempt.atom)}-${attempt.number}-${escaped(run, /[A-Za-z0-9_]/)}`;
}

/** First characters of folders that hold no work; no attempt's name begins so. */
export const SCRATCH_PREFIX = "+check-";

/** The same with the loop's mark: what a killed git left half made names nothing but this. @param own `LineRefs.own` */
export function scratchPrefix(own: string): string {
  return `${SCRATCH_PREFIX}${createHash("sha256").update(own).digest("hex").slice(0, 8)}-`;
}

function escaped(id: string, plain: RegExp): string {
  let name = "";
  for (const byte of Buffer.from(id.length === 0 ? "\0" : id, "utf8")) {
    const char = String.fromCharCode(byte);
    const leading = name === "" && char === "-";
    name += byte < 128 && plain.test(char) && !leading ? char : `+${byte.toString(16).padStart(2, "0")}`;
  }
  if (name.length <= LONGEST_NAME) return name;
  // "++" occurs in no short name.
  return `${name.slice(0, LONGEST_NAME - 34)}++${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
