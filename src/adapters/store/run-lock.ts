/** One runner per state file (SPEC section 8: a second says who holds it). */
import { dirname } from "node:path";
import { ownName } from "../../host/atomic-write.ts";
import { holderOf, tryLockSync, type Holder, type Lock, type LockRefusal } from "../../host/lock.ts";
import { sweepLockLeftovers } from "../../host/lock-sweep.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import { sweepFolderLeftovers, sweepWriteLeftovers } from "../../host/write-sweep.ts";
import { makeFolder } from "./file-bytes.ts";

export type RunLock =
  /** `after_crash`: the last runner died without giving it back. */
  | { readonly ok: true; readonly after_crash: boolean; keep: Lock["keep"]; release(): void }
  | { readonly ok: false; readonly holder: Holder | null; readonly message: string; readonly hint: string };

/** Makes this process the one runner of a state file, or says who is. Does not wait. */
export function holdRunLock(stateFile: string): RunLock {
  const { runLock } = loopPaths(ownName(stateFile));
  const folder = makeFolder(dirname(runLock), makeOwnFolder);
  if (!folder.ok) {
    const [first] = folder.problems;
    return { ok: false, holder: null, message: first?.message ?? "", hint: first?.hint ?? "" };
  }
  const lock = tryLockSync(runLock, { what: "aot run", lasting: true });
  if (!lock.ok) return { ok: false, ...refusal(stateFile, lock) };
  sweepLockLeftovers(runLock);
  sweepLeftovers(ownName(stateFile));
  return { ok: true, after_crash: lock.taken_over, keep: () => lock.keep(), release: () => lock.release() };
}

/** What a runner or a command that died left beside the files that it wrote. */
function sweepLeftovers(stateFile: string): void {
  const paths = loopPaths(stateFile);
  sweepWriteLeftovers(paths.state);
  sweepFolderLeftovers(paths.dir);
  sweepLockLeftovers(paths.lock);
}

/** Who works a state file now: null when nobody does, or the one who did is dead. */
export function runnerOf(stateFile: string): Holder | null {
  return holderOf(loopPaths(ownName(stateFile)).runLock);
}

function refusal(stateFile: string, lock: LockRefusal): { holder: Holder | null; message: string; hint: string } {
  const { holder, message, hint } = lock;
  if (holder === null || lock.code !== "held") return { holder, message, hint };
  return {
    holder,
    message: `${stateFile} is being worked by pid ${holder.pid} on host ${holder.host} since ${holder.since}`,
    hint: `"aot status --watch" follows it, "aot stop" ends it; ${hint}`,
  };
}
