/**
 * Space on the disk for a long run: looked at before each attempt (SPEC section 8: what is not on disk did not happen).
 *
 * DISK-SPACE-1 of the agents' logs the newest stay, up to a bound; older ones are removed, oldest first. Nothing else
 *    is: no journal, no work;
 * DISK-SPACE-2 with too little free space nothing more is started: the loop stops with its state kept, before the disk
 *    is full.
 */
import { readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

export interface DiskSpaceOptions {
  /** Free space below which nothing is started, in bytes; absent: see `leastFree`. */
  readonly min_free_bytes?: number;
  /** Of all logs together, in bytes; default 256 MiB. */
  readonly max_log_bytes?: number;
}

const MB = 1024 * 1024;
const MAX_LOG_BYTES = 256 * MB;
const LEAST_FREE_BYTES = 256 * MB;
/** Below this a disk was made small by somebody who knows how much fits on it. */
const SMALL_DISK_BYTES = 1024 * MB;

/**
 * Looks at the disk that holds `dir`, and removes old logs (DISK-SPACE-1).
 * @param logs the folder of the logs
 * @returns why nothing more is to be started, with what to do; null: there is room
 */
export function checkDiskSpace(dir: string, logs: string, options: DiskSpaceOptions): string | null {
  pruneLogs(logs, options.max_log_bytes ?? MAX_LOG_BYTES);
  return whyDiskIsFull(dir, options);
}

/** DISK-SPACE-2, without changing anything. */
export function whyDiskIsFull(dir: string, options: Pick<DiskSpaceOptions, "min_free_bytes">): string | null {
  const disk = spaceOn(dir);
  if (disk === null) return null;
  const least = options.min_free_bytes ?? leastFree(disk.total);
  if (disk.free >= least) return null;
  return `only ${inMegabytes(disk.free)} are free on the disk that holds ${dir} (at least ${inMegabytes(least)} are wanted): free some (\`aot clean --all\` removes what attempts left), then \`aot run\` goes on from here`;
}

/** What failed for want of space may have given a little of it back. */
export function isFull(dir: string): boolean {
  return (spaceOn(dir)?.free ?? Infinity) < MB / 4;
}

/** A hundredth of the disk, at most 256 MB; of a small disk nothing. */
function leastFree(total: number): number {
  return total < SMALL_DISK_BYTES ? 0 : Math.min(LEAST_FREE_BYTES, total / 100);
}

function spaceOn(dir: string): { readonly free: number; readonly total: number } | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(dir);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    // Some file systems do not tell.
    return null;
  }
}

/** DISK-SPACE-1. @returns what was removed, oldest first */
export function pruneLogs(logs: string, most: number): readonly string[] {
  const found = filesIn(logs).toSorted((a, b) => b.mtime - a.mtime || (a.name < b.name ? 1 : -1));
  const removed: string[] = [];
  let sum = 0;
  for (const { name, size } of found) {
    sum += size;
    if (sum <= most) continue;
    sum -= size;
    rmSync(join(logs, name), { force: true });
    removed.unshift(name);
  }
  return removed;
}

function filesIn(logs: string) {
  try {
    return readdirSync(logs).flatMap((name) => {
      const stats = name.endsWith(".log") ? statSync(join(logs, name), { throwIfNoEntry: false }) : undefined;
      return stats?.isFile() === true ? [{ name, size: stats.size, mtime: stats.mtimeMs }] : [];
    });
  } catch {
    // No folder: no logs.
    return [];
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}
