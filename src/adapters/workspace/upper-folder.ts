/** What the upper folder of an overlay says of the changes in it, so that not the whole folder has to be looked through. */
import { lstatSync, readdirSync } from "node:fs";
import { bytesIn, textOf } from "./git.ts";
import type { UpperFolder } from "./worktree-pool.ts";

/** With more of either the whole folder is looked through. */
const MOST_PATHS = 200;
const MOST_ENTRIES = 5_000;

/**
 * Paths, of files or of folders with all in them, outside of which a folder is as the one below it. Null: that is not to be
 * told in short: there is too much, a repository inside, a name that no command line can hold.
 * @param top where the overlay is mounted
 */
export function changedPaths(folder: UpperFolder, top: string): readonly string[] | null {
  try {
    return pathsIn(folder, top);
  } catch {
    // A folder that cannot be read: git says so of it.
    return null;
  }
}

function pathsIn({ upper, lower }: UpperFolder, top: string): readonly string[] | null {
  const paths: string[] = [];
  const open: { readonly path: string; readonly isNew: boolean }[] = [{ path: "", isNew: false }];
  let entries = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(bytesIn(upper, folder.path), { withFileTypes: true, encoding: "buffer" })) {
      const bytes = entry.name.toString("latin1");
      const isPointer = folder.path === "" && bytes === ".git";
      if (isPointer) continue;
      const path = folder.path === "" ? bytes : `${folder.path}/${bytes}`;
      if (++entries > MOST_ENTRIES || isOdd(bytes)) return null;
      const isNew = folder.isNew || !entry.isDirectory() || isReplaced({ upper, lower }, top, path);
      if (isNew && !folder.isNew) paths.push(textOf(path));
      if (entry.isDirectory()) open.push({ path, isNew });
    }
    if (paths.length > MOST_PATHS) return null;
  }
  return paths;
}

/** What git does not take for a plain name, and what is no UTF-8. */
function isOdd(bytes: string): boolean {
  return /^\.?git(?:~\d+)?$/i.test(bytes) || Buffer.from(textOf(bytes), "utf8").toString("latin1") !== bytes;
}

/** Whether a folder is a new one: none is below it, or nothing of that is seen. */
function isReplaced({ upper, lower }: UpperFolder, top: string, path: string): boolean {
  if (lstatSync(bytesIn(lower, path), { throwIfNoEntry: false })?.isDirectory() !== true) return true;
  const here = new Set(namesIn(upper, path));
  const below = namesIn(lower, path).find((name) => !here.has(name));
  return below !== undefined && lstatSync(bytesIn(top, `${path}/${below}`), { throwIfNoEntry: false }) === undefined;
}

function namesIn(folder: string, path: string): readonly string[] {
  return readdirSync(bytesIn(folder, path), { encoding: "buffer" }).map((name) => name.toString("latin1"));
}
