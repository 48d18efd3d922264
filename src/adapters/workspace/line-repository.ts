/**
 * The loop's own repository (SPEC section 7): bare, in the common git directory of the person's, where no `git clean` reaches.
 *
 * LINE-REPOSITORY-1 it borrows the person's objects. The commits that it needs are pinned there while it does: nothing that is
 *    collected, amended or deleted meanwhile takes one away;
 * LINE-REPOSITORY-2 settings, attributes and the shallow boundary are the person's of the moment when the run began;
 * LINE-REPOSITORY-3 while a run is active the loop's refs are here and nowhere else. Published they are the person's, and this goes;
 *    after a crash the next run goes on with what is here, and with what was added to the integration branch there.
 */
import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../host/remove-tree.ts";
import { layOut, type CloneStock } from "./clean-clone.ts";
import { createGit, LONG_MS, must, type Git } from "./git.ts";
import { readRefs, removeLocks, updateRefs, type LineRefs } from "./integration-line.ts";
import type { Repository } from "./repository.ts";

export interface LineRepository {
  /** Absolute path. */
  readonly dir: string;
  /** Works in it, once it is open. */
  readonly git: Git;
  /**
   * Makes it, or goes on with the one that a crash left. No other process works in it.
   * @param needed commits of the person's that no ref need name
   */
  open(stock: CloneStock, needed: readonly string[]): Promise<void>;
  /** Copies the loop's refs, with what they name, to the person's repository, and removes there those that are gone here. */
  publish(): Promise<void>;
  /** To be called when all is published and no slot is left. */
  remove(): Promise<void>;
}

/** Where a loop's repository is, whether it is there or not. @param loop as in `LineRefs` */
export function lineFolder({ commonDir }: Pick<Repository, "commonDir">, loop: string): string {
  return join(commonDir, "aot-loop", `${loop}.git`);
}

/** Git where the loop's refs are now: in its own repository, else in the person's. */
export function gitOfLoop(repository: Repository, loop: string): Git {
  const dir = lineFolder(repository, loop);
  return isRepository(dir) ? gitIn(dir, repository) : repository.git;
}

function gitIn(dir: string, { person }: Pick<Repository, "person">): Git {
  return createGit({ cwd: dir, env: { ...person, GIT_DIR: dir } });
}

function isRepository(dir: string): boolean {
  return existsSync(join(dir, "HEAD"));
}

/** A repository that is nobody's is its own line. */
export function ownLine({ git, gitDir }: Repository): LineRepository {
  const nothing = (): Promise<void> => Promise.resolve();
  return { dir: gitDir, git: git.with({ env: { GIT_DIR: gitDir } }), open: nothing, publish: nothing, remove: nothing };
}

export function lineRepository(repository: Repository, refs: LineRefs): LineRepository {
  const dir = lineFolder(repository, refs.loop);
  const git = gitIn(dir, repository);
  const own = [refs.own, `refs/heads/aot/${refs.loop}/`];
  const pins = `${refs.own}pinned/`;
  let published: string | null = null;
  return {
    dir,
    git,
    open: async (stock, needed) => {
      const isNew = !isRepository(dir);
      const found = [...(await readRefs(repository.git, own))];
      const theirs = new Map(found.filter(([name]) => !name.startsWith(pins)));
      const pinned = new Set(theirs.values());
      for (const commit of needed)
        // One that is gone is missed where it is asked for.
        if ((await repository.git.run(["cat-file", "-e", `${commit}^{commit}`])).ok) pinned.add(commit);
      await updateRefs(
        repository.git,
        [...pinned].map((oid) => `update ${pins}${oid} ${oid}`),
      );
      if (!isNew) await removeLeftBehind(dir);
      // HEAD is written last: without it there is no repository.
      await layOut({ ...stock, refs: new Map() }, dir, "ref: refs/heads/none");
      const taken = isNew ? [...theirs] : await newerOf(git, refs, theirs);
      await updateRefs(
        git,
        taken.map(([name, oid]) => `update ${name} ${oid}`),
      );
    },
    publish: async () => {
      const now = await must(git, ["for-each-ref", "--format=%(objectname) %(refname)"]);
      if (now === published) return;
      const all = own.map((prefix) => `+${prefix}*:${prefix}*`);
      await must(repository.git, ["fetch", "-q", ...FETCH, dir, ...all], { timeout_ms: LONG_MS, config: LOCAL });
      published = now;
    },
    remove: async () => {
      await rm(join(dir, "HEAD"), { force: true });
      await removeTree(dir);
      await rmdir(dirname(dir)).catch(() => undefined);
    },
  };
}

/** What a git that was killed held, or was writing. */
async function removeLeftBehind(dir: string): Promise<void> {
  await removeTree(join(dir, "aot-scratch"));
  await removeLocks(dir, ["refs", "aot-slots"]);
  for (const name of ["packed-refs.lock", "packed-refs.new"]) await rm(join(dir, name), { force: true });
}

type Refs = ReadonlyMap<string, string>;

/**
 * What was done in the person's repository after a crash: all of it where somebody went on there, else what they added to the
 * branch, of which the line decides (INTEGRATION-LINE-3, INTEGRATION-LINE-4).
 */
async function newerOf(git: Git, refs: LineRefs, theirs: Refs): Promise<(readonly [name: string, oid: string])[]> {
  const [tip, branch] = [`${refs.own}tip`, `refs/heads/${refs.branch}`];
  const ours = await readRefs(git, [tip, branch]);
  const isOld = async (name: string): Promise<boolean> => {
    const [one, other] = [theirs.get(name), ours.get(name)];
    if (one === undefined || one === other) return true;
    return other !== undefined && (await git.run(["merge-base", "--is-ancestor", one, other])).ok;
  };
  if (!(await isOld(tip))) return [...theirs];
  return (await isOld(branch)) ? [] : [[branch, theirs.get(branch) ?? ""]];
}

/** Nothing but what is asked for, also into a branch that is checked out. */
const FETCH = "--prune --no-tags --no-recurse-submodules --no-write-fetch-head --update-head-ok --update-shallow".split(
  " ",
);
const LOCAL = ["protocol.file.allow=always"];
