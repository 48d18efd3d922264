/** A project's folder in the eyes of git, with the loop's own files left out. */
import { dirname } from "node:path";
import { gitFolderAbove } from "../../host/git-folder.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { realPath } from "../../host/real-path.ts";
import { repositoryOf } from "./folder-repository.ts";
import { fieldsOf, must, textOf } from "./git.ts";
import { excludeOnce, ownFiles } from "./own-files.ts";
import { treeOf } from "./tree-merge.ts";

/**
 * Which tree a folder holds, where that can be said without reading it: no tracked file differs from HEAD (SPEC section 6).
 * @param folder the project
 * @param stateFile of the loop, whose own files do not count
 * @returns the tree's object id; null: a tracked file was changed, or there is no repository
 */
export async function cleanTreeOf(folder: string, stateFile: string): Promise<string | null> {
  const repository = await repositoryOf(folder);
  if (!repository.ok) return null;
  const { git, root, prefix, head } = repository.value;
  const own = ownFiles(root, stateFile, loopPaths(stateFile).dir, prefix);
  const status = await must(git, ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"]);
  const changed = fieldsOf(status).filter((field) => !own.includes(textOf(field.slice(3))));
  return changed.length === 0 ? await treeOf(git, head) : null;
}

/**
 * From now on git shows none of the loop's own files (SPEC section 7): an agent that works in the person's checkout would
 * commit them. Without a repository there is nothing to do.
 */
export async function hideOwnFiles(stateFile: string): Promise<void> {
  const file = realPath(stateFile);
  const git = gitFolderAbove(dirname(file));
  if (git === null) return;
  const root = realPath(git.root);
  const own = ownFiles(root, file, loopPaths(file).dir);
  try {
    await excludeOnce(git.common, own.excludes);
  } catch (error) {
    // A client's sandbox may forbid it: then git goes on showing them.
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
