/** Folders on the way to a file that a person named. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes the folder and those above it that are not there. Step by step: Node's own way never comes back where a folder
 * above takes none (`/proc/x`; Node 20).
 * @throws the system's error when one cannot be made
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  makeOne(path, () => statSync(path).isDirectory());
}

/** @param isThere whether what is there by now will do: somebody else may have been quicker @throws as `makeFolder` */
export function makeOne(path: string, isThere: () => boolean): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isThere()) throw error;
  }
}
