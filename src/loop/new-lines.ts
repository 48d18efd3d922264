/**
 * What is new since the goal was agreed, so that a judge can tell it from what was there (SPEC section 6).
 *
 * NEW-LINES-1 lines that were there before are none, however many were put before or between them.
 */
import type { AlignedFiles } from "../verdict/agreed-files.ts";
import { once } from "./prompt-text.ts";

export interface ChangedText {
  readonly path: string;
  /** Numbers of its new lines, from 1; null: the file is gone. */
  readonly lines: readonly number[] | null;
}

/** The files that differ. Asked about often, read once. */
export const changesOf = once(async (files: AlignedFiles): Promise<readonly ChangedText[]> => {
  const found: ChangedText[] = [];
  for (const path of files.changed) {
    const now = files.now(path);
    found.push({ path, lines: now === null ? null : newLines((await files.before(path)) ?? "", now) });
  }
  return found;
});

/** NEW-LINES-1: what is alike at both ends is left out, and of the rest what stood there as often. */
export function newLines(before: string, now: string): readonly number[] {
  const [old, lines] = [before, now].map((text) => text.replace(/\r?\n$/, "").split(/\r?\n/)) as [string[], string[]];
  const most = Math.min(old.length, lines.length);
  let head = 0;
  while (head < most && old[head] === lines[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === lines.at(-1 - tail)) tail++;
  const left = new Map<string, number>();
  for (const line of old.slice(head, old.length - tail)) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.slice(head, lines.length - tail).flatMap((line, at) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0 ? [] : [head + at + 1];
  });
}
