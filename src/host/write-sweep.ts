/** What killed writers left beside the files that they wrote (atomic-write.ts). */
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { livenessOf } from "./liveness.ts";
import { removeOwnFile } from "./own-file.ts";
import { ownNames } from "./regular-file.ts";

const YOUNG_MS = 60_000;
const MOST_LEFTOVERS = 1000;

/** As atomic-write.ts names them: the file that it was to be, and the writer. */
const TEMPORARY = /^(.+)\.(\d+)-\d+\.tmp$/;

/** Removes what killed writers of `path` left beside it. Never fails. */
export function sweepWriteLeftovers(path: string): void {
  sweep(dirname(path), (file) => file === basename(path));
}

/** The same for every file of one of the loop's own folders. */
export function sweepFolderLeftovers(folder: string): void {
  sweep(folder, () => true);
}

function sweep(folder: string, isMeant: (file: string) => boolean): void {
  const found = ownNames(folder).map((name) => ({ name, parts: TEMPORARY.exec(name) }));
  const meant = found.filter(({ parts }) => parts !== null && isMeant(parts[1] ?? ""));
  for (const { name, parts } of meant.slice(0, MOST_LEFTOVERS)) {
    if (livenessOf(`${parts?.[2]}/`) !== "dead") continue;
    const path = join(folder, name);
    const written = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    // A young one may belong to a writer whose pid means nothing here (another host or pid namespace).
    if (Date.now() - written > YOUNG_MS) removeOwnFile(path);
  }
}
