/**
 * A loop's repository on a worker: a mirror of the shared remote, from which every task gets a clone of its own that is
 * thrown away behind it (SPEC section 13: work travels by git).
 *
 * SHARED-CLONE-1 a clone borrows the mirror's objects and never writes to it; nothing of one task is seen by another;
 * SHARED-CLONE-2 the mirror has what the remote had when the task began;
 * SHARED-CLONE-3 what a git left that a power cut ended keeps no later one from working;
 * SHARED-CLONE-4 a mirror is bounded: one that was fetched into very often goes, while no clone borrows from it, and is fetched anew.
 */
import { createHash } from "node:crypto";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../host/remove-tree.ts";
import { withoutCredentials } from "./credentials.ts";
import { createGit, gitProblem, LONG_MS, must } from "./git.ts";
import { readRefs, removeLocks, updateRefs, type LineRefs } from "./integration-line.ts";
import { WorkspaceError } from "./problem.ts";
import { patientWithRemote, type RemotePatience } from "./remote-patience.ts";
import { createQueue, type Queue } from "./queue.ts";

/** The mirrors of one worker. No other process uses the folder. */
export interface Mirrors {
  /**
   * Makes `dir` a repository with the loop's refs as the remote has them, and HEAD where the loop began. It borrows from
   * the mirror until it is released. A remote that is away is waited for (REMOTE-PATIENCE-1).
   * @throws WorkspaceError when the remote cannot be read, or holds no such loop
   */
  clone(remote: string, refs: LineRefs, dir: string, patience?: RemotePatience): Promise<{ release(): void }>;
  /** Settles when no mirror is being removed; never rejects. */
  still(): Promise<void>;
}

interface Mirror {
  readonly folder: string;
  readonly remote: string;
  readonly queue: Queue;
  borrowers: number;
  /** SHARED-CLONE-3 */
  swept: boolean;
}

export function createMirrors(folder: string): Mirrors {
  const mirrors = new Map<string, Mirror>();
  const mirrorOf = (remote: string): Mirror => {
    const name = `${createHash("sha256").update(remote).digest("hex").slice(0, 16)}.git`;
    const known = mirrors.get(name);
    if (known !== undefined) return known;
    const made: Mirror = {
      folder: join(folder, name),
      remote,
      queue: createQueue(),
      borrowers: 0,
      swept: false,
    };
    mirrors.set(name, made);
    return made;
  };
  return {
    clone: async (remote, refs, dir, patience = {}) => {
      const mirror = mirrorOf(remote);
      mirror.borrowers++;
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        mirror.borrowers--;
        if (mirror.borrowers === 0) void mirror.queue(() => removeWorn(mirror));
      };
      try {
        await borrow(mirror, refs, dir, patience);
        return { release };
      } catch (error) {
        mirror.borrowers--;
        throw error;
      }
    },
    still: async () => {
      for (const { queue } of mirrors.values()) await queue(() => Promise.resolve());
    },
  };
}

async function borrow(mirror: Mirror, refs: LineRefs, dir: string, patience: RemotePatience): Promise<void> {
  const { folder, remote, queue } = mirror;
  const fetch = async (): Promise<ReadonlyMap<string, string>> => {
    // SHARED-CLONE-3: no other process uses the folder, so that whoever held them is dead.
    if (!mirror.swept) await removeLocks(folder, ["."]);
    mirror.swept = true;
    return await fetched(folder, remote, refs);
  };
  const found = await patientWithRemote(() => queue(fetch), patience);
  await mkdir(dir, { recursive: true });
  const git = createGit({ cwd: dir });
  await must(git, ["init", "-q"]);
  await mkdir(join(dir, ".git", "objects", "info"), { recursive: true });
  await writeFile(join(dir, ".git", "objects", "info", "alternates"), `${join(folder, "objects")}\n`);
  await updateRefs(git, [
    ...[...found].map(([name, oid]) => `update ${name} ${oid}`),
    `update HEAD ${found.get(`${refs.own}base`)}`,
  ]);
  await must(git, ["remote", "add", "origin", remote]);
}

/** From so many on a look-up of an object, and a fetch, begins to be felt. */
const MOST_LOOSE = 5_000;
const MOST_PACKS = 100;

/** SHARED-CLONE-4: who came meanwhile waits in the same queue, or keeps it. */
async function removeWorn(mirror: Mirror): Promise<void> {
  if (mirror.borrowers > 0) return;
  const counted = await createGit({ cwd: mirror.folder }).run(["count-objects", "-v"]);
  const figure = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)`, "m").exec(counted.stdout)?.[1] ?? Infinity);
  if (figure("count") >= MOST_LOOSE || figure("packs") >= MOST_PACKS) await removeTree(mirror.folder);
}

async function fetched(mirror: string, remote: string, refs: LineRefs): Promise<ReadonlyMap<string, string>> {
  const git = createGit({ cwd: mirror });
  await mkdir(mirror, { recursive: true });
  const isThere = await access(join(mirror, "HEAD")).then(
    () => true,
    () => false,
  );
  if (!isThere) await must(git, ["init", "-q", "--bare"]);
  const all = [`refs/heads/${refs.branch}`, `${refs.own}*`, `refs/heads/${refs.attempts}*`];
  const answer = await git.run(["fetch", "-q", "--no-tags", "--prune", remote, ...all.map((ref) => `+${ref}:${ref}`)], {
    timeout_ms: LONG_MS,
  });
  if (!answer.ok && !/couldn't find remote ref/.test(answer.failure.stderr))
    throw unreadable(remote, gitProblem(answer.failure).message, "remote_away");
  const found = await readRefs(git, [`refs/heads/${refs.branch}`, refs.own, `refs/heads/${refs.attempts}`]);
  if (!answer.ok || !found.has(`${refs.own}base`)) throw unreadable(remote, `there is no ${refs.branch} in it`);
  return found;
}

function unreadable(remote: string, why: string, code: "git_failed" | "remote_away" = "git_failed"): WorkspaceError {
  return new WorkspaceError({
    code,
    message: `The shared repository ${withoutCredentials(remote)} cannot be used: ${why}`,
    hint: "See that this host may read and write it with git, and that the loop was submitted with that remote.",
  });
}
