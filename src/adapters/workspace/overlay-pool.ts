/**
 * Attempts that share one checkout: an attempt's folder is an overlay, and what it changes lies in a folder of its own
 * (SPEC section 16). Where the run has mounts of its own (`host/own-mounts.ts`).
 *
 * OVERLAY-POOL-1 nobody writes to the shared checkout; an attempt of a later commit has what differs in its own folder;
 * OVERLAY-POOL-2 a killed run leaves the changes of its attempts on disk. The next one mounts them to look at them; where it
 *    cannot, it leaves them alone and names them;
 * OVERLAY-POOL-3 what cannot be an overlay is a plain folder: submodules, sparse checkouts, a mount that fails.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Overlay, OwnMounts } from "../../host/own-mounts.ts";
import { textAt } from "../../host/regular-file.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { changesBetween, type Change } from "./change.ts";
import { bytesIn, LONG_MS, must, WHOLE_INDEX, type Git } from "./git.ts";
import { named } from "./repository.ts";
import { createQueue } from "./queue.ts";
import { dropStartIndex, readIndex, writeIndex, type Remembered } from "./start-index.ts";
import { adminOf, removeAdmin, type Worktree } from "./worktree.ts";
import { SCRATCH_PREFIX, safeName } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";
import {
  createWorktreePool,
  decidesMore,
  type LeftWorktree,
  type PoolPlace,
  type WorktreePool,
} from "./worktree-pool.ts";

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

/** What attempts at one commit begin with. */
interface Beginning {
  readonly lower: string;
  /** Of that commit. */
  readonly index: Remembered;
  /** What it has otherwise than the shared checkout. */
  readonly changes: readonly Change[];
}

/** Files that differ between the shared checkout and an attempt's commit; for more there is a new one. */
const MOST_DIFFERING = 2_000;

