/**
 * A lock on an open file that the kernel takes away when its holder dies, and not before. Linux only: it tells whether a holder lives
 * where its process cannot be seen, in the PID namespace of another container that shares the folder.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statfsSync } from "node:fs";

/** Two mounts of an overlay are copies of their own: what is taken over in one is still held in the other. */
const OVERLAY = 0x794c7630;

/** The lock stays until `file` is closed. @returns the number of its file system; null: the kernel holds none here */
export function lockInKernel(file: number): number | null {
  return flock(file, "-x") === 0 ? fstatSync(file).dev : null;
}

/**
 * Whether the file that contains `nonce` is locked: null where it cannot be known.
 * @param device of the file system where it was locked: the same file seen through another one has locks of its own
 */
export function isLockedInKernel(path: string, nonce: string, device: number): boolean | null {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const isSame = fstatSync(file).dev === device || statfsSync(path).type === OVERLAY;
    if (!isSame || !readFileSync(file, "utf8").includes(nonce)) return null;
    const status = flock(file, "-s");
    return status === 0 || status === 1 ? status === 1 : null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The program locks what this process has opened, and the lock outlives it. @returns its exit code; null: it could not be asked */
function flock(file: number, how: "-x" | "-s"): number | null {
  if (process.platform !== "linux") return null;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  return spawnSync("flock", [how, "-n", "3"], { stdio: ["ignore", "ignore", "ignore", file], timeout: 5000 }).status;
}
