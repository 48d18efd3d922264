/** What root could change of the machine from within a place (SPEC section 15). */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * What of /proc is no process's and has files that its owner alone may write: settings of the machine, which root may change
 * whatever rights it has given up.
 */
export function settingsOfMachine(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  settings ??= readdirSync("/proc")
    .filter((name) => !/^\d/.test(name))
    .map((name) => join("/proc", name))
    .filter((path) => isOwnersToWrite(path, 3));
  return settings;
}

let settings: readonly string[] | undefined;

/** @param depth folders that are looked into; what is deeper is taken for writable */
function isOwnersToWrite(path: string, depth: number): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory() !== true) return entry?.isFile() === true && (entry.mode & 0o202) === 0o200;
  try {
    return depth === 0 || readdirSync(path).some((name) => isOwnersToWrite(join(path, name), depth - 1));
  } catch {
    return true;
  }
}
