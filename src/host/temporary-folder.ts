/** Folders for temporary files, each with a lock that says whether its maker still lives. */
import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { namedIn, tryLockSync } from "./lock.ts";
import { removeTree } from "./remove-tree.ts";

/** For the folders of places, and for what is mounted. */
type Name = "aot-places" | "aot-mounts";

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Whether a path lies in one of them: what is in there is another program's. */
export function isInTemporaryFolder(path: string): boolean {
  return path.split(sep).some((part) => /^aot-(?:places|mounts)-\d+-/.test(part));
}

/** Makes a fresh one of this process, and has those removed whose makers are known to be dead. */
export function temporaryFolder(parent: string, name: Name): TemporaryFolder {
  for (const entry of readdirSync(parent).filter((other) => other.startsWith(`${name}-`))) {
    const left = join(parent, entry);
    const isOwn = statSync(left, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOwn && namedIn(lockIn(left))?.liveness === "dead") void removeTree(left);
  }
  const path = mkdtempSync(join(parent, `${name}-${process.pid}-`));
  const lock = tryLockSync(lockIn(path), { what: "temporary files", lasting: true });
  return {
    path,
    remove: async () => {
      await removeTree(path);
      if (lock.ok) lock.release();
    },
  };
}

function lockIn(folder: string): string {
  return join(folder, "lock");
}
