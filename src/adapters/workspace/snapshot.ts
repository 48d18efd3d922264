/**
 * An attempt's folder as a tree: the files as they are now count, whatever the agent did to branches, index
 * or `.git` (SPEC section 7).
 *
 * SNAPSHOT-1 new files are in it, ignored ones only if the agent added them to its index; the loop's own files, and
 *    what the slot was prepared with, are as they were at the base;
 * SNAPSHOT-2 the slot's `.git` is not needed: a deleted or replaced one changes nothing;
 * SNAPSHOT-3 a repository that the agent made inside becomes plain files; its `.git` is moved to `attic`;
 * SNAPSHOT-4 the tree differs from the base in what the attempt changed and in nothing else, whatever git's settings are.
 */
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { moveTree } from "../../host/remove-tree.ts";
import { changesBetween, GITLINK, indexLines, isSame, type Change, type TreeEntry } from "./change.ts";
import { bytesIn, createGit, fieldsOf, LONG_MS, must, textOf, type Git, type GitAnswer } from "./git.ts";
import { readRecord } from "./preparation-record.ts";
import { ignoredIn, keepIgnored, type IgnoredTools, type IgnoredWork } from "./ignored-work.ts";
import { leftAlone } from "./left-alone.ts";
import type { OwnFiles } from "./own-files.ts";
import { WorkspaceError } from "./problem.ts";
import type { Repository } from "./repository.ts";
import { withScratchIndex } from "./scratch-index.ts";
import { keepSubmoduleWork, submodulesOf } from "./submodule.ts";
import { editedTree } from "./tree-without.ts";
import { copyIndex, exists, inSlot, type Slot } from "./slot.ts";
import { agentIndexOf } from "./agent-index.ts";

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
  /** The line's git directory. */
  readonly gitDir: string;
  /** The person's. */
  readonly repository: Pick<Repository, "person" | "commonDir">;
  readonly own: OwnFiles;
  readonly scratchIndex: () => string;
  /** Folder for the `.git` folders of nested repositories. */
  readonly attic: string;
}

/** @param artifacts what the agent says that it made, from the top folder */
export async function snapshot(
  tools: SnapshotTools,
  slot: Slot,
  base: string,
  artifacts: readonly string[] = [],
): Promise<Snapshot> {
  if (!(await exists(slot.dir)))
    return {
      kind: "unreadable",
      reason: `the attempt's folder ${slot.dir} is gone: the agent must leave it in place`,
    };
  try {
    return await withScratchIndex(tools.scratchIndex, (index) => readFolder(tools, slot, base, { index, artifacts }));
  } catch (error) {
    // Where git cannot work at all it is not the attempt that failed.
    if (error instanceof WorkspaceError && (await tools.git.run(["cat-file", "-e", base])).ok)
      return { kind: "unreadable", reason: `its files cannot be read: ${error.problem.message}` };
    throw error;
  }
}

