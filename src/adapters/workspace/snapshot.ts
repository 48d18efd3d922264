/**
 * An attempt's folder as a tree: the files as they stand count, whatever the agent did to branches, index
 * or `.git` (SPEC section 7).
 *
 * N1 new files are in it, ignored ones are not; the loop's own files are as they were at the base;
 * N2 the worktree's `.git` is not needed: a deleted or replaced one changes nothing;
 * N3 a repository that the agent made inside becomes plain files; its `.git` is moved to `attic`.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { changesBetween, GITLINK, indexLines } from "./change.ts";
import type { Change } from "./change.ts";
import { fieldsOf, LONG_MS, must, textOf } from "./git.ts";
import type { Git, GitAnswer } from "./git.ts";
import type { OwnFiles } from "./own-files.ts";
import { keepSubmoduleWork, submodulesOf } from "./submodule.ts";
import { editedTree } from "./take-out.ts";
import { exists } from "./worktree.ts";
import type { Worktree } from "./worktree.ts";

export type Snapshot =
  /** `changes`: against the base, without the loop's own files. */
  | { readonly kind: "tree"; readonly tree: string; readonly changes: readonly Change[] }
  | { readonly kind: "unreadable"; readonly reason: string };

export interface SnapshotTools {
  readonly git: Git;
  readonly commonDir: string;
  readonly own: OwnFiles;
  readonly scratchIndex: () => string;
  /** Folder for the `.git` folders of nested repositories. */
  readonly attic: string;
}

export async function snapshot(tools: SnapshotTools, worktree: Worktree, base: string): Promise<Snapshot> {
  if (!(await exists(worktree.dir)))
    return {
      kind: "unreadable",
      reason: `the attempt's folder ${worktree.dir} is gone: the agent must leave it in place`,
    };
  const index = tools.scratchIndex();
  try {
    return await readFolder(tools, worktree, base, index);
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function readFolder(tools: SnapshotTools, worktree: Worktree, base: string, index: string): Promise<Snapshot> {
  const { git, commonDir } = tools;
  await keepSubmoduleWork(git, worktree.dir, join(commonDir, "modules"));
  // Whoever held it is dead: the attempt's processes have ended.
  await rm(join(worktree.admin, "index.lock"), { force: true });
  let here = git.with({ cwd: worktree.dir, env: { GIT_DIR: worktree.admin, GIT_WORK_TREE: worktree.dir } });
  let added = await addAll(here);
  if (!added.ok) {
    // Its index or git directory may be broken (N2): from the base, with an index of our own.
    here = git.with({
      cwd: worktree.dir,
      env: { GIT_DIR: commonDir, GIT_WORK_TREE: worktree.dir, GIT_INDEX_FILE: index },
      config: ["core.sparseCheckout=false"],
    });
    await must(here, ["read-tree", base]);
    await absorb(tools, worktree, here, await nestedIn(here));
    added = await addAll(here);
    if (!added.ok) return { kind: "unreadable", reason: `its files cannot be committed: ${added.failure.stderr}` };
  }
  let changes = await treeOf(here, base);
  for (let round = 0; round < 5; round++) {
    const nested = await strayLinks(git, worktree, changes.changes);
    if (nested.length === 0) break;
    await absorb(tools, worktree, here, nested);
    added = await addAll(here);
    if (!added.ok) return { kind: "unreadable", reason: `its files cannot be committed: ${added.failure.stderr}` };
    changes = await treeOf(here, base);
  }
  return withoutOwn(tools, changes);
}

function addAll(here: Git): Promise<GitAnswer> {
  return here.run(["add", "-A"], { timeout_ms: LONG_MS });
}

async function treeOf(
  here: Git,
  base: string,
): Promise<{ readonly kind: "tree"; readonly tree: string; readonly changes: readonly Change[] }> {
  const tree = await must(here, ["write-tree"]);
  return { kind: "tree", tree, changes: await changesBetween(here, base, tree) };
}

async function withoutOwn(
  tools: Pick<SnapshotTools, "git" | "own" | "scratchIndex">,
  found: { readonly tree: string; readonly changes: readonly Change[] },
): Promise<Snapshot> {
  const own = found.changes.filter((change) => tools.own.includes(change.path));
  if (own.length === 0) return { kind: "tree", ...found };
  const lines = indexLines(own.map((change) => ({ bytes: change.bytes, entry: change.old })));
  const tree = await editedTree(tools, found.tree, lines);
  return { kind: "tree", tree, changes: found.changes.filter((change) => !own.includes(change)) };
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

/** N3 */
async function absorb(tools: SnapshotTools, worktree: Worktree, here: Git, nested: readonly string[]): Promise<void> {
  for (const path of nested) {
    const attic = join(tools.attic, worktree.name);
    await mkdir(attic, { recursive: true });
    for (let number = 1; ; number++) {
      const place = join(attic, `${number}.git`);
      if (await exists(place)) continue;
      await rename(join(worktree.dir, path, ".git"), place).catch(() => undefined);
      break;
    }
    await here.run(["update-index", "--force-remove", "--", path]);
  }
}
