/** Protected files in the folder that a person stands in (SPEC section 6); a run compares those of its integrated commit. */
import { protectedBy } from "../adapters/workspace/change.ts";
import { fieldsOf, textOf } from "../adapters/workspace/git.ts";
import { findRepository } from "../adapters/workspace/repository.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Objective } from "../core/state.ts";

/**
 * The protected files that differ from the commit at which the goal was aligned, committed or not; new ones count.
 * None where nothing is protected or where no commit is known (a goal that was aligned outside git).
 * @param dir the project
 */
export async function tamperedIn(dir: string, objective: Objective): Promise<Result<readonly string[]>> {
  const { protected: globs = [], aligned_commit } = objective;
  if (globs.length === 0 || aligned_commit === undefined) return accepted([]);
  const repository = await findRepository(dir);
  if (!repository.ok) return refused(repository.problem.message, repository.problem.hint);
  const { git } = repository.value;
  const changed = await git.run(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", aligned_commit, "--"]);
  if (!changed.ok)
    return refused(
      `the protected files cannot be compared with the commit of the alignment, ${aligned_commit}: ${changed.failure.stderr}`,
      "bring that commit back (`git fetch`), or align anew with `aot align --force`",
    );
  const added = await git.run(["ls-files", "-z", "--others", "--exclude-standard"]);
  const isProtected = protectedBy(globs);
  const paths = [...fieldsOf(changed.stdout), ...fieldsOf(added.stdout)].map(textOf);
  return accepted(paths.filter((path) => isProtected(path) && !path.startsWith(".claude/aot-loop")));
}
