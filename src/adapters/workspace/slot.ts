/**
 * The place of one attempt (SPEC section 7): files, an index that only the loop writes, and a git directory of its own, which is
 * the agent's to spoil.
 *
 * SLOT-1 git never runs by a slot's own `.git`: its files are read by the line's, with the slot's index. So nothing that an attempt
 *    does to settings, filters, hooks, refs or its index decides what is read;
 * SLOT-2 a folder under an attempt's name holds all files of its commit: it is filled under another name before.
 */
import { copyFile, lstat, mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import type { Workspace } from "../../loop/ports.ts";
import { layOut, type CloneStock } from "./clean-clone.ts";
import { WHOLE_INDEX, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";

export interface Slot {
  /** Name of its folder and of its index, and the last part of the attempt's branch. */
  readonly name: string;
  /** Absolute path. */
  readonly dir: string;
  /** Beside it what it was prepared with (preparation-record.ts). */
  readonly index: string;
}

/** An attempt's slot, with git on its files and the commit that it began with. */
export interface SlotPlace {
  readonly slot: Slot;
  readonly here: Git;
  readonly commit: string;
}

/** A workspace whose attempts work in slots. */
export interface PlacedWorkspace extends Workspace {
  /** Null: that attempt has none. */
  placeOf(attempt: string): SlotPlace | null;
}

export interface SlotHome {
  /** Of the line. */
  readonly git: Git;
  /** The line's git directory. */
  readonly gitDir: string;
  /** Folder of the slots' folders. */
  readonly parent: string;
}

/** Folder of what the loop knows of its slots. */
function slotsOf({ gitDir }: Pick<SlotHome, "gitDir">): string {
  return join(gitDir, "aot-slots");
}

export function slotNamed(home: Pick<SlotHome, "gitDir" | "parent">, name: string): Slot {
  return { name, dir: join(home.parent, name), index: join(slotsOf(home), `${name}.index`) };
}

/** Git on a slot's files (SLOT-1). */
export function inSlot({ git, gitDir }: Pick<SlotHome, "git" | "gitDir">, { dir, index }: Omit<Slot, "name">): Git {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index };
  return git.with({ cwd: dir, env, config: WHOLE_INDEX });
}

/** Makes `.git`: at the commit, on the attempt's branch, with the person's refs. @param branch short name */
export async function writeSlotGit(
  { dir, index }: Slot,
  stock: CloneStock,
  { commit, branch }: { readonly commit: string; readonly branch: string },
): Promise<void> {
  const gitDir = join(dir, ".git");
  const ref = `refs/heads/${branch}`;
  await layOut({ ...stock, refs: new Map([...stock.refs, [ref, commit]]) }, gitDir, `ref: ${ref}`);
  await copyIndex(index, join(gitDir, "index"));
}

/** git takes a file for unchanged that is older than the index: a copy is as old as what it was made of. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const time = Math.floor((await stat(from)).mtimeMs / 1_000);
  await copyFile(from, to);
  await utimes(to, time, time);
}

/**
 * The project in a slot. A commit may hold nothing of it: git keeps no empty folders.
 * @throws WorkspaceError when the commit holds something else in its place
 */
export async function projectIn({ dir: top }: Pick<Slot, "dir">, prefix: string): Promise<string> {
  let dir = top;
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

/** Forgets what is known of a slot whose folder is gone. */
export async function forgetSlot({ index }: Pick<Slot, "index">): Promise<void> {
  for (const file of [index, `${index}.lock`, recordOf({ index })]) await rm(file, { force: true });
}

/** The file that says what it was prepared with. */
export function recordOf({ index }: Pick<Slot, "index">): string {
  return index.replace(/index$/, "json");
}

/** Slots that are there in whole or in part, of this run or one that died. */
export async function slotsIn(home: Pick<SlotHome, "gitDir" | "parent">): Promise<Slot[]> {
  const known = await readdir(slotsOf(home)).catch(() => []);
  const names = known.flatMap((name) => /^(.+)\.index(?:\.lock)?$/.exec(name)?.[1] ?? []);
  return [...new Set([...names, ...(await foldersIn(home.parent))])].toSorted().map((name) => slotNamed(home, name));
}

/** Names of the folders in a folder; a file beside them is none of ours. */
async function foldersIn(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export function makeSlotFolders(home: Pick<SlotHome, "gitDir" | "parent">): void {
  makeOwnFolder(dirname(home.parent));
  makeOwnFolder(home.parent);
  makeOwnFolder(slotsOf(home));
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
