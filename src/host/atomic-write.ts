/**
 * Writing a file so that at any moment, a crash or a full disk included, the old content or the new one
 * is there, whole (SPEC section 2).
 *
 * What is kept: the old file's permission bits, its owner where the system allows it, and a symbolic
 * link (its target is written). Not kept: access control lists, further hard links.
 */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pause } from "./clock.ts";
import { changedMeanwhile, explainWrite, type WriteFailure, type WriteAnswer } from "./write-failure.ts";
import { makeFolder } from "./make-folder.ts";

const MOST_LINKS = 40;

let written = 0;

export interface WriteOptions {
  /** Permission bits of a file that does not exist yet; default 0666 without the umask. */
  readonly mode?: number;
  /** false: only for what may be lost. After a power failure the content may then be anything. */
  readonly durable?: boolean;
  /** Its time of change, from the moment on that it is there; default now. */
  readonly date?: Date;
  /** The path is what `targetOf` says: links are not followed once more. */
  readonly is_target?: boolean;
  /** Asked when the new content is on disk, just before it takes the old one's place. False: then it does not. */
  readonly still?: () => boolean;
}

/** `stats`: of the file that is there now. */
export type Written = { readonly ok: true; readonly stats: Stats } | WriteFailure;

/**
 * Replaces the content of a file, or creates it. When the answer is not ok the old file stands as it was
 * and nothing new lies beside it.
 */
export function writeFileAtomicSync(path: string, content: Uint8Array | string, options: WriteOptions = {}): Written {
  try {
    const target = options.is_target === true ? path : targetOf(path);
    const { temporary, stats } = writeBeside(target, content, options);
    try {
      if (options.still?.() === false) {
        removeQuietly(temporary);
        return changedMeanwhile(path);
      }
      rename(temporary, target);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
    if (options.durable !== false) syncFolder(dirname(target));
    return { ok: true, stats };
  } catch (error) {
    return explainWrite(path, error);
  }
}

/**
 * The file that a path means once every symbolic link is followed: two names of one file give one
 * answer. The file itself need not exist; its folder must.
 * @throws the system's error (ENOENT, EACCES, ELOOP, ENOTDIR)
 */
export function targetOf(path: string): string {
  let current = resolve(path);
  try {
    return realpathSync.native(current);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  // It does not exist, or a link to it leads to nothing yet.
  for (let links = 0; links < MOST_LINKS; links++) {
    current = join(realpathSync.native(dirname(current)), basename(current));
    const found = lstatOrNull(current);
    if (found === null) return current;
    if (!found.isSymbolicLink()) return realpathSync.native(current);
    current = resolve(dirname(current), readlinkSync(current));
  }
  throw Object.assign(new Error(`too many symbolic links: ${path}`), { code: "ELOOP" });
}

/** As `targetOf`, or the path itself where the target is unknown: reading the file then says why. */
export function ownName(path: string): string {
  try {
    return targetOf(path);
  } catch {
    return path;
  }
}

/** @returns a finished, synced temporary file */
function writeBeside(
  target: string,
  content: Uint8Array | string,
  options: WriteOptions,
): { readonly temporary: string; readonly stats: Stats } {
  const found = lstatOrNull(target);
  if (found?.isDirectory() === true) throw Object.assign(new Error(`${target} is a folder`), { code: "EISDIR" });
  const old = found?.isFile() === true ? found : null;
  const { file, temporary } = openBeside(target, old === null ? (options.mode ?? 0o666) : old.mode & 0o777);
  let stats: Stats;
  try {
    if (old !== null) keepOwnerAndMode(file, old);
    writeFileSync(file, content);
    if (options.date !== undefined) futimesSync(file, options.date, options.date);
    if (options.durable !== false) fsyncSync(file);
    stats = fstatSync(file);
  } catch (error) {
    closeSync(file);
    removeQuietly(temporary);
    throw error;
  }
  try {
    closeSync(file);
  } catch (error) {
    // Some network file systems report a full disk only here.
    removeQuietly(temporary);
    throw error;
  }
  return { temporary, stats };
}

/** Never more open than the old file, not even before its mode is set. */
function openBeside(target: string, mode: number): { file: number; temporary: string } {
  for (let tries = 0; ; tries++) {
    const temporary = `${target}.${process.pid}-${written++}.tmp`;
    try {
      return { file: openSync(temporary, "wx", mode), temporary };
    } catch (error) {
      // A dead writer's, from a time when it bore our pid.
      if (codeOf(error) !== "EEXIST" || tries >= 100) throw error;
    }
  }
}

function keepOwnerAndMode(file: number, old: Stats): void {
  const now = fstatSync(file);
  if (process.platform !== "win32" && (now.uid !== old.uid || now.gid !== old.gid)) {
    try {
      fchownSync(file, old.uid, old.gid);
    } catch {
      // Only root may give a file away; the new file is then ours.
    }
  }
  if ((now.mode & 0o7777) !== (old.mode & 0o7777)) fchmodSync(file, old.mode & 0o7777);
}

function rename(from: string, to: string): void {
  // On Windows a scanner or a reader that has the file open makes it fail for a moment.
  for (let tries = process.platform === "win32" ? 10 : 1; ; tries--) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (tries <= 1 || !["EPERM", "EACCES", "EBUSY"].includes(codeOf(error))) throw error;
      pause(10);
    }
  }
}

/** Makes the rename itself durable; a system that cannot do it for folders (Windows) does without. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  let file: number | undefined;
  try {
    file = openSync(folder, "r");
    fsyncSync(file);
  } catch {
    // The new content stands; only its place in the folder may not yet be on disk.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function lstatOrNull(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Swept later.
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** A file that a person named, written whole, with the folders on its way. */
export function writeNamedFile(file: string, text: string): WriteAnswer {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    return explainWrite(file, error);
  }
  return writeFileAtomicSync(file, text);
}
