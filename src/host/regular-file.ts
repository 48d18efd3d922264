/**
 * Reading files that somebody else can put anything in the place of.
 *
 * REGULAR-FILE-1 only a regular file is opened: a pipe would be waited for for ever, and opening a device can do
 *    something by itself;
 * REGULAR-FILE-2 no more is read than was asked for, however the file grows meanwhile;
 * REGULAR-FILE-3 below a folder of the loop's own no link is followed (own-file.ts).
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { loopFolders } from "./loop-paths.ts";

/** Windows has neither: there the look before the opening is all. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const AT_ONCE = constants.O_NONBLOCK ?? 0;
const MOST_BYTES = 16 * 1024 * 1024;

/** Bytes of a regular file, and what it is. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/**
 * Reads a regular file whole. Never waits for a pipe.
 * @param most bytes; a larger file is refused
 * @param links follow: the file is a person's, who may have linked it
 * @throws the system's error; EFTYPE: it is no regular file; EFBIG: it is larger
 */
export function readRegularFile(
  path: string,
  most: number = MOST_BYTES,
  links: "follow" | "refuse" = "follow",
): FileBytes {
  const file = openRegular(path, constants.O_RDONLY, links);
  try {
    const stats = fstatSync(file);
    if (stats.size > most) throw failure("EFBIG", `${path} has ${stats.size} bytes, and at most ${most} are read`);
    return { bytes: readUpTo(file, stats.size, most, path), stats };
  } finally {
    closeSync(file);
  }
}

/** The text of a regular file. @param most bytes: what is written by hand is smaller @throws as `readRegularFile` */
export function readText(path: string, most: number = MOST_BYTES, links: "follow" | "refuse" = "follow"): string {
  return readRegularFile(path, most, links).bytes.toString("utf8");
}

/** The same; null: there is none, or none that can be read. */
export function textAt(path: string): string | null {
  try {
    return readText(path);
  } catch {
    return null;
  }
}

/** The same of a file of the loop's own. @param most bytes */
export function readOwnFile(path: string, most: number = MOST_BYTES): string | null {
  try {
    return readText(path, most, "refuse");
  } catch {
    return null;
  }
}

/** Opens a file of the loop's own for reading. @throws as `readRegularFile` */
export function openOwnFile(path: string): number {
  return openRegular(path, constants.O_RDONLY, "refuse");
}

/** What lies in a folder of the loop's own; nothing when it cannot be read. */
export function ownNames(folder: string): string[] {
  try {
    return loopFolders(folder).every(isRealFolder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/**
 * REGULAR-FILE-3. @throws EFTYPE when a link or a file is in the place of a folder of the loop's own on the way to
 * `path`; ENOENT
 */
export function refuseLinks(path: string): void {
  for (const folder of loopFolders(dirname(path)))
    if (!isRealFolder(folder)) throw failure("ENOENT", `there is no folder ${folder}`);
}

/** False: nothing is there. @throws EFTYPE when it is something else, such as a link to a folder */
export function isRealFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) throw foreign(path, "folder");
  return true;
}

export function openRegular(path: string | Buffer, flags: number, links: "follow" | "refuse", mode?: number): number {
  const isOwn = links === "refuse";
  if (isOwn) refuseLinks(String(path));
  const found = (isOwn ? lstatSync : statSync)(path, { throwIfNoEntry: false });
  // To open a device can do something by itself.
  if (found !== undefined && !found.isFile()) throw foreign(String(path));
  const file = openSync(path, flags | AT_ONCE | (isOwn ? NO_LINK : 0), mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw foreign(String(path));
}

/** Bytes. A file of /proc says that it is empty, and one of /proc/sys answers its first read alone. */
const UNSIZED_BYTES = 4_096;

function readUpTo(file: number, size: number, most: number, path: string): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const wanted = size === 0 ? UNSIZED_BYTES : size + 1 - length;
    const part = Buffer.allocUnsafe(Math.max(1, Math.min(wanted, most + 1 - length, 1024 * 1024)));
    const read = readSync(file, part);
    if (read === 0) return parts.length === 1 ? (parts[0] ?? part) : Buffer.concat(parts);
    length += read;
    if (length > most) throw failure("EFBIG", `${path} has more than ${most} bytes`);
    parts.push(part.subarray(0, read));
  }
}

/** Something else is in its place: a link, a pipe. @param what it should be */
export function foreign(path: string, what: "regular file" | "folder" = "regular file"): Error {
  // As the system's errors have it.
  return Object.assign(failure("EFTYPE", `${path} is not a ${what}`), { path });
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Milliseconds since the file was written; 0 when it is not there. */
export function ageOf(path: string): number {
  try {
    return Date.now() - lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
