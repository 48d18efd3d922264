/**
 * Whether a checkout is its commit, file by file: no index is believed that a program could write, and no object to be what its name
 * says (SPEC section 6).
 *
 * COMMIT-FILES-1 names are bytes, and files, trees and commit are named anew by what they hold;
 * COMMIT-FILES-2 a file that a filter or a line ending made different is the commit's when git, with the settings of the
 *    checkout, makes the commit's of it again;
 * COMMIT-FILES-3 later looks read only files whose size, times, inode or mode changed: the time of the last change of an inode
 *    cannot be set by a program.
 */
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, realpathSync, type BigIntStats } from "node:fs";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { errnoOf } from "../../host/write-failure.ts";
import { blobsOf, type TreeEntry } from "./change.ts";
import { bytesIn, fieldsOf, must, textOf, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";

/** By path from the top folder, one character per byte. */
export type Listing = ReadonlyMap<string, TreeEntry>;

export interface Listed {
  readonly tree: string;
  readonly entries: Listing;
}

/** What `git ls-tree -z` says. */
export function entriesIn(listed: string): Listing {
  const entries = fieldsOf(listed).map((field) => {
    const [mode = "", , oid = ""] = field.slice(0, field.indexOf("\t")).split(" ");
    return [field.slice(field.indexOf("\t") + 1), { mode, oid }] as const;
  });
  return new Map(entries);
}

/**
 * The files of a commit.
 * @param index path of an index that nobody else uses
 * @throws WorkspaceError when they are not those that its id stands for (COMMIT-FILES-1)
 */
export async function listingOf(git: Git, commit: string, index: string): Promise<Listed> {
  const here = git.with({ env: { GIT_INDEX_FILE: index } });
  const { stdout: said } = await git.run(["cat-file", "commit", commit]);
  const listed = await must(git, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  await rm(index, { force: true });
  await must(here, ["update-index", "-z", "--index-info"], { input: listed });
  const tree = await must(here, ["write-tree", "--missing-ok"]);
  if (idOf("commit", said, commit) !== commit || !said.startsWith(`tree ${tree}\n`)) throw rewritten(commit);
  return { tree, entries: entriesIn(listed) };
}

/** Contents that no checkout shows. @throws WorkspaceError when one is not what its name says (COMMIT-FILES-1) */
export async function verifyBlobs(git: Git, oids: readonly string[]): Promise<void> {
  for (let from = 0; from < oids.length; from += AT_ONCE) {
    for (const [oid, bytes] of await blobsOf(git, oids.slice(from, from + AT_ONCE)))
      if (idOf("blob", bytes, oid) !== oid) throw rewritten(oid);
  }
}

const AT_ONCE = 100;

function idOf(kind: string, content: string, like: string): string {
  const hash = createHash(like.length === 64 ? "sha256" : "sha1").update(`${kind} ${content.length}\0`);
  return hash.update(content, "latin1").digest("hex");
}

function rewritten(oid: string): WorkspaceError {
  return new WorkspaceError({
    code: "git_failed",
    message: `The objects of ${oid.slice(0, 10)} are not what their names say: somebody rewrote them in the repository.`,
    hint: "`git fsck --full` names them; bring the true ones back (`git fetch`, a backup), then run again.",
  });
}

/** The files of a checkout, as they are meant to be. Paths are bytes. */
export interface CommitFiles {
  /** Those that are not their commit's. */
  readonly wrong: readonly string[];
  /** Puts those back that are not as they are meant to be. */
  restore(): Promise<Readonly<Record<"put_back" | "stuck", readonly string[]>>>;
  /** They are meant to be as they are now: a set-up made them so. @returns those that it changed */
  settle(): Promise<readonly string[]>;
}

/** Seconds: of an index that is so old git reads all files again. */
const OLD_S = 1;

/**
 * To be called before any program has been there: git's index of the checkout is kept where no program reaches.
 * @param git works there, with its settings
 * @param gitDir of the checkout
 */
export async function commitFiles(git: Git, gitDir: string): Promise<CommitFiles> {
  const index = join(gitDir, "aot-index");
  const here = git.with({ env: { GIT_INDEX_FILE: index } });
  let bytes = await readFile(join(gitDir, "index"));
  let written_s = Math.floor((await stat(join(gitDir, "index"))).mtimeMs / 1_000);
  const show = async (time_s: number): Promise<void> => {
    await rm(index, { recursive: true, force: true });
    await writeFile(index, bytes);
    await utimes(index, time_s, time_s);
  };
  const keep = async (): Promise<void> => {
    bytes = await readFile(index);
    written_s = Math.floor((await stat(index)).mtimeMs / 1_000);
  };
  const listed = async (): Promise<readonly string[]> =>
    fieldsOf(await must(here, ["diff-files", "-z", "--name-only", "--ignore-submodules=all"]));
  const changed = async (): Promise<readonly string[]> => {
    await show(written_s);
    await here.run(["update-index", "-q", "--refresh"]);
    await keep();
    return await listed();
  };
  await show(OLD_S);
  return {
    wrong: await listed(),
    restore: async () => {
      const put_back = await changed();
      if (put_back.length === 0) return { put_back, stuck: [] };
      await here.run(["checkout-index", "-f", "-q", "-z", "--stdin"], { input: linesOf(put_back) });
      return { put_back, stuck: await changed() };
    },
    settle: async () => {
      const made = await changed();
      await must(here, ["update-index", "--remove", "-z", "--stdin"], { input: linesOf(made) });
      await keep();
      return made;
    },
  };
}

function linesOf(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join("");
}

/** Null: nothing is there, or it cannot be read. @param path bytes */
export function statOf(dir: string, path: string): BigIntStats | null {
  try {
    return lstatSync(bytesIn(dir, path), { bigint: true });
  } catch (error) {
    errnoOf(error);
    return null;
  }
}

/** Another one after each change of a file, whatever its owner does. */
export function markOf({ mode, size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${mode} ${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}

/** Links of a checkout that lead out of it, as people read them. */
export function linksOut(dir: string, entries: Listing): readonly string[] {
  const top = realpathSync(dir);
  return [...entries].flatMap(([path, { mode }]) => {
    const there = mode === "120000" ? bytesIn(dir, path) : null;
    if (there === null || statOf(dir, path)?.isSymbolicLink() !== true) return [];
    const target = readlinkSync(there, { encoding: "latin1" });
    return leadsOut(top, path, target) ? [`${textOf(path)} -> ${textOf(target)}`] : [];
  });
}

function leadsOut(top: string, path: string, target: string): boolean {
  try {
    const end = realpathSync(bytesIn(top, path), { encoding: "utf8" });
    return end !== top && !end.startsWith(join(top, "/"));
  } catch (error) {
    // Nothing is there: what it would be is read off its words.
    errnoOf(error);
  }
  const way = relative(top, resolve(top, textOf(path), "..", textOf(target)));
  return way.split(/[\\/]/)[0] === ".." || isAbsolute(way);
}
