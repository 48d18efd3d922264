/** The files of one journal: the current one, and older ones under numbered names (`journal.1.jsonl` is the oldest). */
import { closeSync, constants, fstatSync, openSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

/** Numbers of the older files, oldest first. */
function olderNumbers(journal: string): number[] {
  const extension = extname(journal);
  const prefix = `${basename(journal, extension)}.`;
  const numbers: number[] = [];
  for (const name of names(dirname(journal))) {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) continue;
    const digits = name.slice(prefix.length, name.length - extension.length);
    if (/^[1-9]\d{0,8}$/.test(digits)) numbers.push(Number(digits));
  }
  return numbers.toSorted((a, b) => a - b);
}

function olderName(journal: string, number: number): string {
  const extension = extname(journal);
  return join(dirname(journal), `${basename(journal, extension)}.${number}${extension}`);
}

/** Gives the current file the next number. The caller holds the rotation lock: two at once would overwrite one. */
export function setAside(journal: string): void {
  renameSync(journal, olderName(journal, (olderNumbers(journal).at(-1) ?? 0) + 1));
}

export interface OpenFile {
  readonly name: string;
  /** null: it is there but cannot be opened. */
  readonly fd: number | null;
}

/**
 * Opens every file of the journal, oldest first, and closes each after its turn. One snapshot: a rotation
 * that happens meanwhile neither hides a line nor shows it twice.
 */
export function* openFiles(journal: string): Generator<OpenFile> {
  // The current file is opened before the others are listed: should it be set aside now, its identity shows it.
  const current = openIfThere(journal);
  try {
    yield* openOlder(journal, typeof current === "number" ? current : null);
    if (current !== "missing") yield { name: journal, fd: current };
  } finally {
    if (typeof current === "number") closeSync(current);
  }
}

/** As `openFiles`, without the file that is open as `current`, which may have been set aside by now, and what came after it. */
export function* openOlder(journal: string, current: number | null): Generator<OpenFile> {
  for (const number of olderNumbers(journal)) {
    const name = olderName(journal, number);
    const fd = openIfThere(name);
    if (fd === "missing") continue;
    try {
      if (current !== null && isSame(fd, current)) break;
      yield { name, fd };
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }
}

/** As `openOlder`, of them what came after the file that is open as `earlier`; nothing if that was not set aside. */
export function* openBetween(journal: string, earlier: number, current: number): Generator<OpenFile> {
  let found = false;
  for (const file of openOlder(journal, current)) {
    if (found) yield file;
    else found = isSame(file.fd, earlier);
  }
}

function isSame(fd: number | null, other: number): boolean {
  if (fd === null) return false;
  const [one, two] = [fstatSync(fd), fstatSync(other)];
  return one.ino === two.ino && one.dev === two.dev;
}

/** Whether `fd` still is the file of that name. */
export function isCurrent(journal: string, fd: number): boolean {
  const [open, named] = [fstatSync(fd), statSync(journal, { throwIfNoEntry: false })];
  return named !== undefined && named.ino === open.ino && named.dev === open.dev;
}

/** A pipe that somebody put in its place would be waited for for ever. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opened for reading; null: it is there but cannot be opened. */
export function openIfThere(path: string): number | null | "missing" {
  try {
    return openSync(path, AT_ONCE);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : null;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
