/** Which state file a command works on, and which folder is the project (SPEC section 2). */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hasCopy } from "../adapters/store/kept-copy.ts";
import { DEFAULT_STATE_FILE } from "../host/loop-paths.ts";

/**
 * The state file that was named, or the one that is in the default place in this folder or above it, up to the
 * repository's root. None there: the default place at that root (outside a repository: in this folder).
 * @param named absolute or relative to `cwd`
 */
export function findStateFile(cwd: string, named?: string): string {
  if (named !== undefined) return resolve(cwd, named);
  const root = repositoryRoot(cwd) ?? cwd;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, DEFAULT_STATE_FILE);
    if (existsSync(file) || hasCopy(file)) return file;
    if (folder === root) return join(root, DEFAULT_STATE_FILE);
  }
}

/** The nearest folder at or above `folder` that holds `.git`; null: not in a repository. */
function repositoryRoot(folder: string): string | null {
  for (let here = resolve(folder); ; here = dirname(here)) {
    if (existsSync(join(here, ".git"))) return here;
    if (dirname(here) === here) return null;
  }
}

/**
 * The folder in which a loop's checks run: the nearest one above the state file that holds it in `.claude`, however
 * deep, or that is a working tree; without either the state file's own.
 */
export function projectOf(stateFile: string): string {
  const folder = dirname(resolve(stateFile));
  for (let here = folder; dirname(here) !== here; here = dirname(here)) {
    if (basename(here) === dirname(DEFAULT_STATE_FILE)) return dirname(here);
    if (existsSync(join(here, ".git"))) return here;
  }
  return folder;
}
