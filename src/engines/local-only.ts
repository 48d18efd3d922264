/** What a project has that does not travel to an engine's workers, in words (SPEC section 13). */
import { includedFiles } from "../adapters/workspace/included-files.ts";
import { findRepository, named } from "../adapters/workspace/repository.ts";

/** @param root the project's folder. @returns one sentence for each; empty: everything travels */
export async function whatIsLocalOnly(root: string): Promise<readonly string[]> {
  const repository = await findRepository(root);
  const included = repository.ok ? await includedFiles(repository.value.git, repository.value.root) : [];
  if (included.length === 0) return [];
  return [
    `workers do not have the files that .worktreeinclude names here: ${named(included)}. ` +
      "What git ignores does not travel; have the set-up commands make those files",
  ];
}
