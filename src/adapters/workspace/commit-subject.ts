/**
 * Subjects of commits (SPEC section 16): who did the work words them, as the repository calls its commits; code bounds them. Pure.
 *
 * COMMIT-SUBJECT-1 one line of at most SUBJECT characters; what is too long ends at a word, with no dots.
 */
import { MAKE_PASS } from "../../core/base-case-end.ts";

/** Characters. */
export const SUBJECT = 72;

/** @param texts best first. @returns the first that says what was done; empty: nobody said anything */
export function subjectOf(texts: readonly string[]): string {
  const lines = texts.map((text) => oneLine(text.trim().split("\n", 1)[0] ?? "")).filter((line) => line !== "");
  return shortened(lines.find((line) => !line.startsWith(MAKE_PASS)) ?? lines[0] ?? "", SUBJECT);
}

export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(" ", most);
  return oneLine(text.slice(0, end > 0 ? end : most)).replace(/[\s,:;(–—-]+$/, "");
}

/** What git takes for a subject. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- git refuses NUL, and a subject is one line
  return Buffer.from(text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim(), "utf8").toString("utf8");
}
