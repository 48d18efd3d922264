/**
 * An attempt's folder as a tree: the files as they are now count, whatever the agent did to branches, index
 * or `.git` (SPEC section 7).
 *
 * SNAPSHOT-1 new files are in it, ignored ones only if the agent added them to its index; the loop's own files are as
 *    they were at the base;
 * SNAPSHOT-2 the worktree's `.git` is not needed: a deleted or replaced one changes nothing;
 * SNAPSHOT-3 a repository that the agent made inside becomes plain files; its `.git` is moved to `attic`;
 * SNAPSHOT-4 the tree differs from the base in what the attempt changed and in nothing else, whatever git's settings are.
 */
import { lstatSync } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { moveTree } from "../../host/remove-tree.ts";
import { changesBetween, GITLINK, indexLines, type Change, type TreeEntry } from "./change.ts";
import { bytesIn, fieldsOf, LITERAL, LONG_MS, must, textOf, WHOLE_INDEX, type Git, type GitAnswer } from "./git.ts";
import { readRecord } from "./preparation-record.ts";
import { ignoredIn, keepIgnored, type IgnoredTools, type IgnoredWork } from "./ignored-work.ts";
import { leftAlone } from "./left-alone.ts";
import type { OwnFiles } from "./own-files.ts";
import { WorkspaceError } from "./problem.ts";
import { named } from "./repository.ts";
import { withScratchIndex } from "./scratch-index.ts";
import { fillIndex } from "./start-index.ts";
import { keepSubmoduleWork, submodulesOf } from "./submodule.ts";
import { editedTree } from "./tree-without.ts";
import { changedPaths } from "./upper-folder.ts";
import { exists, type Worktree } from "./worktree.ts";
import type { WorktreePool } from "./worktree-pool.ts";

export type Snapshot =
  /** `changes`: against the base, without the loop's own files. */
  | {
      readonly kind: "tree";
      readonly tree: string;
      readonly changes: readonly Change[];
      /** What was kept of files that git ignores. */
      readonly ignored: IgnoredWork | null;
    }
  | { readonly kind: "unreadable"; readonly reason: string };

export interface SnapshotTools extends IgnoredTools {
  readonly git: Git;
  /** The git directory of the person's checkout: its settings are those of the work. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly own: OwnFiles;
  /** Folder of indexes: those that live for a moment, and those that attempts started with. */
  readonly scratch: string;
  readonly scratchIndex: () => string;
  /** Folder for the `.git` folders of nested repositories. */
  readonly attic: string;
  /** Knows where to look for what was changed. */
  readonly pool: Pick<WorktreePool, "changesOf">;
}

/** @param artifacts what the agent says that it made, from the top folder */
export async function snapshot(
  tools: SnapshotTools,
  worktree: Worktree,
  base: string,
  artifacts: readonly string[] = [],
): Promise<Snapshot> {
  if (!(await exists(worktree.dir)))
    return {
      kind: "unreadable",
      reason: `the attempt's folder ${worktree.dir} is gone: the agent must leave it in place`,
    };
  try {
    return await withScratchIndex(tools.scratchIndex, (index) =>
      readFolder(tools, worktree, base, { index, artifacts }),
    );
  } catch (error) {
    // Where git cannot work at all it is not the attempt that failed.
    if (error instanceof WorkspaceError && (await tools.git.run(["cat-file", "-e", base])).ok)
      return { kind: "unreadable", reason: `its files cannot be read: ${error.problem.message}` };
    throw error;
  }
}

async function readFolder(
  tools: SnapshotTools,
  worktree: Worktree,
  base: string,
  { index, artifacts }: { readonly index: string; readonly artifacts: readonly string[] },
): Promise<Snapshot> {
  const { git, gitDir, commonDir } = tools;
  await keepSubmoduleWork(git, worktree.dir, join(commonDir, "modules"), tools.scratchIndex);
  // Neither the index nor the git directory of the worktree is needed (SNAPSHOT-2), and no sparse checkout leaves a
  // file out (SNAPSHOT-4).
  const here = git.with({
    cwd: worktree.dir,
    env: { GIT_DIR: gitDir, GIT_WORK_TREE: worktree.dir, GIT_INDEX_FILE: index },
    config: [...WHOLE_INDEX, `core.ignoreCase=${foldsCase(commonDir)}`],
  });
  const { absent, added: forced } = await fillIndex(tools, worktree, here, { index, base });
  const overlay = tools.pool.changesOf(worktree);
  const paths = overlay === null ? null : changedPaths(overlay, worktree.dir);
  let added = await addAll(here, paths);
  if (!added.ok && added.failure.kind === "failed") {
    // An empty repository inside makes git refuse everything.
    await absorb(tools, worktree, here, await nestedIn(here));
    added = await addAll(here, null);
  }
  let whole: Reading | null = null;
  for (let round = 0; added.ok && round < 5; round++) {
    const now = await readingOf(here, base, paths);
    const nested = await strayLinks(git, worktree, now.tree.changes);
    if (nested.length === 0 && forced.length === 0) whole = now;
    if (nested.length === 0) break;
    await absorb(tools, worktree, here, nested);
    added = await addAll(here, null);
  }
  if (added.ok && forced.length > 0) added = await addForced(here, worktree.dir, forced);
  if (!added.ok) return { kind: "unreadable", reason: `its files cannot be committed: ${added.failure.stderr}` };
  const { tree, ignored } = whole ?? (await readingOf(here, base, paths));
  const found = await judged(tools, worktree, here, { base, absent, found: tree });
  if (found.kind === "unreadable") return found;
  const listed = ignored.filter((path) => !tools.own.includes(path.replace(/\/$/, "")));
  const { name, dir: top } = worktree;
  const before = (await readRecord(worktree.admin))?.ignored ?? {};
  return { ...found, ignored: await keepIgnored(tools, { name, top, base, here, listed, before, artifacts }) };
}

