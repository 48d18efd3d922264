/**
 * Attempts that share one checkout: an attempt's folder is an overlay, and what it changes lies in a folder of its own
 * (SPEC section 16). Where the run has mounts of its own (`host/own-mounts.ts`).
 *
 * OVERLAY-POOL-1 nobody writes to the shared checkout; an attempt of a later commit has what differs in its own folder;
 * OVERLAY-POOL-2 a killed run leaves the changes of its attempts on disk. The next one mounts them to look at them; where it
 *    cannot, it leaves them alone and names them;
 * OVERLAY-POOL-3 what cannot be an overlay is a plain folder: submodules, sparse checkouts, a mount that fails.
 */
import { existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir, rename, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Overlay, OwnMounts } from "../../host/own-mounts.ts";
import { textAt } from "../../host/regular-file.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { LONG_MS, must, WHOLE_INDEX, type Git } from "./git.ts";
import { named } from "./repository.ts";
import { createSerialQueue } from "./serial-queue.ts";
import { copyIndex, dropStartIndex } from "./start-index.ts";
import { adminOf, removeAdmin, type Worktree } from "./worktree.ts";
import { safeName } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";
import { createWorktreePool, pathsBetween, type PoolPlace, type WorktreePool } from "./worktree-pool.ts";

/** In the loop's own folder. */
export const OVERLAYS = "overlays";

interface OverlayPlace extends PoolPlace {
  /** Folder of plain worktrees. */
  readonly parent: string;
  /** Folder of this goal for shared checkouts and, by the names of worktrees, for what attempts change. */
  readonly overlays: string;
}

/** The checkout that attempts share. */
interface Shared {
  readonly commit: string;
  readonly dir: string;
  /** What git remembers of its files. */
  readonly index: string;
}

/** Files that differ between the shared checkout and an attempt's commit; for more there is a new one. */
const MOST_DIFFERING = 2_000;

/** First character of folders that hold no attempt's changes. */
const OTHER = "+";

