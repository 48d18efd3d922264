/** What can be wrong with the place where attempts work, as values (SPEC sections 7 and 8). */
type WorkspaceProblemCode =
  | "git_missing"
  | "git_too_old"
  | "not_a_repository"
  | "bare_repository"
  | "no_commits"
  | "branch_in_the_way"
  | "repository_gone"
  | "project_gone"
  | "alignment_missing"
  | "submodules_failed"
  | "files_in_the_way"
  | "remote_away"
  | "cannot_sign"
  | "lfs_missing"
  | "git_failed";

export interface WorkspaceProblem {
  readonly code: WorkspaceProblemCode;
  /** One sentence: what is wrong, and where. */
  readonly message: string;
  readonly hint: string;
}

export type WorkspaceResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: WorkspaceProblem };

/**
 * A problem that leaves the run no way on: the port has no value for it, so the promise is rejected with
 * this and the run stops. `message` holds the sentence and the next step.
 */
export class WorkspaceError extends Error {
  readonly problem: WorkspaceProblem;

  constructor(problem: WorkspaceProblem) {
    super(`${problem.message} ${problem.hint}`);
    this.name = "WorkspaceError";
    this.problem = problem;
  }
}
