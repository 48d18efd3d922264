/**
 * A private git repository beside the person's files, whose working tree is the folder itself: snapshots
 * and restoring for a folder that is not under git, or whose git the loop must leave alone (SPEC section 7).
 *
 * SHADOW-REPOSITORY-1 files come back byte for byte: no line-ending conversion, no filters, whatever the project's
 *    attributes say;
 * SHADOW-REPOSITORY-2 the loop's own files, what the project ignores, and nested repositories are never touched;
 * SHADOW-REPOSITORY-3 the ref `folder` names the commit that the folder was last known to hold, so that a switch that a
 *    crash cut short is distinguished from a person's edit.
 */
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import { changesBetween, GITLINK, type Change } from "./change.ts";
import { createGit, fieldsOf, LONG_MS, must, textOf, WHOLE_INDEX, type Git } from "./git.ts";
import { ignoredAbove } from "./ignored-above.ts";
import { excludeOnce, type OwnFiles } from "./own-files.ts";
import { findRepository, identity } from "./repository.ts";
import { WorkspaceError } from "./problem.ts";
import { exists } from "./worktree.ts";

export interface ShadowRepository {
  readonly git: Git;
  readonly gitDir: string;
  readonly root: string;
  readonly note: (text: string) => void;
}

export interface FolderTree {
  readonly tree: string;
  /** Against the commit that was given. */
  readonly changes: readonly Change[];
}

const BYTES_ONLY = "* -text -eol -ident -filter -working-tree-encoding\n";

export async function openShadow(
  root: string,
  gitDir: string,
  own: OwnFiles,
  note: (text: string) => void,
): Promise<ShadowRepository> {
  makeOwnFolder(gitDir);
  const place = await realpath(gitDir);
  const env = { GIT_DIR: place, GIT_WORK_TREE: root, ...(await identity(createGit({ cwd: root }))) };
  const git = createGit({ cwd: root, env, config: [...WHOLE_INDEX, "core.autocrlf=false"] });
  if (!(await exists(join(place, "HEAD")))) await must(git, ["init", "-q"]);
  await rm(join(place, "index.lock"), { force: true });
  await mkdir(join(place, "info"), { recursive: true });
  const written = writeFileAtomicSync(join(place, "info", "attributes"), BYTES_ONLY);
  if (!written.ok) throw new WorkspaceError({ code: "files_in_the_way", message: written.message, hint: written.hint });
  const repository = await findRepository(root);
  const above = repository.ok ? await ignoredAbove(repository.value) : [];
  // The loop's own come last, and win.
  await excludeOnce(place, [...above, ...own.excludes]);
  return { git, gitDir: place, root, note };
}

/** The folder as it is. @throws WorkspaceError if a file cannot be read */
export async function readFolder(shadow: ShadowRepository, against: string | null): Promise<FolderTree> {
  const { git } = shadow;
  const from = against ?? (await must(git, ["hash-object", "-t", "tree", "-w", "--stdin"]));
  for (let round = 0; round < 6; round++) {
    const added = await git.run(["add", "-A"], { timeout_ms: LONG_MS });
    if (!added.ok) {
      // An empty repository inside makes git refuse everything.
      if ((await leaveNestedOut(shadow, [])) === 0) throw unreadable(shadow.root, added.failure.stderr);
      continue;
    }
    const tree = await must(git, ["write-tree"]);
    const changes = await changesBetween(git, from, tree);
    const links = changes.filter((change) => change.now.mode === GITLINK).map((change) => change.path);
    if (links.length === 0) return { tree, changes };
    await leaveNestedOut(shadow, links);
  }
  throw unreadable(shadow.root, "it holds repositories inside of each other");
}

function unreadable(root: string, said: string): WorkspaceError {
  return new WorkspaceError({
    code: "git_failed",
    message: `The files in ${root} cannot be recorded: ${said}`,
    hint: "Make them readable, or put them into .gitignore; then run again.",
  });
}

/** SHADOW-REPOSITORY-2: they have a history of their own. Answers how many were found. */
async function leaveNestedOut(shadow: ShadowRepository, links: readonly string[]): Promise<number> {
  const { git } = shadow;
  const untracked = fieldsOf(await must(git, ["ls-files", "-z", "--others", "--exclude-standard"]));
  const nested = [
    ...new Set([...links, ...untracked.filter((path) => path.endsWith("/")).map((path) => textOf(path.slice(0, -1)))]),
  ];
  for (const path of links) await must(git, ["update-index", "--force-remove", "--", path]);
  await excludeOnce(
    shadow.gitDir,
    nested.map((path) => `/${path.replace(/[\\*?[ !#]/g, "\\$&")}`),
  );
  for (const path of nested)
    shadow.note(`${path} is a git repository of its own: the loop neither records nor restores it.`);
  return nested.length;
}

/** Makes the folder hold `commit`. Everything in it must have been read (`readFolder`) just before. */
export async function switchFolder(shadow: ShadowRepository, commit: string): Promise<void> {
  await must(shadow.git, ["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
}

/** A copy of `commit` in a folder of its own. */
export async function exportTo(shadow: ShadowRepository, commit: string, dir: string, index: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await must(shadow.git, ["read-tree", "--reset", "-u", commit], {
    cwd: dir,
    env: { GIT_WORK_TREE: dir, GIT_INDEX_FILE: index },
    timeout_ms: LONG_MS,
  });
}
