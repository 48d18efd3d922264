/** Work on a file under its lock (SPEC section 2). */
import type { Result } from "../../core/problem.ts";
import { targetOf } from "../../host/atomic-write.ts";
import { acquireLockSync } from "../../host/lock.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { sweepWriteLeftovers } from "../../host/write-sweep.ts";
import { problem, unreadable } from "./file-bytes.ts";

export interface LockOptions {
  /** What the lock is held for; shown to those who wait. */
  readonly what?: string;
  /** How long to wait for other writers, in milliseconds; default 10 s. */
  readonly timeout_ms?: number;
}

/** @param work gets the file that `path` means once links are followed. Problems: `file_locked`, `file_unwritable` */
export function underLock<T>(path: string, options: LockOptions, work: (target: string) => Result<T>): Result<T> {
  let target: string;
  try {
    target = targetOf(path);
  } catch (error) {
    return unreadable(path, error);
  }
  const lock = acquireLockSync(loopPaths(target).lock, {
    timeout_ms: 10_000,
    ...options,
    what: options.what ?? "an edit of the state",
  });
  if (!lock.ok) return problem(lock.code === "unwritable" ? "file_unwritable" : "file_locked", lock.message, lock.hint);
  try {
    if (lock.taken_over) sweepWriteLeftovers(target);
    return work(target);
  } finally {
    lock.release();
  }
}
