/**
 * Files that the loop keeps for itself: journal, locks, requests, records, logs. An agent can put anything in their place.
 *
 * OWN-FILE-1 nothing outside of the loop's folder changes: in that folder no link is followed, and a file that has
 *    another name elsewhere (a hard link) is not written to. Links on the way to the folder are a person's (`.claude`
 *    may be one);
 * OWN-FILE-2 nothing waits: only regular files are opened, and no more of them is read than was asked for;
 * OWN-FILE-3 nothing is lost: what is in the place of a file is set aside as `NAME.foreign-N`. What is in the
 *    place of a folder stays, and is named in the error (EFTYPE).
 */
import { accessSync, closeSync, constants, fstatSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomicSync, type WriteOptions, type Written } from "./atomic-write.ts";
import { loopFolders } from "./loop-paths.ts";
import { makeFolder, makeOne } from "./make-folder.ts";
import { foreign, isRealFolder, openRegular, refuseLinks } from "./regular-file.ts";
import { explainWrite } from "./write-failure.ts";

/** Replaces a file of the loop's own, or creates it and its folder. */
export function writeOwnFile(path: string, content: Uint8Array | string, options: WriteOptions = {}): Written {
  try {
    makeOwnFolder(dirname(path));
    clearWay(path);
    if (!isReadable(path)) setAside(path);
  } catch (error) {
    return explainWrite(path, error);
  }
  return writeFileAtomicSync(path, content, { ...options, is_target: true });
}

/**
 * Opens a file of the loop's own for reading and for adding to its end; makes it and its folder.
 * @throws the system's error; EFTYPE: something else is there
 */
export function openToAppend(path: string, mode = 0o666): number {
  makeOwnFolder(dirname(path));
  clearWay(path);
  const file = openRegular(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, "refuse", mode);
  if (fstatSync(file).nlink <= 1) return file;
  closeSync(file);
  throw foreign(path);
}

/**
 * Makes a folder of the loop's own, and those above it.
 * @throws the system's error; EFTYPE: a link or a file is in its place
 */
export function makeOwnFolder(path: string): void {
  const own = loopFolders(path);
  makeFolder(own[0] === undefined ? path : dirname(own[0]));
  for (const folder of own) if (!isRealFolder(folder)) makeOne(folder, () => isRealFolder(folder));
}

/** True when it was there, and now is not. */
export function removeOwnFile(path: string): boolean {
  try {
    refuseLinks(path);
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** OWN-FILE-3: sets aside what is no file of the loop's own. Nothing there: does nothing. */
export function clearWay(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isFile() || found.nlink > 1)) setAside(path);
}

function setAside(path: string): void {
  for (let number = 1; ; number++) {
    const aside = `${path}.foreign-${number}`;
    if (lstatSync(aside, { throwIfNoEntry: false }) === undefined) return renameSync(path, aside);
  }
}

/** Also when nothing is there. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** That of the last start is kept, those before it go. */
export function setLogAside(log: string): void {
  try {
    renameSync(log, log.replace(/\.log$/, ".1.log"));
  } catch {
    // The first one.
  }
}
