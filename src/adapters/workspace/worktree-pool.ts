/**
 * Folders of attempts that are over, for the next ones: an attempt costs what it changes, not what the repository weighs
 * (SPEC section 16).
 *
 * WORKTREE-POOL-1 the next attempt finds the files of its commit and nothing of an earlier one: no content, no file or
 *    folder, ignored or not, no permission, no second name of a file. What has changed in any way since git wrote it is
 *    removed and written anew. Its git directory, branch and index are new;
 * WORKTREE-POOL-2 what says whether a file has changed is the time of the last change of its inode, which its owner cannot
 *    set;
 * WORKTREE-POOL-3 removing and cleaning hold up nothing but `close`, after which nothing of the pool is left. What a killed
 *    run left bears a name that holds no work (`sweep`).
 * WORKTREE-POOL-4 what stands in the place of a folder, a link to elsewhere, is not used, and nothing behind it is touched.
 *
 * Extended attributes of folders are not looked at.
 */
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { chmod, lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { removeTree } from "../../host/remove-tree.ts";
import { changesBetween, type Change } from "./change.ts";
import { bytesIn, fieldsOf, LONG_MS, must, WHOLE_INDEX, type Git } from "./git.ts";
import { copyIndex, dropStartIndex, startIndexOf } from "./start-index.ts";
import { exists, removeAdmin, removeWorktree, type Worktree } from "./worktree.ts";

export interface PoolPlace {
  readonly git: Git;
  /** The git directory of the person's checkout: its settings are those of the work. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Folder of the loop's own that no attempt works in. */
  readonly scratch: string;
  /** A new folder beside those of the attempts, of a name that holds no work. */
  readonly aside: () => string;
  readonly note: (text: string) => void;
}

/** The files of a commit, for a worktree in which nothing is checked out. */
export interface Filling {
  /** Where that is to be made; absent: where worktrees are. */
  readonly parent?: string;
  /** @returns the worktree, which may have another folder */
  fill(worktree: Worktree): Promise<Worktree>;
}

/** Of a run that was killed, and elsewhere than others. */
export interface LeftWorktree {
  readonly worktree: Worktree;
  /** The commit that its attempt began with. */
  readonly base: string;
}

export interface WorktreePool {
  /** To be called first. @returns what has to be kept */
  open(): Promise<readonly LeftWorktree[]>;
  /** Null: there is none; git checks the files out. */
  take(commit: string): Promise<Filling | null>;
  /** To be called before the agent begins; a worktree of which this is not said is not used again. */
  begin(worktree: Worktree, commit: string): Promise<void>;
  /** The folder that holds what was changed in a worktree, and the one that it is a change of. Null: there is none. */
  changesOf(worktree: Worktree): UpperFolder | null;
  /** The work in it is settled: it goes, or waits for the next attempt. */
  give(worktree: Worktree): Promise<void>;
  close(): Promise<void>;
}

export interface UpperFolder {
  readonly upper: string;
  readonly lower: string;
}

interface WarmFolder {
  readonly dir: string;
  /** What git remembers of its files. */
  readonly index: string;
  readonly commit: string;
}

/** The moment at which an agent began. */
interface Fence {
  readonly commit: string;
  /** What changed at this time or later was changed by somebody else than git. */
  readonly ctime_ns: bigint;
  /** Of a folder as git makes it. */
  readonly mode: number;
}

/** How long cleaning may keep everything else waiting, milliseconds. */
const SLICE_MS = 15;

export function createWorktreePool(place: PoolPlace): WorktreePool {
  const fences = new Map<string, Fence>();
  /** Each resolves to null where the folder could not be cleaned, and is removed. */
  const warm: Promise<WarmFolder | null>[] = [];
  const removals = new Set<Promise<void>>();
  const remove = (dir: string): void => {
    const removal = removed(place, dir).finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const drop = async ({ dir, index }: WarmFolder): Promise<null> => {
    await rm(index, { force: true });
    remove(dir);
    return null;
  };
  return {
    open: () => Promise.resolve([]),
    take: async (commit) => {
      for (let next = warm.shift(); next !== undefined; next = warm.shift()) {
        const folder = await next;
        if (folder === null) continue;
        if ((await exists(folder.index)) && (await checkedOut(place, folder, commit)))
          return { fill: (worktree) => fitted(place, { ...folder, commit }, worktree) };
        await drop(folder);
      }
      return null;
    },
    changesOf: () => null,
    begin: async (worktree, commit) => {
      if (await isPlain(worktree)) fences.set(worktree.name, await fenceAt(place.aside(), commit));
    },
    give: async (worktree) => {
      const fence = fences.get(worktree.name);
      fences.delete(worktree.name);
      const dir = place.aside();
      const index = `${join(place.scratch, worktree.name)}.warm-index`;
      const isMoved = await rename(worktree.dir, dir).then(...settled);
      if (isMoved) await removeAdmin(worktree, place.commonDir);
      else if (!(await removeWorktree(worktree, place.commonDir)))
        place.note(`The folder ${worktree.dir} could not be removed; it is not needed any more.`);
      const isKept =
        isMoved &&
        fence !== undefined &&
        lstatSync(dir).isDirectory() &&
        (await rename(startIndexOf(place, worktree), index).then(...settled));
      if (isKept) {
        const folder = { dir, index, commit: fence.commit };
        warm.push(cleaned(place, folder, fence).then((clean) => (clean ? folder : drop(folder))));
        return;
      }
      await dropStartIndex(place, worktree);
      if (isMoved) remove(dir);
    },
    close: async () => {
      for (const next of warm.splice(0)) {
        const folder = await next;
        if (folder !== null) await drop(folder);
      }
      await Promise.all(removals);
    },
  };
}

async function removed({ note }: Pick<PoolPlace, "note">, dir: string): Promise<void> {
  if (!(await removeTree(dir))) note(`The folder ${dir} could not be removed; it is not needed any more.`);
}

async function fitted(place: PoolPlace, { dir, index, commit }: WarmFolder, worktree: Worktree): Promise<Worktree> {
  await rename(join(worktree.dir, ".git"), join(dir, ".git"));
  await rmdir(worktree.dir);
  await rename(dir, worktree.dir);
  const own = join(worktree.admin, "index");
  // An agent may have deleted it since.
  await copyIndex(index, own).catch(() =>
    must(inFolder(place, { dir: worktree.dir, index: own }), ["read-tree", commit]),
  );
  await rm(index, { force: true });
  return worktree;
}

/** Repositories inside have git directories of their own, and what a sparse checkout leaves out the agent can change. */
async function isPlain({ dir, admin }: Worktree): Promise<boolean> {
  return !(await exists(join(dir, ".gitmodules"))) && !(await exists(join(admin, "info", "sparse-checkout")));
}

const settled = [(): boolean => true, (): boolean => false] as const;

function inFolder({ git, gitDir }: PoolPlace, { dir, index }: Pick<WarmFolder, "dir" | "index">): Git {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index };
  return git.with({ cwd: dir, env, config: WHOLE_INDEX });
}

/** Writes what the commit has otherwise. False: only a new checkout has all files as they are to be. */
async function checkedOut(place: PoolPlace, folder: WarmFolder, commit: string): Promise<boolean> {
  if (folder.commit === commit) return true;
  const here = inFolder(place, folder);
  const [changed, written] = await Promise.all([
    changesBetween(here, folder.commit, commit),
    here.run(["read-tree", "-m", "-u", folder.commit, commit], { timeout_ms: LONG_MS }),
  ]);
  return written.ok && !changed.some(decidesMore);
}

/** Attributes decide how files are written that have not changed themselves. */
export function decidesMore({ path }: Change): boolean {
  return /(^|\/)\.git(?:attributes|modules)$/.test(path);
}

/** @param marker path at which nothing is, on the disk of the worktrees: its clock counts */
async function fenceAt(marker: string, commit: string): Promise<Fence> {
  await mkdir(marker);
  const { ctimeNs, mode } = await lstat(marker, { bigint: true });
  await rmdir(marker);
  return { commit, ctime_ns: ctimeNs, mode: Number(mode) };
}

/** WORKTREE-POOL-1: leaves what git wrote, and has it write the rest. @returns whether that is all there is */
async function cleaned(place: PoolPlace, folder: WarmFolder, fence: Fence): Promise<boolean> {
  try {
    const here = inFolder(place, folder);
    const tracked = new Set(fieldsOf(await must(here, ["ls-files", "-z"])));
    const missing = await removeChanged(folder.dir, { tracked, folders: foldersOf(tracked) }, fence);
    const input = missing.map((path) => `${path}\0`).join("");
    const args = ["checkout-index", "-f", "-u", "-q", "-z", "--stdin"];
    if (missing.length > 0) await must(here, args, { input, timeout_ms: LONG_MS });
    return true;
  } catch {
    // Whatever keeps it from being cleaned: it is removed, and the next attempt gets a new one.
    return false;
  }
}

/** All folders on the way to files; the top one is the empty path. */
function foldersOf(files: Iterable<string>): ReadonlySet<string> {
  const folders = new Set([""]);
  for (const file of files)
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** Paths as bytes. */
interface Expected {
  readonly tracked: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** @returns the files that are not there now */
async function removeChanged(top: string, { tracked, folders }: Expected, fence: Fence): Promise<string[]> {
  const missing = new Set(tracked);
  const open = [""];
  let began = performance.now();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    await restoreMode(bytesIn(top, folder), fence.mode);
    for (const entry of entriesOf(top, folder)) {
      const name = entry.name.toString("latin1");
      const path = folder === "" ? name : `${folder}/${name}`;
      if (entry.isDirectory() && folders.has(path)) open.push(path);
      else if (entry.isDirectory() || !tracked.has(path) || isChanged(top, path, fence))
        await rm(bytesIn(top, path), { recursive: true, force: true });
      else missing.delete(path);
    }
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return [...missing];
}

function isChanged(top: string, path: string, { ctime_ns }: Fence): boolean {
  return lstatSync(bytesIn(top, path), { bigint: true }).ctimeNs >= ctime_ns;
}

function entriesOf(top: string, folder: string): Dirent<Buffer>[] {
  return readdirSync(bytesIn(top, folder), { withFileTypes: true, encoding: "buffer" });
}

async function restoreMode(folder: Buffer, mode: number): Promise<void> {
  if (lstatSync(folder).mode !== mode) await chmod(folder, mode & 0o7777);
}
