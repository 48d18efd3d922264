/** Finds the repository of a project and says what is missing for attempts (SPEC section 7). */
import { realpath } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { createGit, fieldsOf, gitProblem, textOf, type Git, type GitCall } from "./git.ts";
import type { OwnFiles } from "./own-files.ts";
import type { WorkspaceProblem, WorkspaceResult } from "./problem.ts";

export interface GitVersion {
  readonly major: number;
  readonly minor: number;
}

export interface Repository {
  readonly git: Git;
  readonly version: GitVersion;
  /** Top folder of the person's working tree. */
  readonly root: string;
  /** Where the project lies in it: empty, or a path with slashes that ends in one. */
  readonly prefix: string;
  /** `.git` of that working tree; in a linked worktree its own part. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Commit of HEAD. */
  readonly head: string;
  /** Full name of the branch, or null when detached. */
  readonly branch: string | null;
  /** Whose name is on the loop's commits, as variables. */
  readonly person: Readonly<Record<string, string>>;
  /** git knows no name or address of the person's: commits are the loop's. */
  readonly nameless: boolean;
  /** How a person calls its git: `TYPED_IN_FOLDER` is that of a folder in no repository (folder-repository.ts). */
  readonly typed: "git" | typeof TYPED_IN_FOLDER;
}

/** In the folder itself. */
export const TYPED_IN_FOLDER = "git --git-dir=.claude/aot-loop/folder.git --work-tree=.";

const NOBODY = { NAME: "AoT Loop", EMAIL: "aot-loop@localhost" } as const;

const OLDEST: GitVersion = { major: 2, minor: 29 };

export function atLeast(version: GitVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** The version of the git that is installed, if it is new enough. */
export async function findGit(): Promise<WorkspaceResult<GitVersion>> {
  const answer = await createGit().run(["version"]);
  if (!answer.ok) return failed(gitProblem(answer.failure));
  const match = /(\d+)\.(\d+)/.exec(answer.stdout);
  const version = { major: Number(match?.[1] ?? 0), minor: Number(match?.[2] ?? 0) };
  if (atLeast(version, OLDEST.major, OLDEST.minor)) return { ok: true, value: version };
  return failed({
    code: "git_too_old",
    message: `git ${answer.stdout.trim()} is too old: attempts need ${OLDEST.major}.${OLDEST.minor} or newer.`,
    hint: "Update git.",
  });
}

/**
 * @param folder the project: any folder inside the working tree
 * @param own absent: the person's repository is looked for
 */
export async function findRepository(
  folder: string,
  own?: Pick<GitCall, "env" | "config">,
): Promise<WorkspaceResult<Repository>> {
  const version = await findGit();
  if (!version.ok) return version;
  const git = createGit({ ...own, cwd: await realpath(folder).catch(() => folder) });
  const dirs = await git.run([
    "rev-parse",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-prefix",
    "--show-toplevel",
  ]);
  const [bare = "", inside, gitDir = "", common = "", prefix = "", top = ""] = textOf(dirs.stdout).split("\n");
  if (bare === "" && !dirs.ok) return failed(noRepository(folder, dirs.failure.stderr));
  if (bare === "true" || inside !== "true") {
    return failed({
      code: "bare_repository",
      message: `${folder} has no working tree: it is a bare repository or the inside of a .git folder.`,
      hint: "Run in a clone or a worktree of it (`git worktree add <folder>`).",
    });
  }
  if (!dirs.ok) return failed(gitProblem(dirs.failure));
  const root = await realpath(top);
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  if (!head.ok)
    return failed({
      code: "no_commits",
      message: `The repository ${root} has no commit to start from.`,
      hint: "Make one: `git add -A && git commit -m init` (or `git commit --allow-empty -m init`).",
    });
  const branch = await git.run(["symbolic-ref", "-q", "HEAD"]);
  const person = await identity(git);
  // `--git-common-dir` is relative to the folder that was asked.
  const commonDir = isAbsolute(common) ? common : resolve(await realpath(folder), common);
  return {
    ok: true,
    value: {
      git: git.with({ cwd: root, env: person }),
      version: version.value,
      root,
      prefix,
      gitDir: await realpath(gitDir),
      commonDir: await realpath(commonDir),
      head: head.stdout.trim(),
      branch: branch.ok ? textOf(branch.stdout).trim() : null,
      person,
      nameless: person["GIT_AUTHOR_NAME"] === NOBODY.NAME || person["GIT_AUTHOR_EMAIL"] === NOBODY.EMAIL,
      typed: own === undefined ? "git" : TYPED_IN_FOLDER,
    },
  };
}

/** Whose name is on the loop's commits: the person's, or ours where there is none. */
export async function identity(git: Git): Promise<Record<string, string>> {
  const answer = await git.run(["config", "-z", "--get-regexp", "^(user|author|committer)\\.(name|email)$"]);
  // The last one wins, as it does for git.
  const own = new Map(
    fieldsOf(answer.stdout).map((field): [string, string] => [
      field.slice(0, field.indexOf("\n")),
      textOf(field.slice(field.indexOf("\n") + 1)),
    ]),
  );
  const env: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const part of ["NAME", "EMAIL"] as const) {
      const [of, what] = [role.toLowerCase(), part.toLowerCase()];
      const given = process.env[`GIT_${role}_${part}`] || own.get(`${of}.${what}`) || own.get(`user.${what}`);
      env[`GIT_${role}_${part}`] = given || NOBODY[part];
    }
  }
  return env;
}

/** Names of files that differ from HEAD, new ones included, the loop's own left out. Paths from the top folder. */
export async function dirtyFiles(git: Git, own: OwnFiles): Promise<string[]> {
  const listed = await git.run(["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
  const found = fieldsOf(listed.stdout).map((field) => textOf(field.slice(3)));
  return found.filter((path) => !own.includes(path.replace(/\/$/, "")));
}

/** `a, b, c and 4 more`. */
export function named(files: readonly string[], most = 10): string {
  const shown = files.slice(0, most).map((file) => JSON.stringify(file).slice(1, -1));
  return files.length > most ? `${shown.join(", ")} and ${files.length - most} more` : shown.join(", ");
}

function noRepository(folder: string, stderr: string): WorkspaceProblem {
  if (/not a git repository/i.test(stderr)) {
    return {
      code: "not_a_repository",
      message: `${folder} is not in a git repository.`,
      hint: "Make it one: `git init && git add -A && git commit -m init`.",
    };
  }
  return {
    ...gitProblem({ kind: "failed", command: "git rev-parse", exit_code: 128, stderr }),
    message: `git does not open the repository at ${folder}: ${stderr}`,
  };
}

function failed(problem: WorkspaceProblem): { readonly ok: false; readonly problem: WorkspaceProblem } {
  return { ok: false, problem };
}
