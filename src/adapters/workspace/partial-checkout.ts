/**
 * What of a person's checkout a fast-forward to the result would meet there: files that it would write over though git
 * does not know them, and files that a merge which died with its machine has left, whole or cut off.
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { changesBetween, type Change } from "./change.ts";
import { fieldsOf, textOf, type Git } from "./git.ts";

const LARGE_BYTES = 8 * 1024 * 1024;

export interface Met {
  /** Files that are as in the result, or how those begin: to take the result's in their place loses nothing. */
  readonly half: readonly string[];
  /** Not tracked by git, ignored or not, and something else than the result has there. */
  readonly untracked: readonly string[];
}

/** @param root top folder of the checkout, where `git` works */
export async function metByResult(git: Git, root: string, tip: string): Promise<Met> {
  const half: string[] = [];
  const others: string[] = [];
  const changes = await changesBetween(git, "HEAD", tip);
  const leaving = new Set(changes.filter(({ status }) => status === "D").map(({ path }) => path));
  for (const change of changes) {
    if (change.status === "D") continue;
    if (half.length <= MOST && (await isHalf(git, root, change))) half.push(change.path);
    else if (change.status === "A") others.push(...(await inTheWay(root, change.path, leaving)));
  }
  return { half, untracked: await withoutTracked(git, others) };
}

/** More than these are no help to name. */
export const MOST = 20;

async function isHalf(git: Git, root: string, { path, now }: Change): Promise<boolean> {
  if (!now.mode.startsWith("100")) return false;
  const here = await contentOf(join(root, path));
  if (here === null) return false;
  const whole = await git.run(["cat-file", "blob", now.oid]);
  return whole.ok && whole.stdout.startsWith(here);
}

/** What is where a new file of the result, or a folder above it, is to be; nothing or one path. */
async function inTheWay(root: string, path: string, leaving: ReadonlySet<string>): Promise<string[]> {
  const parts = path.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join("/");
    const there = await lstat(join(root, part)).catch(() => null);
    if (there === null || leaving.has(part)) return [];
    if (!there.isDirectory()) return [part];
  }
  const inside = await readdir(join(root, path)).catch(() => []);
  // A folder of which all files leave gives way.
  return inside.length === 0 || [...leaving].some((gone) => gone.startsWith(`${path}/`)) ? [] : [path];
}

async function withoutTracked(git: Git, paths: readonly string[]): Promise<string[]> {
  const unique = [...new Set(paths)];
  if (unique.length === 0) return [];
  const listed = await git.run([
    "ls-files",
    "-z",
    "--",
    ...unique.slice(0, MOST).map((path) => `:(top,literal)${path}`),
  ]);
  const tracked = new Set(fieldsOf(listed.stdout).map(textOf));
  return unique.filter((path) => !tracked.has(path));
}

/** One character per byte; null: no such file, or one too large to compare. */
async function contentOf(path: string): Promise<string | null> {
  const there = await lstat(path).catch(() => null);
  if (there?.isFile() !== true || there.size > LARGE_BYTES) return null;
  return await readFile(path, "latin1").catch(() => null);
}
