/**
 * What one run of an install command leaves, for the other places of a run (SPEC section 16).
 *
 * SHARED-INSTALL-1 each place has a copy of its own (a copy on write where its sandbox shows one, else sharing blocks where
 *    the file system can): none is written by two;
 * SHARED-INSTALL-2 what was installed for one lock file is nobody's who has another;
 * SHARED-INSTALL-3 what somebody has changed since is not handed on: it is installed anew;
 * SHARED-INSTALL-4 what is handed on is whole: nothing of an install that failed or was ended, nor where git does not ignore
 *    what is installed. Then each place installs it.
 */
import { createHash, randomBytes } from "node:crypto";
import { constants, lstatSync, readdirSync } from "node:fs";
import { cp, lstat, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { dependenciesIn, MANIFEST, type LockFile } from "../../core/lock-files.ts";
import { hashPlainFile } from "../../host/plain-file.ts";
import { textAt } from "../../host/regular-file.ts";
import { moveTree, removeTree } from "../../host/remove-tree.ts";
import type { Git } from "./git.ts";
import { ignoredIn } from "./ignored-work.ts";
import { isPlainWay } from "./included-files.ts";
import type { Confinement, SharedFolders } from "../../loop/confinement.ts";
import { exists } from "./slot.ts";

export interface SharedInstall {
  /**
   * @param run installs in that place
   * @returns why it is not installed; null: it is
   */
  into(place: InstallPlace, run: () => Promise<string | null>): Promise<string | null>;
  close(): Promise<void>;
}

export interface LockPlace {
  /** Top folder of the slot. */
  readonly top: string;
  /** The project in it. */
  readonly dir: string;
}

export interface InstallPlace extends LockPlace {
  readonly here: Git;
  /** Ends the install. */
  readonly signal: AbortSignal | undefined;
}

interface Installed {
  readonly folder: string;
  /** Paths from the top folder: what each place gets, */
  readonly copied: readonly string[];
  /** and what its sandbox shows. */
  readonly shared: SharedFolders;
  /** What changed at this time or later was changed by somebody else. */
  readonly ctime_ns: bigint;
}

interface Made {
  readonly installed: Installed | null;
  /** Why not. */
  readonly why: string | null;
}

/**
 * @param cache folder of this run, on the disk of the slots
 * @param sandbox of the places; absent: none
 */
export function createSharedInstall(install: LockFile, cache: string, sandbox?: Confinement): SharedInstall {
  const kept = new Map<string, Promise<Made>>();
  const keep = async (place: InstallPlace, before: ReadonlySet<string>): Promise<Installed | null> => {
    const paths = await newIn(place, before);
    if (install.movable !== true || !paths.some((path) => basename(path) === install.folder)) return null;
    const folder = join(cache, randomBytes(6).toString("hex"));
    const folders = { from: folder, paths: paths.filter((path) => basename(path) === install.folder) };
    const shared = sandbox?.share?.(place.top, folders) === true ? folders : { from: folder, paths: [] };
    const copied = paths.filter((path) => !shared.paths.includes(path));
    await copy(place.top, folder, copied);
    await give(place.top, folder, shared.paths);
    const marker = `${folder}.end`;
    await mkdir(marker);
    const { ctimeNs } = await lstat(marker, { bigint: true });
    return { folder, copied, shared, ctime_ns: ctimeNs };
  };
  const first = async (place: InstallPlace, run: () => Promise<string | null>): Promise<Made> => {
    const before = new Set(await newIn(place, new Set()));
    const why = await run();
    if (why === null && place.signal?.aborted !== true) return { installed: await keep(place, before), why };
    // Half of it would hide what the person has installed.
    for (const path of await newIn(place, before)) await removeTree(join(place.top, path));
    return { installed: null, why };
  };
  return {
    into: async (place, run) => {
      const key = (await lockOf(install, place)) ?? dependenciesOf(install, place) ?? "";
      const pending = kept.get(key);
      const known = pending === undefined ? null : (await pending).installed;
      if (known !== null && isUntouched(known)) {
        await copy(known.folder, place.top, known.copied);
        sandbox?.share?.(place.top, known.shared);
        await makeFolders(place.top, known.shared.paths);
        return null;
      }
      // Places that are made meanwhile wait for it; where it fails they try themselves.
      const made = first(place, run);
      kept.set(key, made);
      made.catch(() => kept.delete(key));
      return (await made).why;
    },
    close: async () => {
      await removeTree(cache);
    },
  };
}

/** Ignored files and folders, from the top folder. */
async function newIn({ here }: InstallPlace, before: ReadonlySet<string>): Promise<string[]> {
  return (await ignoredIn(here)).map((path) => path.replace(/\/$/, "")).filter((path) => !before.has(path));
}

/** SHARED-INSTALL-2: what a lock file says that is to be installed there, as a digest; null: there is none. */
export async function lockOf({ file, command }: LockFile, { top, dir }: LockPlace): Promise<string | null> {
  // A manifest locks nothing.
  if (file === MANIFEST) return null;
  const digests: string[] = [];
  for (let folder = dir; ; folder = dirname(folder)) {
    if (await exists(join(folder, file)))
      digests.push(await hashPlainFile(join(folder, file)).catch(() => "unreadable"));
    if (folder === top || dirname(folder) === folder) break;
  }
  return digests.length === 0 ? null : digestOf([command, ...digests]);
}

/** What is to be installed there without a lock file, as a digest; null: nothing says so. */
export function dependenciesOf({ language }: LockFile, { dir }: LockPlace): string | null {
  const text = language === "node" ? textAt(join(dir, MANIFEST)) : null;
  return text === null ? null : digestOf([dependenciesIn(text)]);
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Moves what a place has installed into the folder that all are shown. */
async function give(top: string, folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await moveTree(join(top, path), join(folder, path));
  }
  await makeFolders(top, paths);
}

/** What a place shows is mounted on these, also where nothing can be made. */
async function makeFolders(top: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) if (await isPlainWay(top, path, true)) await mkdir(join(top, path), { recursive: true });
}

async function copy(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true });
    if (!(await isPlainWay(to, path, false))) continue;
    await rm(`${target}.aot`, { recursive: true, force: true });
    await cp(join(from, path), `${target}.aot`, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    await rename(`${target}.aot`, target);
  }
}

/** SHARED-INSTALL-3 */
function isUntouched({ folder, ctime_ns }: Installed): boolean {
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      // Names come and go in folders, which that changes, too.
      if (lstatSync(path, { bigint: true }).ctimeNs > ctime_ns) return false;
      if (entry.isDirectory()) open.push(path);
    }
  }
  return true;
}
