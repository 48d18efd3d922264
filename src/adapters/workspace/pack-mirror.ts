/**
 * Keeps a worker's mirror small. What tasks fetch arrives as loose objects and little packs, and refs of loops that
 * are over stay behind: git's own housekeeping is off, since it would not know who borrows from the mirror.
 */
import { gitProblem, type Git, type GitFailure } from "./git.ts";
import { readRefs, updateRefs } from "./integration-line.ts";

/** From so many on a look-up of an object, and a fetch, begins to be felt. */
const MOST_LOOSE = 2_000;
const MOST_PACKS = 30;
/** Milliseconds. Tasks of the same repository that come meanwhile wait for it. */
const PACK_MS = 5 * 60_000;
const REMOTE_MS = 60_000;

/**
 * Packs what is reachable and drops the rest, if there is enough of it to be worth it. To be called only while nobody
 * borrows from the mirror, and nobody else changes it.
 * @returns why it could not be done; null: it was, or need not be
 */
export async function packMirror(mirror: Git, remote: string): Promise<string | null> {
  // Nobody else is there to wait for: whoever left a lock is dead. A lock of the commit graph would be one more to sweep.
  const config = ["core.packedRefsTimeout=0", "core.filesRefLockTimeout=0", "gc.writeCommitGraph=false"];
  const git = mirror.with({ config });
  const counted = await git.run(["count-objects", "-v"]);
  if (!counted.ok) return why(counted.failure);
  const figure = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(counted.stdout)?.[1] ?? 0);
  if (figure("count") < MOST_LOOSE && figure("packs") < MOST_PACKS) return null;
  await dropStaleRefs(git, remote);
  const packed = await git.run(["gc", "-q", "--force", "--prune=now"], { timeout_ms: PACK_MS });
  return packed.ok ? null : why(packed.failure);
}

/** Refs that the remote has no more. Of one that does not answer nothing is known, and all of them stay. */
async function dropStaleRefs(git: Git, remote: string): Promise<void> {
  const listed = await git.run(["ls-remote", remote, "refs/heads/aot/*", "refs/aot/*"], { timeout_ms: REMOTE_MS });
  if (!listed.ok) return;
  const there = new Set(listed.stdout.split("\n").map((line) => line.split("\t")[1]));
  const stale = [...(await readRefs(git, []))].filter(([name]) => !there.has(Buffer.from(name).toString("latin1")));
  if (stale.length > 0)
    await updateRefs(
      git,
      stale.map(([name, oid]) => `delete ${name} ${oid}`),
    );
}

function why(failure: GitFailure): string {
  return gitProblem(failure).message;
}
