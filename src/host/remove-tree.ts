/** Removing and moving folders. */
import { chmod, cp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a folder, also one with read-only folders in it (as package caches and overlays have). @returns whether all of it is gone */
export async function removeTree(dir: string): Promise<boolean> {
  const remove = (): Promise<boolean> =>
    rm(dir, { recursive: true, force: true, maxRetries: 3 }).then(
      () => true,
      () => false,
    );
  if (await remove()) return true;
  await makeWritable(dir);
  return remove();
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(() => undefined);
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
  }
}

/**
 * Moves a file or a folder, also out of an overlay or to another disk. Nothing is at `to` yet.
 * @throws the system's error
 */
export async function moveTree(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await removeTree(from);
  }
}
