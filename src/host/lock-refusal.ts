/** Why a lock was not given, in words for the person who waits for it. */
import { hostname } from "./hostname.ts";
import type { Holder, Seen } from "./lock-file.ts";

export interface LockRefusal {
  readonly ok: false;
  /**
   * `held`: by someone who lives, or who cannot be judged; `unsettled`: it is just changing hands;
   * `unwritable`: the system does not let us write (or read) a lock file there.
   */
  readonly code: "held" | "unsettled" | "unwritable";
  readonly holder: Holder | null;
  readonly message: string;
  /** The next step. */
  readonly hint: string;
}

export function explain(
  path: string,
  seen: Seen | { readonly kind: "unwritable"; readonly errno: string },
): LockRefusal {
  switch (seen.kind) {
    case "held":
      return { ok: false, code: "held", holder: seen.holder, ...heldBy(path, seen.holder) };
    case "garbage":
      return {
        ok: false,
        code: "held",
        holder: null,
        message: `the lock file ${path} names no holder`,
        hint: `it is taken over once it has not changed for 10 s; or delete ${path}`,
      };
    case "free":
      return {
        ok: false,
        code: "unsettled",
        holder: null,
        message: `the lock ${path} is just changing hands`,
        hint: "try again",
      };
    case "unreadable":
      return unwritable(path, "read", seen.errno);
    case "unwritable":
      return unwritable(path, "write", seen.errno);
  }
}

function heldBy(path: string, holder: Holder): { message: string; hint: string } {
  const message = `${path} is held by "${holder.what}", pid ${holder.pid} on host ${holder.host}, since ${holder.since}`;
  if (holder.host === hostname())
    return {
      message,
      hint: `wait for it or end it; if that process is surely gone, delete ${path}`,
    };
  return {
    message,
    hint: `whether it still works cannot be seen from this host; if it is surely gone, delete ${path}`,
  };
}

const NEXT_STEP: Readonly<Record<string, string>> = {
  ENOENT: "create the folder first",
  EACCES: "give yourself the right to write in that folder",
  EPERM: "give yourself the right to write in that folder",
  EROFS: "the file system is read-only: work on a copy, or mount it for writing",
  EFTYPE: "a link or a file is in the place of the loop's folder: see what it is (`ls -l`) and move it away",
  ENOSPC: "free some disk space",
  EDQUOT: "free some of your disk quota",
};

function unwritable(path: string, verb: "read" | "write", errno: string): LockRefusal {
  const hint = NEXT_STEP[errno] ?? "look at the folder and its file system";
  return {
    ok: false,
    code: "unwritable",
    holder: null,
    message: `cannot ${verb} the lock file ${path} (${errno})`,
    hint,
  };
}
