/**
 * What differs from HEAD in the person's checkout, with its content: what is changed once more while a run is at work
 * bears the same name as before. A file counts by its content, a large one by size and time, a new folder by the sizes
 * and times of at most MOST_ENTRIES files in it.
 */
import { createHash } from "node:crypto";
import { lstat, opendir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "./git.ts";
import type { OwnFiles } from "./own-files.ts";
import { dirtyFiles } from "./repository.ts";

/** Paths from the top folder, each with what it holds. */
export type Uncommitted = ReadonlyMap<string, string>;

const LARGE_BYTES = 8 * 1024 * 1024;
const MOST_ENTRIES = 5_000;

export async function uncommittedIn(git: Git, own: OwnFiles, root: string): Promise<Uncommitted> {
  const found = new Map<string, string>();
  for (const path of await dirtyFiles(git, own)) found.set(path, await contentOf(join(root, path)));
  return found;
}

/** What came, went or changed between two looks; a file that stands as in HEAD again has changed, too. */
export function changedBetween(before: Uncommitted, after: Uncommitted): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

async function contentOf(path: string): Promise<string> {
  try {
    const stat = await lstat(path);
    const { size, mtimeMs } = stat;
    if (stat.isSymbolicLink()) return `link ${await readlink(path)}`;
    if (stat.isDirectory()) return `folder ${await entriesOf(path)}`;
    if (!stat.isFile() || size > LARGE_BYTES) return `${size} ${mtimeMs}`;
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  } catch (error) {
    // Deleted, or not to be read: that is what it is like.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code;
  }
}

async function entriesOf(folder: string): Promise<string> {
  const entries: string[] = [];
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entries.length === MOST_ENTRIES) break;
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await lstat(path);
    entries.push(`${path} ${size} ${mtimeMs}`);
  }
  return createHash("sha256").update(entries.toSorted().join("\n")).digest("hex");
}
