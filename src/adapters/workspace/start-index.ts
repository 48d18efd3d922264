/**
 * The index of an attempt's worktree as git made it, kept where the attempt does not work: whatever the agent does to
 * its own index, its folder is compared with what was checked out.
 *
 * START-INDEX-1 a file that was not checked out (sparse checkout) is not taken for a deleted one;
 * START-INDEX-2 every file that is there is looked at: no bit in an index hides a change;
 * START-INDEX-3 a new file that the agent added to its index, and that a narrower sparse checkout then took out of the
 *    folder, is the one in its index.
 */
import { existsSync } from "node:fs";
import { copyFile, lstat, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { bytesIn, fieldsOf, must, PLAIN_INDEX, type Git } from "./git.ts";
import { inScratch } from "./scratch-index.ts";
import type { Worktree } from "./worktree.ts";

interface IndexPlace {
  /** Folder of the loop's own that no attempt works in. */
  readonly scratch: string;
}

export function startIndexOf({ scratch }: IndexPlace, { name }: Pick<Worktree, "name">): string {
  return join(scratch, `${name}.start-index`);
}

/** To be called before the agent begins. */
export async function keepStartIndex(place: IndexPlace, worktree: Worktree): Promise<void> {
  const kept = (): string => {
    makeOwnFolder(place.scratch);
    return startIndexOf(place, worktree);
  };
  await inScratch(kept, (path) => copyIndex(join(worktree.admin, "index"), path));
}

/** To be called when the worktree goes. */
export async function dropStartIndex(place: IndexPlace, worktree: Worktree): Promise<void> {
  await rm(startIndexOf(place, worktree), { force: true });
}

/** git takes a file for unchanged that is older than the index: a copy is as old as what it was made of. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const time = await timeOf(from);
  await copyFile(from, to);
  await utimes(to, time, time);
}

/** An index in memory. */
export interface Remembered {
  readonly bytes: Buffer;
  /** Seconds since 1970: files that are older are as the index says. */
  readonly time: number;
}

export async function readIndex(from: string): Promise<Remembered> {
  return { time: await timeOf(from), bytes: await readFile(from) };
}

export async function writeIndex(to: string, { bytes, time }: Remembered): Promise<void> {
  await writeFile(to, bytes);
  await utimes(to, time, time);
}

async function timeOf(index: string): Promise<number> {
  return Math.floor((await stat(index)).mtimeMs / 1_000);
}

/** Paths as bytes. */
interface Filled {
  /** To stay as they are though they are not in the folder (START-INDEX-1). */
  readonly absent: ReadonlySet<string>;
  /** What the agent added to its index, ignored files among it. */
  readonly added: readonly string[];
}

/**
 * Fills the index that `here` works with, for its folder to be added to.
 * @param base for a worktree of which no start index was kept
 */
export async function fillIndex(
  place: IndexPlace & { readonly git: Git },
  worktree: Worktree,
  here: Git,
  { index, base }: { readonly index: string; readonly base: string },
): Promise<Filled> {
  const isKept = await copyIndex(startIndexOf(place, worktree), index).then(
    () => true,
    () => false,
  );
  if (!isKept) await must(here, ["read-tree", base]);
  else if (await isUntouched(place, worktree)) return { absent: new Set(), added: [] };
  const inside = inWorktree(place.git, worktree);
  const [now, start] = await Promise.all([entriesOf(inside), entriesOf(here)]);
  const was = isKept ? start?.skipped : now?.skipped;
  const isAbsent = absenceIn(worktree.dir);
  const absent = new Set<string>();
  const doubtful = new Set<string>();
  for (const path of new Set([...(was ?? []), ...(now?.skipped ?? [])]))
    if (await isAbsent(path)) (isLookedAt(now, path) ? doubtful : absent).add(path);
  // The agent had it checked out, and it is gone: deleted. What was never there cannot have been.
  const had = doubtful.size === 0 ? doubtful : await checkedOut(inside);
  for (const path of doubtful) if (!had.has(path)) absent.add(path);
  // START-INDEX-3
  const withheld = [...absent].filter((path) => start?.all.has(path) === false);
  for (const path of withheld) absent.delete(path);
  await takeOver(inside, here, withheld);
  const skipped = start?.skipped ?? new Set<string>();
  await mark(here, "--skip-worktree", [...[...absent].filter((path) => !skipped.has(path)), ...withheld]);
  await mark(
    here,
    "--no-skip-worktree",
    [...skipped].filter((path) => !absent.has(path)),
  );
  const added = [...(now?.all ?? [])].filter((path) => start?.all.has(path) === false);
  return { absent, added };
}

/** The agent's index is as it was, and all files were checked out: there is nothing in it to look for. */
async function isUntouched(place: IndexPlace, worktree: Worktree): Promise<boolean> {
  const { admin } = worktree;
  if (existsSync(join(admin, "info", "sparse-checkout"))) return false;
  const paths = [join(admin, "index"), startIndexOf(place, worktree)];
  const [now, start] = await Promise.all(paths.map((path) => readFile(path).catch(() => null)));
  return now != null && start != null && now.equals(start);
}

function inWorktree(git: Git, { dir, admin }: Worktree): Git {
  return git.with({ cwd: dir, env: { GIT_DIR: admin, GIT_WORK_TREE: dir } });
}

async function takeOver(from: Git, here: Git, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const wanted = new Set(paths);
  const listed = fieldsOf(await must(from, ["ls-files", "-s", "-z"], { config: PLAIN_INDEX }));
  const input = listed.filter((field) => wanted.has(field.slice(field.indexOf("\t") + 1))).map((field) => `${field}\0`);
  await must(here, ["update-index", "--add", "-z", "--index-info"], { input: input.join("") });
}

interface Entries {
  readonly all: ReadonlySet<string>;
  /** Those that git does not look at in the folder. */
  readonly skipped: ReadonlySet<string>;
}

/** Null: there is no index that can be read. */
async function entriesOf(here: Git): Promise<Entries | null> {
  const listed = await here.run(["ls-files", "-v", "-z"], { config: PLAIN_INDEX });
  if (!listed.ok) return null;
  const fields = fieldsOf(listed.stdout);
  const skipped = fields.filter((field) => /^s /i.test(field));
  return {
    all: new Set(fields.map((field) => field.slice(2))),
    skipped: new Set(skipped.map((field) => field.slice(2))),
  };
}

function isLookedAt(entries: Entries | null, path: string): boolean {
  return entries !== null && entries.all.has(path) && !entries.skipped.has(path);
}

/** The paths of which git has had a file in the folder: it remembers when that changed. */
async function checkedOut(here: Git): Promise<ReadonlySet<string>> {
  const listed = await must(here, ["ls-files", "--debug", "-z"], { config: PLAIN_INDEX });
  const entries = listed.matchAll(/([^\0]+)\0 {2}ctime: (\d+):\d+\n(?: {2}[^\n]*(?:\n|$))+/g);
  return new Set([...entries].flatMap(([, path = "", ctime]) => (ctime === "0" ? [] : [path])));
}

async function mark(here: Git, how: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await must(here, ["update-index", how, "-z", "--stdin"], { input: `${paths.join("\0")}\0` });
}

/** Whether nothing is at a path (as bytes) of a folder. Folders that are missing are looked at once. */
function absenceIn(dir: string): (path: string) => Promise<boolean> {
  const folders = new Map<string, Promise<boolean>>();
  const isMissing = async (path: string): Promise<boolean> =>
    await lstat(bytesIn(dir, path)).then(
      () => false,
      () => true,
    );
  const isFolderMissing = (folder: string): Promise<boolean> => {
    const known = folders.get(folder) ?? (folder === "." ? Promise.resolve(false) : isAbsent(folder));
    folders.set(folder, known);
    return known;
  };
  const isAbsent = async (path: string): Promise<boolean> =>
    (await isFolderMissing(dirname(path))) || (await isMissing(path));
  return isAbsent;
}
