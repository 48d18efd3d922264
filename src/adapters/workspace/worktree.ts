/** Worktrees that the loop makes and removes; the person's own are never touched. */
import { removeTree } from "../../host/remove-tree.ts";
import { lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { textAt } from "../../host/regular-file.ts";
import { gitProblem, LONG_MS, PLAIN_INDEX, WHOLE_INDEX, type Git, type GitFailure } from "./git.ts";
import { WorkspaceError } from "./problem.ts";

export interface Worktree {
  /** Name of its folder and, for an attempt, the last part of its branch. */
  readonly name: string;
  /** Absolute path. */
  readonly dir: string;
  /** Its git directory inside the repository (`worktrees/<id>`). */
  readonly admin: string;
}

/**
 * @param dir folder that does not exist yet
 * @param branch short name of the branch to create there; null: detached, and whole although the person's checkout is sparse
 * @param empty true: no file is checked out
 * @returns null if the folder or the branch is taken
 * @throws WorkspaceError for any other failure
 */
export async function addWorktree(
  git: Git,
  dir: string,
  {
    branch,
    commit,
    name,
    empty = false,
  }: { readonly branch: string | null; readonly commit: string; readonly name: string; readonly empty?: boolean },
): Promise<Worktree | null> {
  makeOwnFolder(dirname(dir));
  const how = [...(empty ? ["--no-checkout"] : []), ...(branch === null ? ["--detach"] : ["-b", branch])];
  for (let again = 1; ; again++) {
    const answer = await git.run(["worktree", "add", "-q", ...how, dir, commit], {
      timeout_ms: LONG_MS,
      config: branch === null ? WHOLE_INDEX : PLAIN_INDEX,
    });
    if (answer.ok) break;
    if (isTaken(answer.failure)) return null;
    await rm(dir, { recursive: true, force: true });
    // Made before it failed; one that stands elsewhere is not this one.
    if (branch !== null) await git.run(["update-ref", "-d", `refs/heads/${branch}`, commit]);
    if (!meetsAnother(answer.failure) || again === 10) throw new WorkspaceError(gitProblem(answer.failure));
    await new Promise((resume) => setTimeout(resume, 10 * again));
  }
  const admin = (await adminOf(dir)) ?? join(dir, ".git");
  // git copies the patterns; without the file a checkout is whole, whatever the settings say.
  if (branch === null) await rm(join(admin, "info", "sparse-checkout"), { force: true });
  return { name, dir, admin };
}

/**
 * The project in a worktree. A commit may hold nothing of it: git keeps no empty folders.
 * @throws WorkspaceError when the commit holds something else in its place
 */
export async function projectIn(worktree: Pick<Worktree, "dir">, prefix: string): Promise<string> {
  let dir = worktree.dir;
  for (const part of prefix.split("/").filter((name) => name !== "")) {
    dir = join(dir, part);
    await mkdir(dir).catch(() => undefined);
    // A link must not lead the agent or the checks elsewhere.
    const there = await lstat(dir).catch(() => null);
    if (there?.isDirectory() !== true)
      throw new WorkspaceError({
        code: "project_gone",
        message: `The project's folder ${prefix} is not a folder any more in the integrated commit.`,
        hint: `Put it back on the integration branch; \`git log -- ${prefix}\` there says what replaced it.`,
      });
  }
  return dir;
}

function isTaken(failure: GitFailure): boolean {
  return /already exists|is already checked out|already used by worktree/.test(failure.stderr);
}

/** git reads all worktrees when it makes one, and stumbles over another that comes or goes at that moment. */
function meetsAnother(failure: GitFailure): boolean {
  return /(failed to read|Invalid path) .*[\\/]worktrees[\\/]/.test(failure.stderr);
}

/** The git directory that the `.git` file of a worktree names; null if there is no such file. */
export async function adminOf(dir: string): Promise<string | null> {
  const text = textAt(join(dir, ".git")) ?? "";
  const path = /^gitdir: (.*?)\r?\n?$/s.exec(text)?.[1];
  if (path === undefined) return null;
  return isAbsolute(path) ? path : resolve(dir, path);
}

/** Removes folder and git directory; no git process. Answers false if something of the folder could not be removed. */
export async function removeWorktree(
  worktree: Pick<Worktree, "dir"> & { readonly admin: string | null },
  commonDir: string,
): Promise<boolean> {
  const gone = await removeTree(worktree.dir);
  if (worktree.admin !== null) await removeAdmin({ admin: worktree.admin }, commonDir);
  return gone;
}

/** Removes its git directory: never anything but a worktree's own, whatever a `.git` file may say. */
export async function removeAdmin(worktree: Pick<Worktree, "admin">, commonDir: string): Promise<void> {
  const admin = await realpath(worktree.admin).catch(() => null);
  if (admin !== null && dirname(admin) === join(commonDir, "worktrees")) await removeAtOnce(admin, commonDir);
}

const ASIDE_PREFIX = "aot-removed-";

/** Another git that lists the worktrees must not see half of one. */
async function removeAtOnce(admin: string, commonDir: string): Promise<void> {
  const aside = join(commonDir, `${ASIDE_PREFIX}${process.pid}-${basename(admin)}`);
  await rm(aside, { recursive: true, force: true });
  await rename(admin, aside).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
  await rm(admin, { recursive: true, force: true });
}

/** What a killed run had set aside to remove. That of a live one is only helped along. */
export async function finishRemovals(commonDir: string): Promise<void> {
  for (const name of await readdir(commonDir).catch(() => []))
    if (name.startsWith(ASIDE_PREFIX)) await removeTree(join(commonDir, name));
}

function separatorOf(path: string): string {
  return join(path, "x").at(-2) ?? "/";
}

/** Worktrees that the repository knows inside `parent`, whether their folders are there or not. */
export async function knownWorktrees(commonDir: string, parent: string): Promise<Worktree[]> {
  const found: Worktree[] = [];
  const all = join(commonDir, "worktrees");
  for (const id of await readdir(all).catch(() => [])) {
    const admin = join(all, id);
    const gitFile = (textAt(join(admin, "gitdir")) ?? "").replace(/\r?\n$/, "");
    const dir = resolve(admin, gitFile, "..");
    const name = dir.slice(parent.length + 1);
    if (gitFile !== "" && dir.startsWith(parent + separatorOf(parent)) && !/[\\/]/.test(name))
      found.push({ name, dir, admin });
  }
  return found;
}

/** Names of the folders in a folder; a file beside them is none of ours. */
export async function foldersIn(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
