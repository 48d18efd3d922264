/**
 * What a worktree was prepared with, as a file in its git directory: it goes with the worktree, and the run after a
 * crash reads it. An agent can write there, so a path that leads out of the worktree is not followed.
 */
import { readdir, realpath, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { readText } from "../../host/regular-file.ts";
import type { Git } from "./git.ts";
import type { Marks } from "./ignored-work.ts";
import { removeCopies } from "./included-files.ts";
import type { WorkspaceResult } from "./problem.ts";
import type { Repository } from "./repository.ts";
import { removeTraces, type Trace } from "./set-up-traces.ts";
import { knownWorktrees, type Worktree } from "./worktree.ts";

export interface PreparationRecord {
  /** That the worktree was made of. */
  readonly commit: string;
  readonly copied: readonly string[];
  readonly traces: readonly Trace[];
  /** What git ignores and was there before the agent began. */
  readonly ignored: Marks;
}

const NAME = "aot-prepared.json";

export async function writeRecord(gitDir: string, record: PreparationRecord): Promise<void> {
  await writeFile(join(gitDir, NAME), JSON.stringify(record));
}

/** Git in a worktree, whatever its `.git` file says by now. */
export function inWorktree(git: Git, gitDir: string, top: string): Git {
  return git.with({ cwd: top, env: { GIT_DIR: gitDir, GIT_WORK_TREE: top } });
}

/**
 * Takes the furniture out of the worktrees that dead runs left, so that only work is kept of them.
 * @param worktrees folder of the worktrees of a state file's loops
 */
export async function clearLeft(found: WorkspaceResult<Repository>, worktrees: string): Promise<void> {
  if (!found.ok) return;
  const { git, commonDir } = found.value;
  const loops = await readdir(worktrees).catch(() => []);
  if (loops.length === 0) return;
  const folder = await realpath(worktrees);
  for (const loop of loops)
    for (const worktree of await knownWorktrees(commonDir, join(folder, loop))) await clearPrepared(git, worktree);
}

/** @param git of the repository */
export async function clearPrepared(git: Git, { dir, admin }: Worktree): Promise<void> {
  const record = await readRecord(admin);
  if (record === null) return;
  await removeCopies(dir, record.copied.filter(staysInside));
  const traces = record.traces.filter(({ path }) => staysInside(path));
  await removeTraces(inWorktree(git, admin, dir), dir, record.commit, traces);
}

function staysInside(path: string): boolean {
  return typeof path === "string" && !isAbsolute(path) && !path.split(/[\\/]/).includes("..");
}

/** Null: it was prepared with nothing, or the record is not to be read. */
export async function readRecord(gitDir: string): Promise<PreparationRecord | null> {
  try {
    const value = JSON.parse(readText(join(gitDir, NAME))) as Partial<PreparationRecord> | null;
    const { commit, copied, traces, ignored = {} } = value ?? {};
    if (typeof commit !== "string" || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
    return Array.isArray(copied) && Array.isArray(traces) ? { commit, copied, traces, ignored } : null;
  } catch {
    // None, or half-written by a run that died.
    return null;
  }
}
