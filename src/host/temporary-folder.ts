/** Folders for temporary files that know whose they are. */
import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./process.ts";
import { removeTree } from "./remove-tree.ts";

/** Makes a fresh one of this process, and has those removed that dead processes left. @param name letters and dashes */
export function temporaryFolder(parent: string, name: string): string {
  for (const entry of readdirSync(parent)) {
    const pid = entry.startsWith(`${name}-`) ? Number.parseInt(entry.slice(name.length + 1)) : 0;
    const left = join(parent, entry);
    if (pid > 0 && !isAlive(pid) && statSync(left, { throwIfNoEntry: false })?.uid === process.getuid?.())
      void removeTree(left);
  }
  return mkdtempSync(join(parent, `${name}-${process.pid}-`));
}
