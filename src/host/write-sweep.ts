/** What killed writers left beside the files that they wrote (atomic-write.ts). */
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { livenessOf } from "./liveness.ts";
import { removeOwnFile } from "./own-file.ts";
import { ownNames } from "./regular-file.ts";

const YOUNG_MS = 60_000;
const MOST_LEFTOVERS = 1000;

/** Removes what killed writers of `path` left beside it. Never fails. */
export function sweepWriteLeftovers(path: string): void {
  const prefix = `${basename(path)}.`;
  const names = ownNames(dirname(path)).filter((name) => name.startsWith(prefix));
  for (const name of names.slice(0, MOST_LEFTOVERS)) {
    const pid = /^(\d+)-\d+\.tmp$/.exec(name.slice(prefix.length))?.[1];
    const file = join(dirname(path), name);
    if (pid === undefined || livenessOf(`${pid}/`) !== "dead") continue;
    const written = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    // A young one may belong to a writer whose pid means nothing here (another host or pid namespace).
    if (Date.now() - written > YOUNG_MS) removeOwnFile(file);
  }
}
