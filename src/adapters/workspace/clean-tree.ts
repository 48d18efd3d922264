/** Which tree a folder holds, where that can be said without reading it: no tracked file differs from HEAD (SPEC section 6). */
import { loopPaths } from "../../host/loop-paths.ts";
import { fieldsOf, must, textOf } from "./git.ts";
import { ownFiles } from "./own-files.ts";
import { findRepository } from "./repository.ts";
import { treeOf } from "./tree-merge.ts";

/**
 * @param folder the project
 * @param stateFile of the loop, whose own files do not count
 * @returns the tree's object id; null: a tracked file was changed, or there is no repository
 */
export async function cleanTreeOf(folder: string, stateFile: string): Promise<string | null> {
  const repository = await findRepository(folder);
  if (!repository.ok) return null;
  const { git, root, prefix, head } = repository.value;
  const own = ownFiles(root, stateFile, loopPaths(stateFile).dir, prefix);
  const status = await must(git, ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"]);
  const changed = fieldsOf(status).filter((field) => !own.includes(textOf(field.slice(3))));
  return changed.length === 0 ? await treeOf(git, head) : null;
}