/** @param paths literal ones, outside of which nothing has changed; null: anywhere */
async function addAll(here: Git, paths: readonly string[] | null): Promise<GitAnswer> {
  if (paths === null) return await here.run(["add", "-A"], { timeout_ms: LONG_MS });
  if (paths.length === 0) return { ok: true, stdout: "" };
  // Of a path with nothing but what git ignores, or nothing at all, `add` would fail.
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths];
  const listed = await here.run(args, { env: LITERAL });
  const found = fieldsOf(listed.stdout).map(textOf);
  const wanted = paths.filter((path) => found.some((file) => file === path || file.startsWith(`${path}/`)));
  if (!listed.ok || wanted.length === 0) return listed;
  return await here.run(["add", "-A", "--", ...wanted], { env: LITERAL, timeout_ms: LONG_MS });
}

/** `git add -f` of an agent is its word that a file is work, whatever is ignored. */
async function addForced(here: Git, dir: string, paths: readonly string[]): Promise<GitAnswer> {
  const files: string[] = [];
  for (const path of paths) {
    const there = await lstat(bytesIn(dir, path)).catch(() => null);
    if (there?.isFile() === true || there?.isSymbolicLink() === true) files.push(path);
  }
  const input = files.map((path) => `${path}\0`).join("");
  return await here.run(["update-index", "--add", "-z", "--stdin"], { input, timeout_ms: LONG_MS });
}

/** What the repository's settings say of it may have come from another machine. */
function foldsCase(commonDir: string): boolean {
  return lstatSync(join(commonDir, "hEaD"), { throwIfNoEntry: false }) !== undefined;
}

interface FolderTree {
  readonly kind: "tree";
  readonly tree: string;
  readonly changes: readonly Change[];
}

/** What is in an index, and what of the folder git leaves out of it. */
interface Reading {
  readonly tree: FolderTree;
  readonly ignored: readonly string[];
}

async function readingOf(here: Git, base: string, paths: readonly string[] | null): Promise<Reading> {
  const [tree, ignored] = await Promise.all([treeOf(here, base), ignoredIn(here, paths)]);
  return { tree, ignored };
}

async function treeOf(here: Git, base: string, from?: string): Promise<FolderTree> {
  const tree = from ?? (await must(here, ["write-tree", "--missing-ok"]));
  return { kind: "tree", tree, changes: await changesBetween(here, base, tree) };
}

/** SNAPSHOT-1, SNAPSHOT-4: what git added, without what is not the attempt's. */
async function judged(
  tools: SnapshotTools,
  worktree: Worktree,
  here: Git,
  { base, absent, found }: { readonly base: string; readonly absent: ReadonlySet<string>; readonly found: FolderTree },
): Promise<FolderTree | Extract<Snapshot, { readonly kind: "unreadable" }>> {
  const replaced = found.changes.filter(({ bytes }) => absent.has(bytes)).map(({ path }) => path);
  if (replaced.length > 0)
    return {
      kind: "unreadable",
      reason: `it put files in the place of ones that are not in its sparse checkout: ${named(replaced)}`,
    };
  const own = found.changes.filter((change) => tools.own.includes(change.path));
  const back: readonly { readonly bytes: string; readonly entry: TreeEntry }[] = [
    ...own.map((change) => ({ bytes: change.bytes, entry: change.old })),
    ...(await leftAlone(here, { dir: worktree.dir, base }, found.changes, tools.scratchIndex)),
  ];
  if (back.length === 0) return found;
  return await treeOf(here, base, await editedTree(tools, found.tree, indexLines(back)));
}

/** Untracked nested repositories, as paths. */
async function nestedIn(here: Git): Promise<string[]> {
  const out = await must(here, ["ls-files", "-z", "--others", "--exclude-standard"]);
  return fieldsOf(out)
    .filter((path) => path.endsWith("/"))
    .map((path) => textOf(path.slice(0, -1)));
}

/** Links to repositories that `.gitmodules` does not name. */
async function strayLinks(git: Git, worktree: Worktree, changes: readonly Change[]): Promise<string[]> {
  const links = changes.filter((change) => change.now.mode === GITLINK && change.old.mode !== GITLINK);
  if (links.length === 0) return [];
  const named = new Set((await submodulesOf(git, worktree.dir)).map((module) => module.path));
  return links.map((change) => change.path).filter((path) => !named.has(path));
}

/** SNAPSHOT-3 */
async function absorb(tools: SnapshotTools, worktree: Worktree, here: Git, nested: readonly string[]): Promise<void> {
  for (const path of nested) {
    const attic = join(tools.attic, worktree.name);
    await mkdir(attic, { recursive: true });
    for (let number = 1; ; number++) {
      const place = join(attic, `${number}.git`);
      if (await exists(place)) continue;
      await moveTree(join(worktree.dir, path, ".git"), place).catch(() => undefined);
      break;
    }
    await here.run(["update-index", "--force-remove", "--", path]);
  }
}
