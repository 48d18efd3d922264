/**
 * Files that git ignores and that a slot needs all the same: `.worktreeinclude` names them, in the syntax of
 * `.gitignore` (SPEC section 7).
 *
 * INCLUDED-FILES-1 only what git ignores is copied: nothing that could be committed from there;
 * INCLUDED-FILES-2 what a commit brings is never written over, and nothing is written or removed through a link;
 * INCLUDED-FILES-3 what is copied is what was there when the run began;
 * INCLUDED-FILES-4 only a person opens ignored files to agents: a line that a loop's work brought names nothing.
 */
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import { fieldsOf, textOf, type Git, LITERAL } from "./git.ts";
import { markOf } from "./commit-files.ts";
import { exists } from "./slot.ts";

/** Stands at the top of the repository. */
const INCLUDE_FILE = ".worktreeinclude";

/**
 * The files that are to be copied, as paths from the top folder; none without a `.worktreeinclude`.
 * @param root top folder of the person's working tree
 */
export async function includedFiles(git: Git, root: string): Promise<readonly string[]> {
  const file = join(root, INCLUDE_FILE);
  if (!(await exists(file))) return [];
  const here = git.with({ cwd: root });
  // A repository inside is named with a slash at its end.
  const wanted = (await namedBy(here, await patternsIn(here, root))).filter(
    (path) => !path.endsWith("/") && !isOwn(path),
  );
  if (wanted.length === 0) return [];
  const ignored = await here.run(["check-ignore", "-z", "--stdin"], { input: `${wanted.join("\0")}\0` });
  return fieldsOf(ignored.stdout).map(textOf);
}

/** Bytes. */
async function namedBy(here: Git, patterns: readonly string[]): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const how = patterns.map((pattern) => `--exclude=${pattern}`);
  return fieldsOf((await here.run(["ls-files", "-z", "--others", "--ignored", ...how])).stdout);
}

/** INCLUDED-FILES-4. */
async function patternsIn(here: Git, root: string): Promise<readonly string[]> {
  const lines = ((await personsText(here, root, INCLUDE_FILE)) ?? "").split(/\r?\n/);
  return lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/** What a person should know of lines that name nothing; null: there are none. */
export async function broughtByLoops(git: Git, root: string): Promise<string | null> {
  const here = git.with({ cwd: root });
  const agreed = await personsText(here, root, INCLUDE_FILE);
  if ((agreed ?? "") === (textAt(join(root, INCLUDE_FILE)) ?? "")) return null;
  return `An agent's work changed ${INCLUDE_FILE}, which opens ignored files to agents: that is not followed until you change the file yourself.`;
}

/** The loops' own folders: slots lie in them. */
function isOwn(path: string): boolean {
  return /(^|\/)\.claude\/(?:worktrees\/)?aot-loop/.test(path) || path.includes(".aot-loop/");
}

/** What was copied (INCLUDED-FILES-2), and why the rest was not. */
export interface Copies {
  readonly copied: readonly string[];
  readonly problem: string | null;
}

/** A file as it was when the run began (INCLUDED-FILES-3). */
interface Included {
  readonly mark: string;
  /** What it holds, as far as that was kept. */
  readonly bytes: Buffer | null;
  /** Of a link. */
  readonly target: string | null;
}

export type IncludedFiles = ReadonlyMap<string, Included>;

/** Bytes of all files together; a larger one that changes meanwhile is not copied any more. */
const MOST_KEPT = 32 * 1024 * 1024;

/** To be called before the first attempt of the run. What is neither file nor link is left out. */
export async function keepIncluded(root: string, files: readonly string[]): Promise<IncludedFiles> {
  const kept = new Map<string, Included>();
  let left = MOST_KEPT;
  for (const file of files) {
    const source = join(root, file);
    const there = await lstat(source, { bigint: true }).catch(() => null);
    if (there?.isSymbolicLink() === true)
      kept.set(file, { mark: markOf(there), bytes: null, target: await readlink(source) });
    else if (there?.isFile() === true) {
      const fits = there.size <= left;
      if (fits) left -= Number(there.size);
      kept.set(file, { mark: markOf(there), bytes: fits ? await readFile(source) : null, target: null });
    }
  }
  return kept;
}

/** Copies them into a slot; the first one that cannot be copied ends it. */
export async function copyIncluded(root: string, files: IncludedFiles, top: string): Promise<Copies> {
  const copied: string[] = [];
  for (const [file, kept] of files) {
    try {
      if (await copyOne(root, file, kept, top)) copied.push(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { copied, problem: `${file}, which ${INCLUDE_FILE} names, could not be copied: ${reason}` };
    }
  }
  return { copied, problem: null };
}

async function copyOne(
  root: string,
  file: string,
  { mark, bytes, target: link }: Included,
  top: string,
): Promise<boolean> {
  const [source, target] = [join(root, file), join(top, file)];
  if (!(await isPlainWay(top, file, true)) || (await lstat(target).catch(() => null)) !== null) return false;
  const mode = Number(mark.split(" ")[0]) & 0o777;
  if (link !== null) await symlink(link, target);
  else if (bytes !== null) await writeFile(target, bytes, { mode, flag: "wx" });
  else {
    // Shares the blocks where the file system can.
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const now = await lstat(source, { bigint: true }).catch(() => null);
    if (now !== null && markOf(now) === mark) return true;
    await rm(target, { force: true });
    throw new Error("it changed since the run began, and is too large to have been kept");
  }
  return true;
}

/** Whether the folders on the way to a file are folders, from the top one on; with `make` those that are missing are made. */
export async function isPlainWay(top: string, file: string, make: boolean): Promise<boolean> {
  const parts = file.split("/").slice(0, -1);
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = join(top, ...parts.slice(0, depth));
    if (make && depth > 0) await mkdir(folder).catch(() => undefined);
    if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return false;
  }
  return true;
}

/**
 * The text of a file as a person left it: what commits of loops made of it counts from the person's next change on, committed
 * or not. Null: they have no such file.
 */
export async function personsText(git: Git, folder: string, path: string): Promise<string | null> {
  const text = textAt(join(folder, path));
  if (text === null) return null;
  const here = git.with({ cwd: folder, env: LITERAL });
  const logged = await here.run(["log", "--topo-order", "--no-notes", "-z", "--format=%H%n%B", "--", path]);
  const commits = fieldsOf(logged.stdout).map((record) => textOf(record));
  const own = commits.find((record) => !BY_A_LOOP.test(record));
  if (own === commits[0] || !(await here.run(["diff", "--quiet", "HEAD", "--", path])).ok) return text;
  if (own === undefined) return null;
  const shown = await here.run(["show", `${own.split("\n", 1)[0]}:./${path}`]);
  return shown.ok ? textOf(shown.stdout) : null;
}

/** A trailer of commit-message.ts, or of a squashed commit. */
const BY_A_LOOP = /^Aot-[A-Za-z]+: /m;
