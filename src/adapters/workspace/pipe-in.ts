/** What can keep git waiting for ever in a folder: it opens some files without asking whether they are files. */
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Those of any folder, and those that we name to git. */
const READ_BY_GIT: ReadonlySet<string> = new Set([".gitignore", ".gitattributes", ".gitmodules", ".worktreeinclude"]);

/**
 * A named pipe or a device in the place of a file that git reads; null: there is none.
 * @param isOver true once nobody waits for the answer any more
 */
export async function pipeIn(folder: string, isOver: () => boolean): Promise<string | null> {
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined && !isOver(); next = folders.shift()) {
    const entries = await opendir(next).catch(() => null);
    if (entries === null) continue;
    for await (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") folders.push(path);
      if (!READ_BY_GIT.has(entry.name)) continue;
      const there = await stat(path).catch(() => null);
      if (there?.isFIFO() === true || there?.isCharacterDevice() === true || there?.isBlockDevice() === true)
        return path;
    }
  }
  return null;
}
