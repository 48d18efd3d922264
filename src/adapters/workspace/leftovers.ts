/**
 * What runs that died and goals that are over have left in a repository: what each of it holds, and how it goes.
 *
 * LEFTOVERS-1 nothing goes that holds work which no branch, tag or remote of the person's has, unless a person asks for
 *    all of it; then its commit is named;
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
import { overlaysIn } from "./overlay-pool.ts";
import { pastLoops } from "./past-loops.ts";
import type { Repository } from "./repository.ts";
import { SCRATCH_PREFIX } from "./workspace-name.ts";
import { foldersIn, knownWorktrees, removeWorktree, type Worktree } from "./worktree.ts";

export interface LeftWorktree {
  readonly loop: string;
  readonly worktree: Worktree;
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
  readonly worktrees: readonly LeftWorktree[];
  readonly goals: readonly LeftGoal[];
  /** Of past goals whatever does not go by itself, of the present one what its failed attempts left. */
  readonly kept: readonly KeptRef[];
}

/**
 * @param current name of its present loop, whose refs are no leftovers; empty: there is none
 */
export async function leftoversIn(
  { git, commonDir }: Pick<Repository, "git" | "commonDir">,
  { worktrees, dir: own }: Pick<LoopPaths, "worktrees" | "dir">,
  current: string,
): Promise<Leftovers> {
  const found: LeftWorktree[] = [];
  for (const { loop, name, dir } of overlaysIn(own))
    found.push({ loop, worktree: { name, dir, admin: UNKNOWN }, holds: "changes, in an overlay" });
  const fresh = freshFolderOf(own);
  if (fresh !== null)
    found.push({ loop: "aligning", worktree: { name: basename(fresh), dir: fresh, admin: UNKNOWN }, holds: null });
  const folder = await realpath(worktrees).catch(() => worktrees);
  for (const loop of await readdir(folder).catch(() => []))
    for (const worktree of await worktreesIn(commonDir, join(folder, loop)))
      found.push({ loop, worktree, holds: await heldBy(git, loop, worktree) });
  const occupied = await checkedOut(git);
  const goals: LeftGoal[] = [];
  for (const { loop, refs } of await pastLoops(git, current)) goals.push(await goalOf(git, loop, refs, occupied));
  const going = new Set(goals.flatMap(({ removable }) => removable));
  const kept: KeptRef[] = [];
  for (const [name, oid] of await readRefs(git, ["refs/aot/", "refs/heads/aot/"])) {
    const isPresent = current !== "" && isOf(name, current);
    if (!occupied.has(name) && !going.has(`delete ${name} ${oid}`) && (!isPresent || isOfAttempt(name, current)))
      kept.push({ name, oid });
  }
  return { worktrees: found, goals, kept };
}

function isOf(name: string, loop: string): boolean {
  const { own } = lineRefs(loop);
  return name.startsWith(own) || name.startsWith(`refs/heads/aot/${loop}/`);
}

function isOfAttempt(name: string, loop: string): boolean {
  const { own, attempts } = lineRefs(loop);
  return name.startsWith(`refs/heads/${attempts}`) || name.startsWith(`${own}ignored/`);
}

/** Folders that git does not know are among them, with a git directory that there is not. */
async function worktreesIn(commonDir: string, parent: string): Promise<Worktree[]> {
  const known = await knownWorktrees(commonDir, parent);
  const names = new Set(known.map(({ name }) => name));
  const others = (await foldersIn(parent)).filter((name) => !names.has(name));
  return [...known, ...others.map((name) => ({ name, dir: join(parent, name), admin: UNKNOWN }))];
}

const UNKNOWN = "";

async function heldBy(git: Git, loop: string, { name, dir, admin }: Worktree): Promise<string | null> {
  if (name.startsWith(SCRATCH_PREFIX)) return null;
  if (admin === UNKNOWN)
    return (await readdir(dir).catch(() => [])).length === 0 ? null : "files that git does not know";
  const here = git.with({ cwd: dir, env: { GIT_DIR: admin, GIT_WORK_TREE: dir } });
  const status = await here.run(["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
  if (!status.ok) return "files that git cannot read";
  const files = fieldsOf(status.stdout).length;
  const branch = `${lineRefs(loop).attempts}${name}`;
  const tips = ["HEAD", ...(await readRefs(git, [`refs/heads/${branch}`])).keys()];
  const own = await here.run(["rev-list", "--count", ...tips, "--not", `--exclude=${branch}`, ...OTHER_REFS]);
  if (!own.ok) return "commits that git cannot read";
  const commits = Number(own.stdout);
  if (files === 0 && commits === 0) return null;
  const found = [
    [files, "changed file"],
    [commits, "commit"],
  ] as const;
  return found.flatMap(([count, what]) => (count === 0 ? [] : counted(count, what))).join(" and ");
}

const OTHER_REFS = ["--branches", "--remotes", "--tags"] as const;

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

/** Whether the person's own branches, tags, remotes or checkout have that commit. */
async function isElsewhere(git: Git, commit: string): Promise<boolean> {
  const left = await git.run(["rev-list", "-n", "1", commit, "--not", "HEAD", "--exclude=aot/*", ...OTHER_REFS]);
  return left.ok && left.stdout.trim() === "";
}

async function checkedOut(git: Git): Promise<ReadonlySet<string>> {
  const listed = await git.run(["worktree", "list", "--porcelain"]);
  return new Set([...listed.stdout.matchAll(/^branch (.+)$/gm)].map(([, name = ""]) => name));
}

/**
 * Removes what holds nothing. The caller has seen to it that no run is active.
 * @param all a person asked for `kept`, too
 * @returns the names of what went
 */
export async function removeLeftovers(
  { git, commonDir }: Pick<Repository, "git" | "commonDir">,
  { worktrees, goals, kept }: Leftovers,
  all = false,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const { loop, worktree, holds } of worktrees) {
    if (holds !== null) continue;
    const admin = worktree.admin === UNKNOWN ? null : worktree.admin;
    if (await removeWorktree({ ...worktree, admin }, commonDir)) gone.push(`worktree ${loop}/${worktree.name}`);
    const branch = `refs/heads/${lineRefs(loop).attempts}${worktree.name}`;
    for (const [name, oid] of await readRefs(git, [branch]))
      if (name === branch) await updateRefs(git, [`delete ${name} ${oid}`]);
  }
  for (const { loop, refs, removable } of goals) {
    if (removable.length === 0) continue;
    await updateRefs(git, removable);
    const what = counted(removable.length, "ref");
    gone.push(
      removable.length < refs ? `${what} of goal ${loop}; ${refs - removable.length} stay` : `goal ${loop} (${what})`,
    );
  }
  if (!all || kept.length === 0) return gone;
  await updateRefs(
    git,
    kept.map(({ name, oid }) => `delete ${name} ${oid}`),
  );
  return [...gone, ...kept.map(({ name, oid }) => `${name.replace(/^refs\/heads\//, "")} (was ${oid})`)];
}
