/**
 * What earlier loops of a repository have left in it. It stays until a person removes it (`aot clean`): it may hold work that
 * was never integrated.
 */
import { readRefs, lineRefs } from "./integration-line.ts";
import { type Git, createGit, gitProblem, LONG_MS } from "./git.ts";
import { withoutCredentials } from "./credentials.ts";
import type { WorkspaceResult } from "./problem.ts";
import { safeName } from "./workspace-name.ts";

/** The loops that branches or refs of a repository tell of, but for the current one. */
export async function pastLoops(
  git: Git,
  current: string,
): Promise<readonly { readonly loop: string; readonly refs: number }[]> {
  const counts = new Map<string, number>();
  for (const name of (await readRefs(git, ["refs/aot/", "refs/heads/aot/"])).keys()) {
    const loop = name.replace(/^refs\/(?:heads\/)?aot\//, "").split("/")[0] ?? "";
    if (loop !== current) counts.set(loop, (counts.get(loop) ?? 0) + 1);
  }
  return [...counts].map(([loop, refs]) => ({ loop, refs }));
}

// Branches of attempts on a shared remote (SHARED-WORKSPACE-1): those of loops that are over can be deleted.

/** Arguments of one call. */
const AT_ONCE = 200;

/** @param lines names of loops' lines */
export async function attemptBranches(
  cwd: string,
  remote: string,
  lines: readonly string[],
): Promise<WorkspaceResult<readonly string[]>> {
  const prefixes = lines.map((line) => lineRefs(safeName(line)).attempts);
  const answer = await createGit({ cwd }).run(["ls-remote", remote, "refs/heads/aot/*"], { timeout_ms: LONG_MS });
  if (!answer.ok) {
    const message = `${withoutCredentials(remote)} cannot be read: ${gitProblem(answer.failure).message}`;
    return { ok: false, problem: { code: "remote_away", message, hint: "See that you may read it with git." } };
  }
  const names = answer.stdout.split("\n").flatMap((line) => line.split("\trefs/heads/").slice(1));
  return { ok: true, value: names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))) };
}

/** @returns those that are gone */
export async function deleteBranches(
  cwd: string,
  remote: string,
  branches: readonly string[],
): Promise<WorkspaceResult<readonly string[]>> {
  for (let from = 0; from < branches.length; from += AT_ONCE) {
    const some = branches.slice(from, from + AT_ONCE).map((name) => `:refs/heads/${name}`);
    const answer = await createGit({ cwd }).run(["push", "-q", remote, ...some], { timeout_ms: LONG_MS });
    if (!answer.ok) return { ok: false, problem: gitProblem(answer.failure) };
  }
  return { ok: true, value: branches };
}