/** @param pools of plain worktrees, with their folder and the loop's own one */
export function createOverlayPool(
  pools: PoolPlace & { readonly parent: string; readonly dir: string },
  { loop, mounts, shares_checkout = false }: Pick<GitWorkspaceOptions, "loop" | "mounts" | "shares_checkout">,
): WorktreePool {
  const place = { ...pools, overlays: join(pools.dir, OVERLAYS, safeName(loop)) };
  const plain = createWorktreePool(place);
  const mounted = new Map<string, Overlay>();
  const removals = new Set<Promise<unknown>>();
  let sharing: Sharing | null = null;
  const remove = (path: string): void => {
    const removal = removeTree(path).finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const retire = async (worktree: Worktree, { at, upper }: Overlay): Promise<void> => {
    mounted.delete(at);
    // By another name at once: what is half removed holds no work.
    const gone = join(place.overlays, `${SCRATCH_PREFIX}${worktree.name}`);
    await removeAdmin(worktree, place.commonDir);
    if ((await mounts?.unmount(at)) === true) {
      await rename(dirname(upper), gone);
      for (const path of [at, gone]) remove(path);
    } else place.note(`The folder ${dirname(upper)} could not be removed; it is not needed any more.`);
    await dropStartIndex(place, worktree);
  };
  return {
    open: async () => {
      await removeUnused(pools.dir);
      const left = await mountedAgain(place, mounts, mounted);
      if (mounts !== undefined && shares_checkout && (await canMount(place, mounts)))
        sharing = createSharing(place, mounts);
      return left;
    },
    take: async (commit) => {
      const beginning = (await sharing?.at(commit)) ?? null;
      if (sharing === null || beginning === null) return await plain.take(commit);
      const { mounts: by, refuse } = sharing;
      const fill = (worktree: Worktree): Promise<Worktree> =>
        filled(place, by, { worktree, beginning, commit }, { mounted, refuse });
      return { parent: by.folder, fill };
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
      await removeUnused(pools.dir);
    },
  };
}

/** Names of worktrees whose changes lie in overlays. @param overlays folder of a goal */
function overlaysLeft(overlays: string): readonly string[] {
  const names = existsSync(overlays) ? readdirSync(overlays) : [];
  return names.filter((name) => !name.startsWith(SCRATCH_PREFIX) && existsSync(join(overlays, name, MADE)));
}

/** Removes what no attempt's changes are changes of. No other run of the loop is active. @param dir the loop's own folder */
async function removeUnused(dir: string): Promise<void> {
  const folder = join(dir, OVERLAYS);
  for (const loop of existsSync(folder) ? readdirSync(folder) : [])
    if (overlaysLeft(join(folder, loop)).length === 0) await removeTree(join(folder, loop));
  await rmdir(folder).catch(() => undefined);
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

/** What an overlay's own folder says of it. */
interface Made {
  /** The folder beside that its changes are changes of. */
  readonly lower: string;
  /** The commit that the attempt began with. */
  readonly base: string;
}

const MADE = "made.json";

function madeIn(folder: string): Made | null {
  try {
    const { lower, base } = JSON.parse(textAt(join(folder, MADE)) ?? "") as Partial<Made>;
    return typeof lower === "string" && typeof base === "string" ? { lower, base } : null;
  } catch {
    return null;
  }
}

function overlayOf(folder: string, lower: string, at: string): Overlay {
  return { lower, upper: join(folder, "upper"), work: join(folder, "work"), at };
}

/** OVERLAY-POOL-2. @returns worktrees of killed runs, as they were left */
async function mountedAgain(
  place: OverlayPlace,
  mounts: OwnMounts | undefined,
  mounted: Map<string, Overlay>,
): Promise<readonly LeftWorktree[]> {
  const left: LeftWorktree[] = [];
  const unable: string[] = [];
  for (const name of overlaysLeft(place.overlays)) {
    const folder = join(place.overlays, name);
    const made = madeIn(folder);
    const overlay = overlayOf(folder, join(place.overlays, made?.lower ?? ""), join(mounts?.folder ?? "", name));
    if (mounts === undefined || made === null || !(await mountedAt(mounts, overlay))) unable.push(folder);
    else {
      mounted.set(overlay.at, overlay);
      const worktree = { name, dir: overlay.at, admin: await adminIn(place, overlay.at) };
      left.push({ worktree, base: made.base });
    }
  }
  if (unable.length > 0)
    place.note(
      `Work of an earlier run is in overlays that cannot be mounted here. What it changed is in ${named(unable)}; a run of this goal in the sandbox of namespaces (\`aot doctor\` says what that takes) keeps it as branches.`,
    );
  return left;
}

async function mountedAt(mounts: OwnMounts, overlay: Overlay): Promise<boolean> {
  if (!existsSync(overlay.lower) || !existsSync(overlay.upper)) return false;
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
  {
    worktree,
    beginning,
    commit,
  }: { readonly worktree: Worktree; readonly beginning: Beginning; readonly commit: string },
  { mounted, refuse }: { readonly mounted: Map<string, Overlay>; readonly refuse: () => void },
): Promise<Worktree> {
  const { name, dir: at, admin } = worktree;
  const folder = join(place.overlays, name);
  const overlay = overlayOf(folder, beginning.lower, at);
  await removeTree(folder);
  for (const made of [overlay.upper, overlay.work]) await mkdir(made, { recursive: true });
  await copyFile(join(at, ".git"), join(overlay.upper, ".git"));
  // The last one: without it there is nothing to mount.
  const made: Made = { lower: basename(overlay.lower), base: commit };
  await writeFile(join(folder, MADE), JSON.stringify(made));
  if (await mounts.mount(overlay)) {
    mounted.set(at, overlay);
    await writeIndex(join(admin, "index"), beginning.index);
    await write(inWorktree(place, worktree), at, beginning.changes);
    return worktree;
  }
  refuse();
  await removeTree(folder);
  const plain = { ...worktree, dir: join(place.parent, name) };
  await mkdir(plain.dir, { recursive: true });
  // Not moved: it may be on another disk.
  await copyFile(join(at, ".git"), join(plain.dir, ".git"));
  await writeFile(join(admin, "gitdir"), `${join(plain.dir, ".git")}\n`);
  await removeTree(at);
  await must(inWorktree(place, plain), ["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
  return plain;
}

function inWorktree({ git, gitDir }: PoolPlace, { dir, admin }: Worktree): Git {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: join(admin, "index") };
  return git.with({ cwd: dir, env, config: WHOLE_INDEX });
}

/** Makes a folder's files what the index has of them. */
async function write(here: Git, dir: string, changes: readonly Change[]): Promise<void> {
  const [removed, written] = [[], []] as [Change[], Change[]];
  for (const change of changes) (change.status === "D" ? removed : written).push(change);
  for (const { bytes, path } of removed) {
    await rm(bytesIn(dir, bytes));
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
      if (!(await rmdir(join(dir, folder)).then(...settled))) break;
  }
  if (written.length === 0) return;
  const input = written.map(({ bytes }) => `${bytes}\0`).join("");
  await must(here, ["checkout-index", "-f", "-q", "-z", "--stdin"], { input });
}

const settled = [(): boolean => true, (): boolean => false] as const;

interface Sharing {
  readonly mounts: OwnMounts;
  /** What attempts at a commit begin with; null: they share nothing. */
  at(commit: string): Promise<Beginning | null>;
  /** From now on they share nothing. */
  refuse(): void;
}

function createSharing(place: OverlayPlace, mounts: OwnMounts): Sharing {
  const inOrder = createQueue();
  let shared: Shared | null = null;
  let isRefused = false;
  let last: (Beginning & { readonly commit: string }) | null = null;
  const next = async (commit: string): Promise<Beginning | null> => {
    if (isRefused) return null;
    if (last?.commit === commit) return last;
    const changes = shared === null ? [] : await changesBetween(place.git, shared.commit, commit);
    if (shared === null || changes.length > MOST_DIFFERING || changes.some(decidesMore))
      shared = await checkOut(place, commit);
    isRefused = shared === null;
    const same = shared?.commit === commit;
    last = shared && {
      commit,
      lower: shared.dir,
      index: await indexOf(place, shared, commit),
      changes: same ? [] : changes,
    };
    return last;
  };
  return {
    mounts,
    at: (commit) => inOrder(() => next(commit)),
    refuse: () => {
      isRefused = true;
    },
  };
}

/** The index of a commit that knows of its files what is known of those of another one. */
async function indexOf({ git, gitDir, overlays }: OverlayPlace, shared: Shared, commit: string): Promise<Remembered> {
  const known = await readIndex(shared.index);
  if (commit === shared.commit) return known;
  const index = join(overlays, `${SCRATCH_PREFIX}index`);
  await writeIndex(index, known);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: shared.dir, GIT_INDEX_FILE: index };
  await must(git, ["read-tree", "-m", shared.commit, commit], { cwd: shared.dir, env, config: WHOLE_INDEX });
  return { ...(await readIndex(index)), time: known.time };
}

/** Whether an overlay can be mounted of what is there: not on every file system, and not at every path. */
async function canMount(place: OverlayPlace, mounts: OwnMounts): Promise<boolean> {
  const folder = join(place.overlays, `${SCRATCH_PREFIX}trial`);
  const overlay = overlayOf(folder, join(folder, "lower"), join(mounts.folder, "trial"));
  for (const made of [overlay.lower, overlay.upper, overlay.work]) await mkdir(made, { recursive: true });
  const can = (await mountedAt(mounts, overlay)) && (await mounts.unmount(overlay.at));
  for (const made of [folder, overlay.at]) await removeTree(made);
  return can;
}

/** @returns null: it is not to be shared, or cannot be made */
async function checkOut({ git, gitDir, overlays }: OverlayPlace, commit: string): Promise<Shared | null> {
  const submodules = await git.run(["ls-tree", "--name-only", commit, "--", ".gitmodules"]);
  if (!submodules.ok || submodules.stdout !== "" || existsSync(join(gitDir, "info", "sparse-checkout"))) return null;
  // A new one: what a killed run left may be a change of another.
  const dir = join(overlays, `${SCRATCH_PREFIX}shared-${randomBytes(6).toString("hex")}`);
  const index = `${dir}.index`;
  await mkdir(dir, { recursive: true });
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index };
  const here = git.with({ cwd: dir, env, config: WHOLE_INDEX });
  const made = await here.run(["read-tree", "--reset", "-u", commit], { timeout_ms: LONG_MS });
  if (!made.ok) return null;
  // git compares whole seconds, and reads every file again that is not older than the index.
  await setTimeout(1_000);
  await writeFile(index, await readFile(index));
  return { commit, dir, index };
}
