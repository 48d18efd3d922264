/** A copy of a commit that may be broken: nothing of the person's folder or repository is written to (SPEC section 6). */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGit, fieldsOf, gitProblem, LONG_MS, textOf, type Git } from "../../adapters/workspace/git.ts";
import { copyIncluded, includedFiles, keepIncluded } from "../../adapters/workspace/included-files.ts";
import { findRepository } from "../../adapters/workspace/repository.ts";
import { runSetUp, type SetUp } from "../../adapters/workspace/set-up.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";

export interface Copy {
  /** The project in the copy. */
  readonly dir: string;
  readonly commit: string;
  /** Its files, relative to the project. */
  readonly files: readonly string[];
  /** Those that differ since an earlier commit; null: there is none such. */
  changedSince(earlier: string): Promise<readonly string[] | null>;
  /** A file as it was then; null: it was not there. */
  contentAt(commit: string, path: string): Promise<Buffer | null>;
  remove(): Promise<void>;
}

/** @param commit default: HEAD. @returns refused without a repository, and where the copy cannot be made ready */
export async function copyOf(
  project: string,
  { commit, set_up, signal }: { readonly commit?: string; readonly set_up: SetUp; readonly signal: AbortSignal },
): Promise<Result<Copy>> {
  const repository = await findRepository(project);
  if (!repository.ok) return refused(repository.problem.message, repository.problem.hint);
  const { root, prefix, head } = repository.value;
  const folder = await mkdtemp(join(tmpdir(), "aot-challenge-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const top = join(folder, "copy");
  const at = commit ?? head;
  const failed = await made(repository.value.git, {
    root,
    top,
    at,
    set_up,
    signal,
    log_file: join(folder, "set-up.log"),
    prefix,
  });
  if (failed !== null) {
    await remove();
    return refused(
      `the copy to challenge could not be made: ${failed}`,
      "see that the commit can be checked out and set up",
    );
  }
  const git = createGit({ cwd: top });
  const inside = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  const listed = await git.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", at]);
  return accepted({
    dir: join(top, prefix),
    commit: at,
    files: inside(fieldsOf(listed.stdout).map(textOf)),
    changedSince: async (earlier) => {
      const answer = await git.run(["diff", "--name-only", "--no-renames", "-z", earlier, at]);
      return answer.ok ? inside(fieldsOf(answer.stdout).map(textOf)) : null;
    },
    contentAt: async (when, path) => {
      const answer = await git.run(["cat-file", "blob", `${when}:${prefix}${path}`]);
      return answer.ok ? Buffer.from(answer.stdout, "latin1") : null;
    },
    remove,
  });
}

interface Making {
  readonly root: string;
  readonly top: string;
  readonly at: string;
  readonly prefix: string;
  readonly set_up: SetUp;
  readonly signal: AbortSignal;
  readonly log_file: string;
}

/** @returns why it could not be made */
async function made(git: Git, { root, top, at, prefix, set_up, signal, log_file }: Making): Promise<string | null> {
  const calls = [
    { args: ["clone", "-q", "--shared", "--no-checkout", root, top], cwd: root },
    { args: ["checkout", "-q", "--detach", at], cwd: top },
  ];
  for (const { args, cwd } of calls) {
    const answer = await git.run(args, { cwd, timeout_ms: LONG_MS });
    if (!answer.ok) return gitProblem(answer.failure).message;
  }
  const { problem } = await copyIncluded(root, await keepIncluded(root, await includedFiles(git, root)), top);
  if (problem !== null) return problem;
  const dir = join(top, prefix);
  await mkdir(dir, { recursive: true });
  return await runSetUp(set_up, { dir, env: { ...process.env, AOT_ROOT: root }, log_file, signal });
}
