/** The commit at which the goal was aligned, and what of the protected files is no longer as it was there (SPEC section 6). */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { folderGit } from "./folder-repository.ts";
import { fieldsOf, gitProblem, textOf } from "./git.ts";
import { lineRefs } from "./integration-line.ts";
import type { WorkspaceProblem, WorkspaceResult } from "./problem.ts";
import { TYPED_IN_FOLDER, type Repository } from "./repository.ts";
import { safeName } from "./workspace-name.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

/**
 * Why nothing can be compared with the commit at which the goal was aligned: it is not there. Null: it is, or there is nothing to
 * compare.
 */
export async function whyNoAlignment(
  repository: Repository,
  { alignedCommit, protected: globs, root: project, loop }: WorkspaceOptions,
): Promise<WorkspaceProblem | null> {
  const { root, typed } = repository;
  const again = "Align it again: `aot align --force`";
  const code = "alignment_missing";
  const isFolder = typed === TYPED_IN_FOLDER;
  const isHere = alignedCommit !== undefined && (await resolved(repository, alignedCommit)) !== null;
  if (isHere) return null;
  if (isFolder && alignedCommit !== undefined)
    return {
      code,
      message: `${root} is not in a git repository, and the goal was aligned in one.`,
      hint: `${again}; or bring .git back.`,
    };
  const { branch } = lineRefs(safeName(loop));
  if (!isFolder && existsSync(join(folderGit(project), "refs", "heads", branch)))
    return {
      code,
      message: `${root} is a git repository now, and the goal was aligned when ${project} was in none.`,
      hint: `${again}. What was integrated so far: \`${TYPED_IN_FOLDER} log ${branch}\`.`,
    };
  return globs.length === 0 || alignedCommit === undefined ? null : missingFrom(repository, alignedCommit);
}

async function resolved({ git }: Repository, commit: string): Promise<string | null> {
  const found = await git.run(["rev-parse", "-q", "--verify", `${commit}^{commit}`]);
  return found.ok ? found.stdout.trim() : null;
}

function missingFrom({ root }: Repository, commit: string): WorkspaceProblem {
  return {
    code: "alignment_missing",
    message: `The commit at which the goal was aligned, ${commit}, is not in the repository ${root}: the protected files cannot be compared with it.`,
    hint: `Bring it back (\`git fetch origin ${commit}\`; in a shallow clone \`git fetch --unshallow\`), or align anew with \`aot align --force\`.`,
  };
}

/**
 * The files of the person's checkout that differ from the commit, committed or not; new ones count.
 * @returns paths in the project
 */
export async function filesSince(repository: Repository, commit: string): Promise<WorkspaceResult<readonly string[]>> {
  const aligned = await resolved(repository, commit);
  if (aligned === null) return { ok: false, problem: missingFrom(repository, commit) };
  const { git, prefix } = repository;
  const changed = await git.run(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", aligned, "--"]);
  if (!changed.ok) return { ok: false, problem: gitProblem(changed.failure) };
  const added = await git.run(["ls-files", "-z", "--others", "--exclude-standard"]);
  if (!added.ok) return { ok: false, problem: gitProblem(added.failure) };
  const paths = [...fieldsOf(changed.stdout), ...fieldsOf(added.stdout)].map(textOf).map(projectPath(prefix));
  return { ok: true, value: [...new Set(paths)].filter((path) => !path.startsWith(".claude/aot-loop")) };
}

/**
 * The name that a file of the repository has in the project; `../x` for what is outside of it.
 * @param prefix where the project lies: empty, or ending in a slash
 */
export function projectPath(prefix: string): (path: string) => string {
  // From a root of its own: a relative path would be completed by the working folder.
  const from = (path: string): string => posix.relative(`/${prefix}`, `/${path}`);
  // What stands where the project or a folder above it was is a file of the folder above.
  const above = (path: string): string => posix.join(from(path), "..", posix.basename(path));
  return prefix === "" ? (path) => path : (path) => (prefix.startsWith(`${path}/`) ? above(path) : from(path));
}
