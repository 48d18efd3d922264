/** The files of one journal: the current one, and older ones under numbered names (`journal.1.jsonl` is the oldest). */
import { closeSync, fstatSync, renameSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { openOwnFile, ownNames } from "../../host/regular-file.ts";

/** Numbers of the older files, oldest first. */
export function olderNumbers(journal: string): number[] {
  const extension = extname(journal);
  const prefix = `${basename(journal, extension)}.`;
  const numbers: number[] = [];
  for (const name of ownNames(dirname(journal))) {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) continue;
    const digits = name.slice(prefix.length, name.length - extension.length);
    if (/^[1-9]\d{0,8}$/.test(digits)) numbers.push(Number(digits));
  }
  return numbers.toSorted((a, b) => a - b);
}

export function olderName(journal: string, number: number): string {
  const extension = extname(journal);
  return join(dirname(journal), `${basename(journal, extension)}.${number}${extension}`);
}

/** Gives the current file the next number, if it is there. The caller holds the rotation lock: two at once would overwrite one. */
export function setAside(journal: string): void {
  try {
    renameSync(journal, olderName(journal, (olderNumbers(journal).at(-1) ?? 0) + 1));
  } catch (error) {
    // Deleted a moment ago: the writer puts it back (STORE-JOURNAL-4).
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** No file of ours grows so large (journal.ts, `max_bytes`): one that is takes longer to read than anybody waits. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Whether both are open as the same file. */
export function isSameFile(fd: number, other: number): boolean {
  const [one, two] = [fstatSync(fd), fstatSync(other)];
  return one.ino === two.ino && one.dev === two.dev;
}

/** Whether `fd` still is the file of that name. */
export function isCurrent(journal: string, fd: number): boolean {
  const [open, named] = [fstatSync(fd), statSync(journal, { throwIfNoEntry: false })];
  return named !== undefined && named.ino === open.ino && named.dev === open.dev;
}

/** Opened for reading; null: it is there but cannot be opened. */
export function openIfThere(path: string): number | null | "missing" {
  try {
    const file = openOwnFile(path);
    if (fstatSync(file).size <= MOST_BYTES) return file;
    closeSync(file);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : null;
  }
}
