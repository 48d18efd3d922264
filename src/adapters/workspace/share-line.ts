/** Hands a loop's integration branch to a shared remote, where workers go on with it (SPEC section 13). */
import { withoutCredentials } from "./credentials.ts";
import { LONG_MS, gitProblem } from "./git.ts";
import { branchInTheWay } from "./workspace-context.ts";
import { lineRefs, openLine } from "./integration-line.ts";
import { WorkspaceError, type WorkspaceResult } from "./problem.ts";
import { findRepository } from "./repository.ts";
import { safeName } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";

export interface SharedLine {
  readonly base: string;
  readonly branch: string;
  /** The project's folder in the repository: empty, or a path with slashes that ends in one. */
  readonly prefix: string;
}

/**
 * Makes the branch as a run here would, or takes the one that is there, and pushes it with the loop's own refs. A remote
 * that holds another loop of that name, or has gone on, refuses.
 */
export async function shareLine(options: GitWorkspaceOptions, remote: string): Promise<WorkspaceResult<SharedLine>> {
  const repository = await findRepository(options.root);
  if (!repository.ok) return repository;
  const { value } = repository;
  const refs = lineRefs(safeName(options.loop));
  const problem = await branchInTheWay(value, refs.branch);
  if (problem !== null) return { ok: false, problem };
  try {
    const line = await openLine({ ...value, refs, note: () => {} }, { branch: value.branch, commit: value.head });
    const all = [`refs/heads/${refs.branch}:refs/heads/${refs.branch}`, `${refs.own}*:${refs.own}*`];
    const pushed = await value.git.run(["push", "-q", "--atomic", remote, ...all], { timeout_ms: LONG_MS });
    if (pushed.ok) return { ok: true, value: { base: line.base, branch: refs.branch, prefix: value.prefix } };
    return refused(
      `The loop's branch cannot be pushed to ${withoutCredentials(remote)}: ${gitProblem(pushed.failure).message}`,
      "See that you may push there, and that no other loop of this name is worked on it.",
    );
  } catch (error) {
    if (error instanceof WorkspaceError) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** The reverse: the branch and the loop's own refs as the remote has them. @returns the branch */
export async function fetchLine(root: string, loop: string, remote: string): Promise<WorkspaceResult<string>> {
  const repository = await findRepository(root);
  if (!repository.ok) return repository;
  const { branch, own } = lineRefs(safeName(loop));
  const all = [`refs/heads/${branch}:refs/heads/${branch}`, `+${own}*:${own}*`];
  const fetched = await repository.value.git.run(["fetch", "-q", "--no-tags", remote, ...all], { timeout_ms: LONG_MS });
  if (fetched.ok) return { ok: true, value: branch };
  return refused(
    `The loop's branch cannot be fetched from ${withoutCredentials(remote)}: ${gitProblem(fetched.failure).message}`,
    `See that you may read it, and that ${branch} is not checked out here and has nothing of its own.`,
  );
}

function refused(message: string, hint: string): WorkspaceResult<never> {
  return { ok: false, problem: { code: "git_failed", message, hint } };
}
