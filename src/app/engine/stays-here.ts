/** What a project has that does not travel to an engine's workers, in words (SPEC section 13). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findRepository } from "../../adapters/workspace/repository.ts";
import { loadRules } from "../rules/rules-load.ts";
import { ruleFolders } from "../rules/rules-place.ts";

/** @param root the project's folder. @returns one sentence for each; empty: everything travels */
export async function whatStaysHere(root: string): Promise<readonly string[]> {
  const repository = await findRepository(root);
  const top = repository.ok ? repository.value.root : root;
  const rules = (await loadRules(ruleFolders(root, process.env))).filter(({ rule }) => rule?.enabled === true);
  return [
    ...(existsSync(join(top, ".worktreeinclude"))
      ? [".worktreeinclude is ignored: what git ignores does not travel; have the set-up commands make those files"]
      : []),
    ...(rules.some(({ rule }) => rule?.events.some((event) => event !== "prompt" && event !== "stop"))
      ? ["guard rules are not looked at on workers: protect files with objective.protected, or set rules up there"]
      : []),
  ];
}
