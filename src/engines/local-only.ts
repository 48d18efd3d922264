/** What a project has that does not travel to an engine's workers, in words (SPEC section 13). */
import { inclusions, type Inclusion } from "../adapters/workspace/included-files.ts";
import { findRepository } from "../adapters/workspace/repository.ts";

/** @param root the project's folder. @returns one sentence for each; empty: everything travels */
export async function whatIsLocalOnly(root: string): Promise<readonly string[]> {
  const repository = await findRepository(root);
  const included = repository.ok ? await inclusions(repository.value.git, repository.value.root) : [];
  if (included.length === 0) return [];
  return [
    `workers do not have the files that .worktreeinclude names here: ${included.map(inclusionInWords).join("; ")}. ` +
      "What git ignores does not travel; have the set-up commands make those files",
  ];
}

const MOST_SHOWN = 3;

function inclusionInWords({ pattern, files }: Inclusion): string {
  const more = files.length - MOST_SHOWN;
  return `${pattern} (${files.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? `, and ${more} more` : ""})`;
}
