/** How a person's git makes commits, as it was when the run began (SPEC section 16): an attempt may change settings later. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fieldsOf, gitProblem, must, textOf, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";
import type { Repository } from "./repository.ts";
import type { CommitWishes } from "./workspace-options.ts";

export interface CommitStyle {
  /** Settings for `-c` that sign; null: commits are not signed. */
  readonly signing: readonly string[] | null;
  /** Lines that every message ends with. */
  readonly trailers: readonly string[];
  /** The folder of hooks, as far as one of `HOOKS` is there. */
  readonly hooks: string | null;
}

export const HOOKS = ["pre-commit", "commit-msg"] as const;

/** @throws WorkspaceError when commits are to be signed, or signed off, and cannot be */
export async function readCommitStyle(repository: Repository, wishes: CommitWishes = {}): Promise<CommitStyle> {
  const { git, root, commonDir, nameless } = repository;
  if (wishes.signoff === true && nameless)
    throw new WorkspaceError({
      code: "cannot_sign",
      message: "Commits are to be signed off, and git knows no name or address of yours.",
      hint: "git config user.name NAME && git config user.email ADDRESS; or set signoff to false.",
    });
  const [signs, settings, folder] = await Promise.all([
    personsOwn(git, "bool", "commit.gpgsign"),
    git.run(["config", "-z", "--get-regexp", "^(gpg\\..+|user\\.signingkey)$"]),
    personsOwn(git, "path", "core.hooksPath"),
  ]);
  const signing = fieldsOf(settings.stdout).map((field) => textOf(field.replace("\n", "=")));
  if (signs === "true") {
    await refuseProgramsOfRepository(git);
    await trySigning(git, signing);
  }
  const hooks = resolve(root, folder ?? join(commonDir, "hooks"));
  const { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: address } = repository.person;
  return {
    signing: signs === "true" ? signing : null,
    trailers: wishes.signoff === true ? [`Signed-off-by: ${name} <${address}>`] : [],
    hooks: wishes.hooks !== null && HOOKS.some((hook) => existsSync(join(hooks, hook))) ? hooks : null,
  };
}

/** The last value but ours: git.ts sets these itself. Null: nobody else set it. */
async function personsOwn(git: Git, type: "bool" | "path", key: string): Promise<string | null> {
  const all = fieldsOf((await git.run(["config", "-z", `--type=${type}`, "--get-all", key])).stdout);
  return all.length < 2 ? null : textOf(all.at(-2) ?? "");
}

/** An attempt without a sandbox can write to the repository's settings: what they name is not run as the person. */
async function refuseProgramsOfRepository(git: Git): Promise<void> {
  const all = fieldsOf((await git.run(["config", "-z", "--show-scope", "--get-regexp", PROGRAMS])).stdout);
  const own = all
    .filter((_, at) => /^(?:local|worktree)$/.test(all[at - 1] ?? ""))
    .map((field) => field.split("\n", 1)[0] ?? "");
  if (own.length === 0) return;
  throw new WorkspaceError({
    code: "cannot_sign",
    message: `The repository's own settings name the program that signs your commits (${own.join(", ")}). A program that is run as you is taken from your settings alone, because agents may have changed the repository's.`,
    hint: `git config --global ${own[0]} PROGRAM && git config --unset ${own[0]}; or git config commit.gpgsign false: commits without a signature.`,
  });
}

const PROGRAMS = "^gpg\\..*(program|command)$";

/** Before anything is spent: makes a commit that no ref names. */
async function trySigning(git: Git, signing: readonly string[]): Promise<void> {
  const tree = await must(git, ["rev-parse", "HEAD^{tree}"]);
  const tried = await git.run(["commit-tree", "-S", tree, "-m", "aot: a trial of the signature"], { config: signing });
  if (!tried.ok)
    throw new WorkspaceError({
      code: "cannot_sign",
      message: `Your git signs commits (commit.gpgsign), and a trial failed: ${gitProblem(tried.failure).message}`,
      hint: HOW_TO_SIGN,
    });
}

export const HOW_TO_SIGN =
  "Unlock the key (`ssh-add`, `gpg --sign`) until `git commit -S --allow-empty` works here; `git config commit.gpgsign false`: commits without a signature.";
