/**
 * Slots: each is kept when its attempt is over and reset for the next one, so that an attempt costs what it changes, not what the
 * repository weighs (SPEC section 16).
 *
 * SLOT-POOL-1 the next attempt finds the files of its commit and nothing of an earlier one: no content, no file or folder, ignored or
 *    not, no permission, no second name of a file. Its git directory, branch and index are new;
 * SLOT-POOL-2 what says whether a file has changed is the slot's index: it has the time of the last change of each inode, which
 *    its owner cannot set;
 * SLOT-POOL-3 removing and cleaning hold up nothing but `close`, after which nothing of the pool is left. What a killed run left
 *    bears a name that holds no work (`sweep`);
 * SLOT-POOL-4 what stands in the place of a folder, a link to elsewhere, is not used, and nothing behind it is touched.
 *
 * Extended attributes of folders are not looked at.
 */
import { lstatSync, readdirSync } from "node:fs";
import { chmod, lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { removeTree } from "../../host/remove-tree.ts";
import { changesBetween } from "./change.ts";
import type { CloneStock } from "./clean-clone.ts";
import { bytesIn, LONG_MS, must } from "./git.ts";
import {
  exists,
  forgetSlot,
  inSlot,
  makeSlotFolders,
  slotNamed,
  writeSlotGit,
  type Slot,
  type SlotHome,
} from "./slot.ts";

export interface PoolPlace extends SlotHome {
  /** The name of a new folder beside those of the attempts, which holds no work. */
  readonly aside: () => string;
  readonly note: (text: string) => void;
}

export interface SlotPool {
  /**
   * A slot at a commit.
   * @param prepare called before the folder gets its name, for what is to be in it besides
   * @returns null: the name is taken
   */
  take(
    name: string,
    at: { readonly commit: string; readonly branch: string; readonly stock: CloneStock },
    prepare: (slot: Slot) => Promise<void>,
  ): Promise<Slot | null>;
  /** The work in it is settled: it goes, or waits for the next attempt. */
  give(slot: Slot): Promise<void>;
  close(): Promise<void>;
}

/** A slot that nobody works in, with the files of a commit. */
interface Warm {
  readonly slot: Slot;
  readonly commit: string;
}

/** How long cleaning may keep everything else waiting, milliseconds. */
const SLICE_MS = 15;

export function createSlotPool(place: PoolPlace): SlotPool {
  /** Commits of the slots that can be used again. */
  const commits = new Map<string, string>();
  /** Each resolves to null where the folder could not be cleaned, and is removed. */
  const warm: Promise<Warm | null>[] = [];
  const removals = new Set<Promise<void>>();
  const remove = (slot: Slot): void => void removals.add(removed(place, slot));
  const keep = (slot: Slot, commit: string): null => {
    const cleaned = isCleaned(place, slot, commit).then((isClean) => {
      if (!isClean) remove(slot);
      return isClean ? { slot, commit } : null;
    });
    warm.push(cleaned);
    return null;
  };
  const filled = async (commit: string): Promise<Slot> => {
    for (let next = warm.shift(); next !== undefined; next = warm.shift()) {
      const kept = await next;
      if (kept === null) continue;
      if ((await exists(kept.slot.index)) && (await isMoved(place, kept, commit))) return kept.slot;
      remove(kept.slot);
    }
    return await freshSlot(place, commit);
  };
  return {
    take: async (name, at, prepare) => {
      const slot = slotNamed(place, name);
      const made = await filled(at.commit);
      try {
        await writeSlotGit(made, at.stock, at);
        await prepare(made);
        if (await exists(slot.dir)) return keep(made, at.commit);
        // Its modules have git directories of their own.
        if (!(await exists(join(made.dir, ".gitmodules")))) commits.set(name, at.commit);
        await rename(made.index, slot.index);
        await rename(made.dir, slot.dir);
        return slot;
      } catch (error) {
        remove(made);
        throw error;
      }
    },
    give: async (slot) => {
      const commit = commits.get(slot.name);
      commits.delete(slot.name);
      const aside = slotNamed(place, place.aside());
      const isAside = await rename(slot.dir, aside.dir).then(...settled);
      const isKept =
        isAside &&
        commit !== undefined &&
        lstatSync(aside.dir).isDirectory() &&
        (await rename(slot.index, aside.index).then(...settled));
      await forgetSlot(slot);
      if (isKept) keep(aside, commit);
      else remove(isAside ? aside : slot);
    },
    close: async () => {
      for (const kept of await Promise.all(warm.splice(0))) if (kept !== null) remove(kept.slot);
      await Promise.all(removals);
    },
  };
}

const settled = [(): boolean => true, (): boolean => false] as const;

async function removed({ note }: Pick<PoolPlace, "note">, slot: Slot): Promise<void> {
  if (!(await removeTree(slot.dir))) note(`The folder ${slot.dir} could not be removed; it is not needed any more.`);
  await forgetSlot(slot);
}

async function freshSlot(place: PoolPlace, commit: string): Promise<Slot> {
  const slot = slotNamed(place, place.aside());
  makeSlotFolders(place);
  await mkdir(slot.dir);
  await checkOut(place, slot, commit);
  return slot;
}

async function checkOut(place: SlotHome, slot: Slot, commit: string): Promise<void> {
  await must(inSlot(place, slot), ["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
}

/** Writes what the commit has otherwise. False: only a new checkout has all files as they are to be. */
async function isMoved(place: SlotHome, { slot, commit: from }: Warm, commit: string): Promise<boolean> {
  if (from === commit) return true;
  const here = inSlot(place, slot);
  const changed = await changesBetween(here, from, commit);
  // Attributes decide how files are written that have not changed themselves.
  if (changed.some(({ path }) => /(^|\/)\.git(?:attributes|modules)$/.test(path))) return false;
  return (await here.run(["read-tree", "-m", "-u", from, commit], { timeout_ms: LONG_MS })).ok;
}

/** SLOT-POOL-1: leaves what git wrote, and has it write the rest. Whatever keeps it from that: false. */
async function isCleaned(place: PoolPlace, slot: Slot, commit: string): Promise<boolean> {
  try {
    await openFolders(slot.dir, await folderMode(slotNamed(place, place.aside()).dir));
    await must(inSlot(place, slot), ["clean", "-ffdxq"], { timeout_ms: LONG_MS });
    await checkOut(place, slot, commit);
    return true;
  } catch {
    return false;
  }
}

/** Of a folder as git makes it. @param trial path at which nothing is, on the disk of the slots */
async function folderMode(trial: string): Promise<number> {
  await mkdir(trial);
  const { mode } = await lstat(trial);
  await rmdir(trial);
  return mode & 0o7777;
}

/** What git does not see where it is done in the second in which it wrote the file: other rights, a second name. */
function isOdd(path: Buffer, folderMode: number): boolean {
  const { mode, nlink } = lstatSync(path);
  const isFile = (mode & 0o170000) === 0o100000;
  return isFile && (nlink > 1 || ![folderMode, folderMode & 0o666].includes(mode & 0o7777));
}

/** Gives all folders their rights again, and removes what git looks at nowhere: whatever is named `.git`. */
async function openFolders(top: string, mode: number): Promise<void> {
  const open = [""];
  let began = performance.now();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const path = bytesIn(top, folder);
    if ((lstatSync(path).mode & 0o7777) !== mode) await chmod(path, mode);
    for (const entry of readdirSync(path, { withFileTypes: true, encoding: "buffer" })) {
      const name = entry.name.toString("latin1");
      const inside = folder === "" ? name : `${folder}/${name}`;
      if (/^\.git$/i.test(name)) await rm(bytesIn(top, inside), { recursive: true, force: true });
      else if (entry.isDirectory()) open.push(inside);
      else if (isOdd(bytesIn(top, inside), mode)) await rm(bytesIn(top, inside), { force: true });
    }
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
