/**
 * Cleans up after a run that died (SPEC section 8): nothing of its work is lost, nothing of its folders
 * stays. Only what bears the loop's own names is touched, and the lock that a dead git left on the packed refs.
 */
import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { must } from "./git.ts";
import { updateRefs } from "./integration-line.ts";
import { discard, keepWork, type KeepTools } from "./keep-work.ts";
import { SCRATCH_PREFIX } from "./workspace-name.ts";
import { slotsIn, type Slot } from "./slot.ts";

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
 * @param tip of the line
 * @param integrated names of attempts that the integration branch holds
 * @returns branches on which unfinished work was kept
 */
export async function sweep(tools: KeepTools, tip: string, integrated: ReadonlySet<string>): Promise<string[]> {
  const kept: string[] = [];
  for (const slot of await slotsIn(tools)) {
    if (slot.name.startsWith(SCRATCH_PREFIX)) await tools.pool.give(slot);
    else if (integrated.has(slot.name)) await discard(tools, slot);
    else {
      const where = await keepWork(tools, slot, {
        base: await baseOf(tools, slot, tip),
        title: slot.name,
        reason: "The run that worked on it ended without settling it.",
      });
      if (where !== null) kept.push(where);
    }
  }
  await deleteEmptyBranches(tools, tip);
  return kept;
}

/** The commit that an attempt began with, as its branch tells. */
async function baseOf({ git, refs }: KeepTools, { name }: Slot, tip: string): Promise<string> {
  const base = await git.run(["merge-base", tip, `refs/heads/${refs.attempts}${name}`]);
  return base.ok ? base.stdout.trim() : tip;
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
