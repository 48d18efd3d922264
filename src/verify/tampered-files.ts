/**
 * Protected files, and tests, in the folder that a person is in (SPEC section 6): kept in mind at the alignment, compared later. A
 * run compares those of its integrated commit.
 */
import { filesSince } from "../adapters/workspace/aligned-commit.ts";
import { protectedBy } from "../adapters/workspace/change.ts";
import { repositoryOf } from "../adapters/workspace/folder-repository.ts";
import { named } from "../adapters/workspace/repository.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Objective } from "../core/state.ts";
import { decides } from "../verdict/agreed-form.ts";
import { projectOf } from "../project/find-state-file.ts";

/**
 * The protected files that differ from those at which the goal was aligned, committed or not; new ones count. None where
 * nothing is protected, or where nothing tells how they were (a goal written by hand that no run has seen yet).
 * @param project where a run works: its `root`
 * @returns paths in the project; refused when the commit of the alignment is not there
 */
export async function tamperedIn(
  stateFile: string,
  objective: Objective,
  project: string = projectOf(stateFile),
): Promise<Result<readonly string[]>> {
  const { protected: globs = [] } = objective;
  const changed = globs.length === 0 ? accepted([]) : await changedIn(objective, project);
  return changed.ok ? accepted(changed.value.filter(protectedBy(globs))) : changed;
}

async function changedIn({ aligned_commit }: Objective, project: string): Promise<Result<readonly string[]>> {
  if (aligned_commit === undefined) return accepted([]);
  const repository = await repositoryOf(project);
  const changed = repository.ok ? await filesSince(repository.value, aligned_commit) : repository;
  return changed.ok ? accepted(changed.value) : refused(changed.problem.message, changed.problem.hint);
}

/** Tests, and what says how they are run, by their paths, that are not as at the alignment; none where nothing tells how they were. */
export async function testsChangedIn(objective: Objective, project: string): Promise<readonly string[]> {
  const changed = await changedIn(objective, project);
  return changed.ok ? changed.value.filter((path) => decides(path) !== null) : [];
}

/** What `aot verify` says beside its verdict: a verdict on changed protected files is one that no run would give. */
export async function tamperingNotes(
  stateFile: string,
  objective: Objective,
  project: string = projectOf(stateFile),
): Promise<{ readonly tampered: readonly string[]; readonly notes: readonly string[] }> {
  const found = await tamperedIn(stateFile, objective, project);
  if (!found.ok)
    return { tampered: [], notes: found.problems.map(({ message, hint }) => [message, hint].join(" ").trim()) };
  const note = `protected files changed since the goal was aligned: ${named(found.value)}. A run would stop as tampered`;
  return { tampered: found.value, notes: found.value.length === 0 ? [] : [note] };
}

/** Notes on the protected files that the commit of a new alignment does not have as they are here. */
export async function notAsAligned(stateFile: string, objective: Objective): Promise<string[]> {
  const { aligned_commit } = objective;
  const changed = await tamperedIn(stateFile, objective);
  if (!changed.ok || changed.value.length === 0) return [];
  return [
    `protected, and not as in the commit ${aligned_commit?.slice(0, 10)}: ${named(changed.value)}. A run compares with that commit: commit them, then align anew with \`aot align --force\``,
  ];
}
