/**
 * Indexes of the loop's own, in a folder that no attempt works in. An agent without a sandbox can delete that folder at any
 * moment: what its neighbours made is read all the same.
 *
 * SCRATCH-INDEX-1 each index has a folder to itself, and one that was deleted does not come back. git takes an index that
 *    is not there for an empty one; in a folder that is not there it fails;
 * SCRATCH-INDEX-2 what was under way when the folder was deleted is done again in a new one.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { removeTree } from "../../host/remove-tree.ts";

/** Names indexes that live for a moment, each in a new folder. @param unique a new name at each call */
export function scratchIndexes(scratch: string, unique: () => string): () => string {
  return () => {
    const folder = join(scratch, unique());
    makeOwnFolder(folder);
    return join(folder, "index");
  };
}

/** Removes the index afterwards, and what else `use` made beside it. @param use can be done twice */
export async function withScratchIndex<T>(scratchIndex: () => string, use: (index: string) => Promise<T>): Promise<T> {
  const folders = new Set<string>();
  const place = (): string => {
    const index = scratchIndex();
    folders.add(dirname(index));
    return index;
  };
  try {
    return await inScratch(place, use);
  } finally {
    for (const folder of folders) await removeTree(folder);
  }
}

/** Of an agent that deletes the folder again and again. */
const MOST_TRIES = 5;

/** SCRATCH-INDEX-2. @param place makes the folder and gives a path in it @param use can be done twice */
export async function inScratch<T>(place: () => string, use: (path: string) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const path = place();
    const isLast = (): boolean => tries === MOST_TRIES || existsSync(dirname(path));
    try {
      const made = await use(path);
      if (isLast()) return made;
    } catch (error) {
      if (isLast()) throw error;
    }
  }
}
