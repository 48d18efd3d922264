/**
 * What runs that died and goals that are over have left in a repository: what each of it holds, and how it goes.
 *
 * LEFTOVERS-1 nothing goes that holds work which no branch, tag or remote of the person's has, unless a person asks for
 *    all of it; then its commit is named, if it has one;
 * LEFTOVERS-2 of a goal that is not verified nothing goes without that: another state file may go on with it;
 * LEFTOVERS-3 a branch that is checked out somewhere stays;
 * LEFTOVERS-4 as long as anything of a goal stays, so does what tells that it was verified.
 */
import { readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { counted } from "../../core/counted.ts";
import type { LoopPaths } from "../../host/loop-paths.ts";
import { freshFolderOf } from "./fresh-folder.ts";
import { fieldsOf, type Git } from "./git.ts";
import { lineRefs, readRefs, updateRefs } from "./integration-line.ts";
import { pastLoops } from "./past-loops.ts";
import type { Repository } from "./repository.ts";
import { SCRATCH_PREFIX } from "./workspace-name.ts";
import { exists, forgetSlot, inSlot, slotNamed, slotsIn, type Slot, type SlotHome } from "./slot.ts";
import { gitOfLoop, lineFolder, lineRepository } from "./line-repository.ts";
import { removeTree } from "../../host/remove-tree.ts";

export interface LeftSlot {
  readonly loop: string;
  readonly slot: Slot;
  /** What is in it and nowhere else, in words; null: nothing. */
  readonly holds: string | null;
}

export interface LeftGoal {
  readonly loop: string;
  readonly refs: number;
  readonly verified: boolean;
  /** Branches and refs with work that is nowhere else. */
  readonly unmerged: readonly string[];
  /** What `removeLeftovers` removes of it: lines for `update-ref --stdin`. */
  readonly removable: readonly string[];
}

/** A branch or ref that goes only when a person asks for all. */
export interface KeptRef {
  readonly name: string;
  readonly oid: string;
}

export interface Leftovers {
  readonly slots: readonly LeftSlot[];
  /** Loops whose own repository a dead run left. What its refs name is nowhere else, and goes to the person's. */
  readonly lines: readonly string[];
  readonly goals: readonly LeftGoal[];
  /** Of past goals whatever does not go by itself, of the present one what its failed attempts left. */
  readonly kept: readonly KeptRef[];
}

/**
 * @param current name of its present loop, whose refs are no leftovers; empty: there is none
 */
export async function leftoversIn(
  repository: Repository,
  { worktrees, dir: own }: Pick<LoopPaths, "worktrees" | "dir">,
  current: string,
): Promise<Leftovers> {
  const { git } = repository;
  const [found, lines]: [LeftSlot[], string[]] = [[], []];
  const fresh = freshFolderOf(own);
  if (fresh !== null)
    found.push({ loop: "aligning", slot: { ...slotNamed(NOWHERE, basename(fresh)), dir: fresh }, holds: null });
  const attic = join(own, "kept");
  for (const loop of await readdir(attic).catch(() => []))
    for (const name of await readdir(join(attic, loop)).catch(() => [])) {
      const slot = { ...slotNamed(NOWHERE, name), dir: join(attic, loop, name) };
      found.push({ loop: `kept/${loop}`, slot, holds: "work that no commit has" });
    }
  const folder = await realpath(worktrees).catch(() => worktrees);
  for (const loop of await readdir(folder).catch(() => [])) {
    const home = homeOf(repository, loop, join(folder, loop));
    if (await exists(join(home.gitDir, "HEAD"))) lines.push(loop);
    for (const slot of await slotsIn(home)) found.push({ loop, slot, holds: await heldBy(home, loop, slot) });
  }
  const checkedOut = (await git.run(["worktree", "list", "--porcelain"])).stdout.matchAll(/^branch (.+)$/gm);
  const occupied = new Set([...checkedOut].map(([, name = ""]) => name));
  const goals: LeftGoal[] = [];
  for (const { loop, refs } of await pastLoops(git, current)) goals.push(await goalOf(git, loop, refs, occupied));
  const going = new Set(goals.flatMap(({ removable }) => removable));
  const kept: KeptRef[] = [];
  for (const [name, oid] of await readRefs(git, ["refs/aot/", "refs/heads/aot/"])) {
    const isPresent = current !== "" && isOf(name, current);
    if (!occupied.has(name) && !going.has(`delete ${name} ${oid}`) && (!isPresent || isOfAttempt(name, current)))
      kept.push({ name, oid });
  }
  return { slots: found, lines, goals, kept };
}

function isOf(name: string, loop: string): boolean {
  const { own } = lineRefs(loop);
  return name.startsWith(own) || name.startsWith(`refs/heads/aot/${loop}/`);
}

function isOfAttempt(name: string, loop: string): boolean {
  const { own, attempts } = lineRefs(loop);
  return name.startsWith(`refs/heads/${attempts}`) || name.startsWith(`${own}ignored/`);
}

function homeOf(repository: Repository, loop: string, parent: string): SlotHome {
  return { git: gitOfLoop(repository, loop), gitDir: lineFolder(repository, loop), parent };
}

/** Of a folder that is no slot. */
const NOWHERE = { gitDir: "", parent: "" };

async function heldBy(home: SlotHome, loop: string, slot: Slot): Promise<string | null> {
  const { name, dir, index } = slot;
  if (name.startsWith(SCRATCH_PREFIX)) return null;
  const names = await readdir(dir).catch(() => []);
  if (names.length === 0) return null;
  if (!(await exists(index))) return "files that git does not know";
  const here = inSlot(home, slot);
  const base = `refs/heads/${lineRefs(loop).attempts}${name}`;
  const [changed, added] = await Promise.all([
    here.run(["diff-index", "-z", "--name-only", base]),
    here.run(["ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  if (!changed.ok || !added.ok) return "files that git cannot read";
  const files = new Set([...fieldsOf(changed.stdout), ...fieldsOf(added.stdout)]).size;
  return files === 0 ? null : counted(files, "changed file");
}

async function goalOf(git: Git, loop: string, count: number, occupied: ReadonlySet<string>): Promise<LeftGoal> {
  const { own, branch } = lineRefs(loop);
  const refs = await readRefs(git, [own, `refs/heads/aot/${loop}/`]);
  const tip = refs.get(`${own}tip`);
  const verified = tip !== undefined && refs.get(`${own}verified`) === tip;
  // Who got other commits with the same files has the work.
  const handed = refs.get(`${own}handed/${tip ?? ""}`);
  const standsFor = (commit: string): string => (commit === tip ? (handed ?? commit) : commit);
  const unmerged: string[] = [];
  // `work` is what only a revert of this goal needs, `start` is no commit.
  for (const [name, commit] of refs)
    if (!name.startsWith(`${own}work/`) && name !== `${own}start` && !(await isElsewhere(git, standsFor(commit))))
      unmerged.push(name);
  // As long as the result itself is not taken over, all that belongs to it stays with it.
  const over = verified && !unmerged.includes(`refs/heads/${branch}`) && !unmerged.includes(`${own}tip`);
  const going = [...refs].filter(([name]) => over && !unmerged.includes(name) && !occupied.has(name));
  const marks = going.length < refs.size ? [`${own}tip`, `${own}verified`] : [];
  const removable = going.filter(([name]) => !marks.includes(name)).map(([name, oid]) => `delete ${name} ${oid}`);
  return { loop, refs: count, verified, unmerged, removable };
}

/** @returns false: it stays, because a slot of it holds something; its branches are in the person's repository all the same */
async function removeLine(repository: Repository, loop: string, left: readonly LeftSlot[]): Promise<boolean> {
  const line = lineRepository(repository, lineRefs(loop));
  await line.publish();
  if (left.some((one) => one.loop === loop && one.holds !== null)) return false;
  await line.remove();
  return true;
}

/** Whether the person's own branches, tags, remotes or checkout have that commit. */
async function isElsewhere(git: Git, commit: string): Promise<boolean> {
  const others = ["--not", "HEAD", "--exclude=aot/*", "--branches", "--remotes", "--tags"];
  const left = await git.run(["rev-list", "-n", "1", commit, ...others]);
  return left.ok && left.stdout.trim() === "";
}

/**
 * Removes what holds nothing. The caller has seen to it that no run is active.
 * @param all a person asked for `kept`, too
 * @returns the names of what went
 */
export async function removeLeftovers(
  repository: Repository,
  { slots, lines, goals, kept }: Leftovers,
  all = false,
): Promise<readonly string[]> {
  const { git } = repository;
  const gone: string[] = [];
  for (const { loop, slot, holds } of slots) {
    if (holds !== null && !all) continue;
    if (await removeTree(slot.dir)) gone.push(`slot ${loop}/${slot.name}${holds === null ? "" : ` with ${holds}`}`);
    await forgetSlot(slot);
    const branch = `refs/heads/${lineRefs(loop).attempts}${slot.name}`;
    await gitOfLoop(repository, loop).run(["update-ref", "--no-deref", "-d", branch]);
  }
  for (const loop of lines)
    if (await removeLine(repository, loop, all ? [] : slots))
      gone.push(`repository of loop ${loop}: its branches are in yours now`);
  for (const { loop, refs, removable } of goals) {
    if (removable.length === 0) continue;
    await updateRefs(git, removable);
    const what = counted(removable.length, "ref");
    gone.push(
      removable.length < refs ? `${what} of goal ${loop}; ${refs - removable.length} stay` : `goal ${loop} (${what})`,
    );
  }
  const asked = all ? kept : [];
  const orders = asked.map(({ name, oid }) => `delete ${name} ${oid}`);
  if (asked.length > 0) await updateRefs(git, orders);
  return [...gone, ...asked.map(({ name, oid }) => `${name.replace(/^refs\/heads\//, "")} (was ${oid})`)];
}
