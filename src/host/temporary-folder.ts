/** Folders for temporary files that know whose they are. */
import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { isAlive } from "./process.ts";
import { removeTree } from "./remove-tree.ts";

/** For the folders of places, and for what is mounted. */
type Name = "aot-places" | "aot-mounts";

/** Whether a path lies in one of them: what is in there is another program's. */
export function isInTemporaryFolder(path: string): boolean {
  return path.split(sep).some((part) => /^aot-(?:places|mounts)-\d+-/.test(part));
}

/** Makes a fresh one of this process, and has those removed that dead processes left. */
export function temporaryFolder(parent: string, name: Name): string {
  for (const entry of readdirSync(parent)) {
    const pid = entry.startsWith(`${name}-`) ? Number.parseInt(entry.slice(name.length + 1)) : 0;
    const left = join(parent, entry);
    if (pid > 0 && !isAlive(pid) && statSync(left, { throwIfNoEntry: false })?.uid === process.getuid?.())
      void removeTree(left);
  }
  return mkdtempSync(join(parent, `${name}-${process.pid}-`));
}
