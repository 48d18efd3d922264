/**
 * A loop's repository on a worker: a mirror of the shared remote, from which every task gets a clone of its own that is
 * thrown away behind it (SPEC section 13: work travels by git).
 *
 * M1 a clone borrows the mirror's objects and never writes to it; nothing of one task is seen by another;
 * M2 the mirror has what the remote had when the task began;
 * M3 what a git left that a power cut ended keeps no later one from working.
 */
import { createHash } from "node:crypto";
import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutCredentials } from "./credentials.ts";
import { createGit, gitProblem, LONG_MS, must, type Git } from "./git.ts";
import { readRefs, updateRefs, type LineRefs } from "./integration-line.ts";
import { WorkspaceError } from "./problem.ts";
import { createSerialQueue, type SerialQueue } from "./serial-queue.ts";

/** The mirrors of one worker. No other process uses the folder. */
export interface Mirrors {
  /**
   * Makes `dir` a repository with the loop's refs as the remote has them, and HEAD where the loop began.
   * @throws WorkspaceError when the remote cannot be read, or holds no such loop
   */
  clone(remote: string, refs: LineRefs, dir: string): Promise<Git>;
}

export function createMirrors(folder: string): Mirrors {
  const queues = new Map<string, SerialQueue>();
  const swept = new Set<string>();
  return {
    clone: async (remote, refs, dir) => {
      const mirror = join(folder, `${createHash("sha256").update(remote).digest("hex").slice(0, 16)}.git`);
      const queue = queues.get(mirror) ?? createSerialQueue();
      queues.set(mirror, queue);
      const found = await queue(async () => {
        if (!swept.has(mirror)) await removeLocks(mirror);
        swept.add(mirror);
        return await fetched(mirror, remote, refs);
      });
      await mkdir(dir, { recursive: true });
      const git = createGit({ cwd: dir });
      await must(git, ["init", "-q"]);
      await mkdir(join(dir, ".git", "objects", "info"), { recursive: true });
      await writeFile(join(dir, ".git", "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
      await updateRefs(git, [
        ...[...found].map(([name, oid]) => `update ${name} ${oid}`),
        `update HEAD ${found.get(`${refs.own}base`)}`,
      ]);
      await must(git, ["remote", "add", "origin", remote]);
      return git;
    },
  };
}

/** M3: no other process uses the folder, so that whoever held them is dead. */
async function removeLocks(mirror: string): Promise<void> {
  for (const folder of [mirror, join(mirror, "refs")])
    for (const name of await readdir(folder, { recursive: folder !== mirror }).catch(() => []))
      if (name.endsWith(".lock")) await rm(join(folder, name), { force: true });
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
    throw unreadable(remote, gitProblem(answer.failure).message);
  const found = await readRefs(git, [`refs/heads/${refs.branch}`, refs.own, `refs/heads/${refs.attempts}`]);
  if (!answer.ok || !found.has(`${refs.own}base`)) throw unreadable(remote, `there is no ${refs.branch} in it`);
  return found;
}

function unreadable(remote: string, why: string): WorkspaceError {
  return new WorkspaceError({
    code: "git_failed",
    message: `The shared repository ${withoutCredentials(remote)} cannot be used: ${why}`,
    hint: "See that this host may read and write it with git, and that the loop was submitted with that remote.",
  });
}