/** @param pools of plain worktrees, with their folder and the loop's own one */
export async function openOverlayPool(
  pools: PoolPlace & { readonly parent: string; readonly dir: string },
  { loop, mounts, shares_checkout: shares = false }: Pick<GitWorkspaceOptions, "loop" | "mounts" | "shares_checkout">,
): Promise<WorktreePool> {
  const place = { ...pools, overlays: join(pools.dir, OVERLAYS, safeName(loop)) };
  const plain = createWorktreePool(place);
  const mounted = new Map<string, Overlay>();
  const left = await mountedAgain(place, mounts, mounted);
  if (mounts === undefined) return plain;
  const sharedFor = createSharing(place, shares);
  const removals = new Set<Promise<unknown>>();
  const remove = (path: string): void => {
    const removal = removeTree(path).finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const retire = async (worktree: Worktree, { at, upper }: Overlay): Promise<void> => {
    mounted.delete(at);
    // By another name at once: what is half removed holds no work.
    const gone = join(place.overlays, `${OTHER}${worktree.name}`);
    if (await mounts.unmount(at)) {
      await rename(dirname(upper), gone);
      for (const path of [at, gone]) remove(path);
    } else place.note(`The folder ${dirname(upper)} could not be removed; it is not needed any more.`);
    await removeAdmin(worktree, place.commonDir);
    await dropStartIndex(place, worktree);
  };
  return {
    left,
    take: async (commit) => {
      const shared = await sharedFor(commit);
      if (shared === null) return await plain.take(commit);
      const fill = (worktree: Worktree): Promise<Worktree> =>
        filled(place, mounts, { worktree, shared, commit }, mounted);
      return { parent: mounts.folder, fill };
    },
    changesOf: ({ dir }) => mounted.get(dir) ?? null,
    begin: async (worktree, commit) => {
      if (!mounted.has(worktree.dir)) await plain.begin(worktree, commit);
    },
    give: async (worktree) => {
      const overlay = mounted.get(worktree.dir);
      await (overlay === undefined ? plain.give(worktree) : retire(worktree, overlay));
    },
    close: async () => {
      await plain.close();
      await Promise.all(removals);
      if (overlaysLeft(place.overlays).length > 0) return;
      await removeTree(place.overlays);
      // Another goal's may be in there.
      await rmdir(dirname(place.overlays)).catch(() => undefined);
    },
  };
}

/** Names of worktrees whose changes lie in overlays. @param overlays folder of a goal */
function overlaysLeft(overlays: string): readonly string[] {
  const names = existsSync(overlays) ? readdirSync(overlays) : [];
  return names.filter((name) => !name.startsWith(OTHER) && existsSync(join(overlays, name, LOWER)));
}

/** The same of all goals. @param dir the loop's own folder */
export function overlaysIn(
  dir: string,
): readonly { readonly loop: string; readonly name: string; readonly dir: string }[] {
  const folder = join(dir, OVERLAYS);
  const loops = existsSync(folder) ? readdirSync(folder) : [];
  return loops.flatMap((loop) =>
    overlaysLeft(join(folder, loop)).map((name) => ({ loop, name, dir: join(folder, loop, name) })),
  );
}

/** Names the folder that an overlay's changes are changes of. */
const LOWER = "lower";

function overlayOf(folder: string, lower: string, at: string): Overlay {
  return { lower, upper: join(folder, "upper"), work: join(folder, "work"), at };
}

/** OVERLAY-POOL-2. @returns worktrees of killed runs, as they were left */
async function mountedAgain(
  place: OverlayPlace,
  mounts: OwnMounts | undefined,
  mounted: Map<string, Overlay>,
): Promise<readonly Worktree[]> {
  const left: Worktree[] = [];
  const unable: string[] = [];
  for (const name of overlaysLeft(place.overlays)) {
    const folder = join(place.overlays, name);
    const overlay = overlayOf(folder, textAt(join(folder, LOWER)) ?? "", join(mounts?.folder ?? "", name));
    if (mounts === undefined || !existsSync(overlay.lower) || !(await mountedAt(mounts, overlay))) unable.push(folder);
    else {
      mounted.set(overlay.at, overlay);
      left.push({ name, dir: overlay.at, admin: await adminIn(place, overlay.at) });
    }
  }
  if (unable.length > 0)
    place.note(
      `Work of an earlier run is in overlays that cannot be mounted here. What it changed is in ${named(unable)}; a run that can mount them (\`aot doctor\` says what that takes) keeps it as branches.`,
    );
  return left;
}

async function mountedAt(mounts: OwnMounts, overlay: Overlay): Promise<boolean> {
  await mkdir(overlay.at, { recursive: true });
  return await mounts.mount(overlay);
}

/** What its `.git` file says is not to be believed if it is elsewhere. */
async function adminIn({ commonDir }: OverlayPlace, dir: string): Promise<string> {
  const admin = await adminOf(dir);
  const worktrees = join(commonDir, "worktrees");
  return admin !== null && dirname(admin) === worktrees ? admin : join(worktrees, "+none");
}

/** Mounts the overlay on the worktree's folder; where that fails, it is a plain one (OVERLAY-POOL-3). */
async function filled(
  place: OverlayPlace,
  mounts: OwnMounts,
  { worktree, shared, commit }: { readonly worktree: Worktree; readonly shared: Shared; readonly commit: string },
  mounted: Map<string, Overlay>,
): Promise<Worktree> {
  const { name, dir: at, admin } = worktree;
  const folder = join(place.overlays, name);
  const overlay = overlayOf(folder, shared.dir, at);
  await removeTree(folder);
  for (const made of [overlay.upper, overlay.work]) await mkdir(made, { recursive: true });
  await copyFile(join(at, ".git"), join(overlay.upper, ".git"));
  // The last one: without it there is nothing to mount.
  await writeFile(join(folder, LOWER), overlay.lower);
  if (await mounts.mount(overlay)) {
    mounted.set(at, overlay);
    await copyIndex(shared.index, join(admin, "index"));
    const args = ["read-tree", "-m", "-u", shared.commit, commit];
    if (commit !== shared.commit) await must(inWorktree(place, worktree), args);
    return worktree;
  }
  await removeTree(folder);
  const plain = { ...worktree, dir: join(place.parent, name) };
  await must(place.git, ["worktree", "move", at, plain.dir]);
  await must(inWorktree(place, plain), ["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
  return plain;
}

function inWorktree({ git, gitDir }: PoolPlace, { dir, admin }: Worktree): Git {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: join(admin, "index") };
  return git.with({ cwd: dir, env, config: WHOLE_INDEX });
}

/** @returns gives the checkout to share for a commit; null: there is none */
function createSharing(place: OverlayPlace, shares: boolean): (commit: string) => Promise<Shared | null> {
  const inOrder = createSerialQueue();
  let count = 0;
  let last: Shared | null = null;
  let isRefused = !shares;
  const next = async (commit: string): Promise<Shared | null> => {
    if (isRefused || last?.commit === commit) return last;
    const differing = last === null ? null : await pathsBetween(place.git, last.commit, commit);
    if (differing !== null && differing.length <= MOST_DIFFERING) return last;
    last = await checkOut(place, join(place.overlays, `${OTHER}shared-${process.pid}-${++count}`), commit);
    isRefused = last === null;
    return last;
  };
  return (commit) => inOrder(() => next(commit));
}

/** @returns null: it is not to be shared, or cannot be made */
async function checkOut({ git, gitDir }: OverlayPlace, dir: string, commit: string): Promise<Shared | null> {
  const submodules = await git.run(["ls-tree", "--name-only", commit, "--", ".gitmodules"]);
  if (!submodules.ok || submodules.stdout !== "" || existsSync(join(gitDir, "info", "sparse-checkout"))) return null;
  const index = `${dir}.index`;
  await mkdir(dir, { recursive: true });
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index };
  const here = git.with({ cwd: dir, env, config: WHOLE_INDEX });
  const made = await here.run(["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
  return made.ok ? { commit, dir, index } : null;
}
