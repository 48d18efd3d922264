/** Why a run could not go on, as problems (SPEC sections 2 and 9): the world's fault, not the work's. */
import { statfsSync } from "node:fs";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { refused, type Problem } from "../core/problem.ts";
import { RunFailure } from "../loop/run-failure.ts";

/** Less than this is a full disk: what failed for want of space may have given a little back. */
const FULL_BYTES = 256 * 1024;

/**
 * @param dir the loop's own folder
 * @throws what is no failure of the run but a defect
 */
export function whyItBroke(error: unknown, dir: string): readonly Problem[] {
  const cause = error instanceof RunFailure && error.cause instanceof WorkspaceError ? error.cause : error;
  if (cause instanceof WorkspaceError)
    return refused(cause.problem.message, fullDisk(dir) ?? cause.problem.hint).problems;
  if (cause instanceof RunFailure) return refused(cause.message, fullDisk(dir) ?? cause.hint).problems;
  throw error;
}

/** What to do about a full disk, whatever it was that failed for it; null: there is space. */
function fullDisk(dir: string): string | null {
  try {
    const { bavail, bsize } = statfsSync(dir);
    if (bavail * bsize >= FULL_BYTES) return null;
  } catch {
    // Some file systems do not tell.
    return null;
  }
  return `the disk that holds ${dir} is full: free some space, then run again; the loop goes on from here`;
}
