/**
 * Cleans up after a run that died (SPEC section 8): nothing of its work is lost, nothing of its folders
 * stays. Only what bears the loop's own names is touched, and the lock that a dead git left on the packed refs.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { textAt, ownNames } from "../../host/regular-file.ts";
import { must } from "./git.ts";
import { readRefs, updateRefs, type LineRefs } from "./integration-line.ts";
import { discard, keepWork, type KeepTools } from "./keep-work.ts";
import { clearPrepared } from "./preparation-record.ts";
import { SCRATCH_PREFIX, scratchPrefix } from "./workspace-name.ts";
import { startIndexOf } from "./start-index.ts";
import type { LeftWorktree } from "./worktree-pool.ts";
import { exists, foldersIn, knownWorktrees, type Worktree } from "./worktree.ts";

/** Lock files that a killed git left on the loop's own refs; nobody else writes those. */
export async function removeStaleLocks(commonDir: string, refs: LineRefs): Promise<void> {
  for (const folder of [`refs/heads/${refs.attempts}`, `refs/heads/${refs.branch}/..`, refs.own]) {
    const path = join(commonDir, folder);
    for (const name of await readdir(path, { recursive: true }).catch(() => [])) {
      if (name.endsWith(".lock")) await rm(join(path, name), { force: true });
    }
  }
}

const DEAD_AFTER_MS = 5_000;
/** Looks in that time. They are counted, so that a moment in which this process was held up is not taken for silence. */
const LOOKS_BEFORE_DEAD = 20;

/**
 * The lock on the packed refs that a killed git leaves: no branch can be removed then. A git that lives holds it for
 * moments (another one waits a second for it); what nobody touches for longer is removed.
 * @param after_ms how long nobody may have touched it
 * @param names of other locks
 * @returns the files that were removed
 */
export async function removeDeadLock(
  commonDir: string,
  after_ms = DEAD_AFTER_MS,
  names: readonly string[] = ["packed-refs.lock", "packed-refs.new"],
): Promise<string[]> {
  const files = names.map((name) => join(commonDir, name));
  let [seen, quiet] = ["", 0];
  // Where somebody works without end git says so.
  for (let look = 0; look < 10 * LOOKS_BEFORE_DEAD; look++) {
    const left = files.filter((file) => existsSync(file));
    if (left.length === 0) return [];
    const stamp = (await Promise.all(left.map(stampOf))).join();
    quiet = stamp === seen ? quiet + 1 : 0;
    seen = stamp;
    if (quiet === LOOKS_BEFORE_DEAD) {
      for (const file of left) await rm(file, { force: true });
      return left;
    }
    await setTimeout(after_ms / LOOKS_BEFORE_DEAD);
  }
  return [];
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return `${found?.ino}/${found?.mtimeNs}/${found?.size}`;
}

/**
 * @param parent folder of the loop's worktrees
 * @param left what the pool had of it
 * @param integrated names of attempts that the integration branch holds
 * @returns branches on which unfinished work was kept
 */
export async function sweep(
  tools: KeepTools,
  { parent, tip, left }: { readonly parent: string; readonly tip: string; readonly left: readonly LeftWorktree[] },
  integrated: ReadonlySet<string>,
): Promise<string[]> {
  const kept: string[] = [];
  for (const { worktree } of left) await clearPrepared(tools.git, worktree);
  for (const { worktree, base } of [
    ...left,
    ...(await strays(tools, parent)).map((worktree) => ({ worktree, base: null })),
  ]) {
    if (worktree.name.startsWith(SCRATCH_PREFIX)) await tools.pool.give(worktree);
    else if (integrated.has(worktree.name) || (await isUnfilled(tools, worktree))) await discard(tools, worktree);
    else {
      const where = await keepWork(tools, worktree, {
        base: base ?? (await baseOf(tools, worktree, tip)),
        title: worktree.name,
        reason: "The run that worked on it ended without settling it.",
      });
      if (where !== null) kept.push(where);
    }
  }
  await deleteEmptyBranches(tools, tip);
  await clearScratch(tools.scratch);
  return kept;
}

/** The commit that an attempt began with, as its branch tells. */
async function baseOf({ git, refs }: KeepTools, { name }: Worktree, tip: string): Promise<string> {
  const base = await git.run(["merge-base", tip, `refs/heads/${refs.attempts}${name}`]);
  return base.ok ? base.stdout.trim() : tip;
}

/** Nothing was checked out there yet, so no agent has deleted anything. */
async function isUnfilled(tools: KeepTools, worktree: Worktree): Promise<boolean> {
  const names = await readdir(worktree.dir).catch(() => null);
  return names?.every((name) => name === ".git") === true && !(await exists(startIndexOf(tools, worktree)));
}

/** Indexes that a killed run was writing, or compared a worktree with that is gone now. @param scratch of a loop that no run works */
async function clearScratch(scratch: string): Promise<void> {
  for (const name of ownNames(scratch)) await removeTree(join(scratch, name));
}

async function strays(tools: KeepTools, parent: string): Promise<Worktree[]> {
  const { commonDir } = tools;
  const known = [...(await knownWorktrees(commonDir, parent)), ...(await halfMade(tools, parent))];
  const found = new Map(known.map((worktree) => [worktree.name, worktree]));
  for (const name of await foldersIn(parent)) {
    const dir = join(parent, name);
    // One that git does not know: what its `.git` file says is not to be believed.
    if (!found.has(name)) found.set(name, { name, dir, admin: join(commonDir, "worktrees", "+none") });
  }
  return [...found.values()];
}

/** What a git that was killed at once left of a worktree: a directory that names no folder. Its own name says whose it is. */
async function halfMade({ git, refs, commonDir }: KeepTools, parent: string): Promise<Worktree[]> {
  const branches = await readRefs(git, [`refs/heads/${refs.attempts}`]);
  const found: Worktree[] = [];
  for (const name of await readdir(join(commonDir, "worktrees")).catch(() => [])) {
    const admin = join(commonDir, "worktrees", name);
    const gitFile = textAt(join(admin, "gitdir")) ?? "";
    const isOurs = name.startsWith(scratchPrefix(refs.own)) || branches.has(`refs/heads/${refs.attempts}${name}`);
    if (gitFile.trim() === "" && isOurs) found.push({ name, dir: join(parent, name), admin });
  }
  return found;
}

/** Branches of attempts on which nothing was ever committed. */
async function deleteEmptyBranches({ git, refs }: KeepTools, tip: string): Promise<void> {
  const merged = await must(git, [
    "for-each-ref",
    `--merged=${tip}`,
    "--format=%(refname)",
    `refs/heads/${refs.attempts}`,
  ]);
  const lines = merged.split("\n").filter((name) => name !== "");
  if (lines.length > 0)
    await updateRefs(
      git,
      lines.map((name) => `delete ${name}`),
    );
}
