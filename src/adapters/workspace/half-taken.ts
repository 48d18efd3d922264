/**
 * What of a result stands in the person's checkout already though git does not know it there: a merge that died with
 * its machine leaves files that are whole, and one that is cut off. git refuses to write over them.
 */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { changesBetween } from "./change.ts";
import type { Git } from "./git.ts";

const LARGE_BYTES = 8 * 1024 * 1024;

/**
 * Files that are as in the result, or how those begin: to take the result's in their place loses nothing.
 * @param root top folder of the checkout, where `git` works
 */
export async function halfTaken(git: Git, root: string, tip: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, now } of await changesBetween(git, "HEAD", tip)) {
    if (!now.mode.startsWith("100")) continue;
    const here = await contentOf(join(root, path));
    if (here === null) continue;
    const whole = await git.run(["cat-file", "blob", now.oid]);
    if (whole.ok && whole.stdout.startsWith(here)) found.push(path);
    if (found.length > MOST) break;
  }
  return found;
}

/** More than these are no help to name. */
export const MOST = 20;

/** One character per byte; null: no such file, or one too large to compare. */
async function contentOf(path: string): Promise<string | null> {
  const there = await lstat(path).catch(() => null);
  if (there?.isFile() !== true || there.size > LARGE_BYTES) return null;
  return await readFile(path, "latin1").catch(() => null);
}