async function readFolder(
  tools: SnapshotTools,
  slot: Slot,
  base: string,
  { index, artifacts }: { readonly index: string; readonly artifacts: readonly string[] },
): Promise<Snapshot> {
  const { git, repository } = tools;
  await keepSubmoduleWork(
    createGit({ env: repository.person }),
    slot.dir,
    join(repository.commonDir, "modules"),
    tools.scratchIndex,
  );
  const here = inSlot(tools, { dir: slot.dir, index });
  const isKept = await copyIndex(slot.index, index).then(
    () => true,
    () => false,
  );
  if (!isKept) await must(here, ["read-tree", base]);
  const { added: forced, absent } = isKept
    ? await agentIndexOf(slot, here, `${index}.agent`)
    : { added: [], absent: [] };
  if (absent.length > 0) await leaveOut(here, absent);
  let added = await addAll(here);
  if (!added.ok && added.failure.kind === "failed") {
    // An empty repository inside makes git refuse everything.
    await absorb(tools, slot, here, await nestedIn(here));
    added = await addAll(here);
  }
  let now: Reading | null = null;
  for (let round = 0; added.ok && round < 5; round++) {
    now = await readingOf(here, base);
    const nested = await strayLinks(git, slot, now.tree.changes);
    if (nested.length === 0) break;
    now = null;
    await absorb(tools, slot, here, nested);
    added = await addAll(here);
  }
  if (added.ok && forced.length > 0) added = await addForced(here, slot.dir, forced);
  if (!added.ok) return { kind: "unreadable", reason: `its files cannot be committed: ${added.failure.stderr}` };
  if (now === null || forced.length > 0) now = await readingOf(here, base);
  const { copied, left, ignored: before } = readRecord(slot);
  const copies = new Set(copied);
  const isOther = (change: Change): boolean =>
    tools.own.includes(change.path) || copies.has(change.path) || isSame(left[change.bytes], change.now);
  const found = await judged(tools, slot, here, { base, found: now.tree, isOther });
  const listed = now.ignored.filter((path) => !tools.own.includes(path.replace(/\/$/, "")));
  const { name, dir: top } = slot;
  return {
    ...found,
    ignored: await keepIgnored(tools, { name, top, base, here, listed, before, copied: copies, artifacts }),
  };
}

function addAll(here: Git): Promise<GitAnswer> {
  return here.run(["add", "-A"], { timeout_ms: LONG_MS });
}

/** A sparse checkout of the agent's own took them out of the folder: they are as they were. */
async function leaveOut(here: Git, paths: readonly string[]): Promise<void> {
  const input = paths.map((path) => `${path}\0`).join("");
  await must(here, ["update-index", "--skip-worktree", "-z", "--stdin"], { input });
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

async function readingOf(here: Git, base: string): Promise<Reading> {
  const [tree, ignored] = await Promise.all([treeOf(here, base), ignoredIn(here)]);
  return { tree, ignored };
}

async function treeOf(here: Git, base: string, from?: string): Promise<FolderTree> {
  const tree = from ?? (await must(here, ["write-tree", "--missing-ok"]));
  return { kind: "tree", tree, changes: await changesBetween(here, base, tree) };
}

/** SNAPSHOT-1, SNAPSHOT-4: what git added, without what is not the attempt's. */
async function judged(
  tools: SnapshotTools,
  slot: Slot,
  here: Git,
  {
    base,
    found,
    isOther,
  }: { readonly base: string; readonly found: FolderTree; readonly isOther: (change: Change) => boolean },
): Promise<FolderTree> {
  const own = found.changes.filter(isOther);
  const back: readonly { readonly bytes: string; readonly entry: TreeEntry }[] = [
    ...own.map((change) => ({ bytes: change.bytes, entry: change.old })),
    ...(await leftAlone(here, { dir: slot.dir, base }, found.changes, tools.scratchIndex)),
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
async function strayLinks(git: Git, slot: Slot, changes: readonly Change[]): Promise<string[]> {
  const links = changes.filter((change) => change.now.mode === GITLINK && change.old.mode !== GITLINK);
  if (links.length === 0) return [];
  const named = new Set((await submodulesOf(git, slot.dir)).map((module) => module.path));
  return links.map((change) => change.path).filter((path) => !named.has(path));
}

/** SNAPSHOT-3 */
async function absorb(tools: SnapshotTools, slot: Slot, here: Git, nested: readonly string[]): Promise<void> {
  for (const path of nested) {
    const attic = join(tools.attic, slot.name);
    await mkdir(attic, { recursive: true });
    for (let number = 1; ; number++) {
      const place = join(attic, `${number}.git`);
      if (await exists(place)) continue;
      await moveTree(join(slot.dir, path, ".git"), place).catch(() => undefined);
      break;
    }
    await here.run(["update-index", "--force-remove", "--", path]);
  }
}
