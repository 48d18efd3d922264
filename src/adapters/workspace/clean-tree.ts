/** Which tree a folder holds, where that can be said without reading it: nothing in it differs from HEAD (SPEC section 6). */
import { loopPaths } from "../../host/loop-paths.ts";
import { ownFiles } from "./own-files.ts";
import { dirtyFiles, findRepository } from "./repository.ts";
import { treeOf } from "./tree-merge.ts";

/**
 * @param folder the project
 * @param stateFile of the loop, whose own files do not count
 * @returns the tree's object id; null: something is not committed, or there is no repository
 */
export async function cleanTreeOf(folder: string, stateFile: string): Promise<string | null> {
  const repository = await findRepository(folder);
  if (!repository.ok) return null;
  const { git, root, prefix, head } = repository.value;
  const own = ownFiles(root, stateFile, loopPaths(stateFile).dir, prefix);
  return (await dirtyFiles(git, own)).length === 0 ? await treeOf(git, head) : null;
}
