/** Indexes that live for a moment, in a folder of the line that no attempt works in. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTree } from "../../host/remove-tree.ts";

/** Names them, each in a new folder. @param unique a new name at each call */
export function scratchIndexes(scratch: string, unique: () => string): () => string {
  return () => {
    const folder = join(scratch, unique());
    mkdirSync(folder, { recursive: true });
    return join(folder, "index");
  };
}

/** Removes the index afterwards, and what else `use` made beside it. */
export async function withScratchIndex<T>(scratchIndex: () => string, use: (index: string) => Promise<T>): Promise<T> {
  const index = scratchIndex();
  try {
    return await use(index);
  } finally {
    await removeTree(dirname(index));
  }
}
