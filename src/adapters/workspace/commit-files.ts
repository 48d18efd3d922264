/**
 * Whether a checkout is its commit, file by file and by bytes: no index is asked, and no object is believed to be what its
 * name says (SPEC section 6).
 *
 * COMMIT-FILES-1 names are bytes, and the ids of files, trees and commit are computed here;
 * COMMIT-FILES-2 a file that a filter or a line ending made different is the commit's when git, with the settings of the
 *    checkout, makes the commit's of it again;
 * COMMIT-FILES-3 later looks read only files whose size, times, inode or mode changed: the time of the last change of an inode
 *    cannot be set by a program.
 */
import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readFileSync, readlinkSync, realpathSync, type BigIntStats } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { errnoOf } from "../../host/write-failure.ts";
import { GITLINK, type TreeEntry } from "./change.ts";
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

/** The files of a commit. @throws WorkspaceError when they are not those that its id stands for (COMMIT-FILES-1) */
export async function listingOf(git: Git, commit: string): Promise<Listed> {
  const said = await must(git, ["cat-file", "commit", commit]);
  const entries = entriesIn(await must(git, ["ls-tree", "-r", "-z", "--full-tree", commit]));
  const tree = /^tree ([0-9a-f]+)\n/.exec(said)?.[1] ?? "";
  // `must` trims; a commit's last line ends, or does not.
  const isCommit = [said, `${said}\n`].some((text) => idOf("commit", Buffer.from(text, "latin1"), commit) === commit);
  if (!isCommit || treeId(entries, commit) !== tree)
    throw new WorkspaceError({
      code: "git_failed",
      message: `The objects of commit ${commit.slice(0, 10)} are not what their names say: somebody rewrote them in the repository.`,
      hint: "`git fsck --full` names them; bring the true ones back (`git fetch`, a backup), then run again.",
    });
  return { tree, entries };
}

function idOf(kind: string, content: Buffer, like: string): string {
  return hashLike(like).update(`${kind} ${content.length}\0`).update(content).digest("hex");
}

function hashLike(id: string): ReturnType<typeof createHash> {
  return createHash(id.length === 64 ? "sha256" : "sha1");
}

type Folder = Map<string, Folder | TreeEntry>;

function treeId(entries: Listing, like: string): string {
  const top: Folder = new Map();
  for (const [path, entry] of entries) {
    const parts = path.split("/");
    let at = top;
    for (const part of parts.slice(0, -1)) {
      const next = at.get(part);
      const folder: Folder = next instanceof Map ? next : new Map();
      at.set(part, folder);
      at = folder;
    }
    at.set(parts.at(-1) ?? "", entry);
  }
  return folderId(top, like);
}

function folderId(folder: Folder, like: string): string {
  // git sorts a folder as if its name ended with a slash; one character is one byte here.
  const named = [...folder].map(([name, child]) => ({ name, child, key: child instanceof Map ? `${name}/` : name }));
  named.sort((a, b) => (a.key < b.key ? -1 : 1));
  const parts = named.flatMap(({ name, child }) => {
    const [mode, oid] = child instanceof Map ? ["40000", folderId(child, like)] : [child.mode, child.oid];
    return [Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(oid, "hex")];
  });
  return idOf("tree", Buffer.concat(parts), like);
}

/** What is at a path: how it can be recognised without reading it, and what it holds. */
interface Seen {
  readonly mark: string;
  readonly kind: "file" | "program" | "link" | "folder" | "none";
  /** As git would name its bytes; empty where there are none. */
  readonly oid: string;
}

/** The files of a checkout, as they are meant to be. */
export interface CommitFiles {
  /** The paths (bytes) that are not as they were; sets nothing right. */
  changed(): Promise<readonly string[]>;
  /** They are meant to be as they are now: a set-up made them so. */
  settle(): Promise<readonly string[]>;
}

/**
 * @param dir the checkout's top folder
 * @param git works there, with its settings
 * @returns files, and the paths (bytes) that are not the commit's
 */
export async function commitFiles(
  git: Git,
  dir: string,
  entries: Listing,
): Promise<{ readonly files: CommitFiles; readonly wrong: readonly string[]; readonly converted: readonly string[] }> {
  const seen = new Map<string, Seen>();
  const unlike: string[] = [];
  await slowly(entries, async ([path, entry]) => {
    const now = await look(dir, path, entry.oid);
    seen.set(path, now);
    if (!isOf(entry, now)) unlike.push(path);
  });
  const same = await convertedBack(git, unlike, entries, seen);
  const differing = async (): Promise<readonly (readonly [string, Seen])[]> => {
    const found: (readonly [string, Seen])[] = [];
    await slowly(seen, async ([path, before]) => {
      const stat = statOf(dir, path);
      if (stat !== null && before.mark !== "" && markOf(stat) === before.mark) return;
      const now = await look(dir, path, entries.get(path)?.oid ?? "");
      if (now.kind !== before.kind || now.oid !== before.oid) found.push([path, now]);
      else seen.set(path, now);
    });
    return found;
  };
  return {
    wrong: unlike.filter((path) => !same.has(path)),
    converted: [...same],
    files: {
      changed: async () => (await differing()).map(([path]) => path),
      settle: async () => {
        const found = await differing();
        for (const [path, now] of found) seen.set(path, now);
        return found.map(([path]) => path);
      },
    },
  };
}

const SLICE_MS = 15;

async function slowly<T>(all: Iterable<T>, each: (one: T) => Promise<void>): Promise<void> {
  let began = performance.now();
  for (const one of all) {
    await each(one);
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}

/** A change in the same tick of the file system's clock leaves no mark. */
const TICK_MS = 20;

async function look(dir: string, path: string, like: string): Promise<Seen> {
  const stat = statOf(dir, path);
  if (stat === null) return { mark: "", kind: "none", oid: "" };
  const mark = Date.now() - Number(stat.ctimeMs) < TICK_MS ? "" : markOf(stat);
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(bytesIn(dir, path), { encoding: "buffer" });
    return { mark, kind: "link", oid: idOf("blob", target, like) };
  }
  if (stat.isDirectory()) return { mark: "", kind: "folder", oid: "" };
  if (!stat.isFile()) return { mark: "", kind: "none", oid: "" };
  const kind = (stat.mode & 0o100n) === 0n ? "file" : "program";
  const oid = await contentId(bytesIn(dir, path), stat.size, like);
  return { mark, kind, oid };
}

/** From so many on a file is read in pieces. */
const LARGE_BYTES = 1024 * 1024;

async function contentId(path: Buffer, size: bigint, like: string): Promise<string> {
  const hash = hashLike(like).update(`blob ${size}\0`);
  try {
    if (size < LARGE_BYTES) return hash.update(readFileSync(path)).digest("hex");
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    return errnoOf(error);
  }
  return hash.digest("hex");
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

/** Links are files, and files no programs, where the file system has neither. */
function isOf({ mode, oid }: TreeEntry, { kind, oid: now }: Seen): boolean {
  if (mode === GITLINK) return kind === "folder";
  const isWindows = process.platform === "win32";
  const expected = mode === "120000" ? "link" : mode === "100755" ? "program" : "file";
  return oid === now && (kind === expected || (isWindows && kind !== "folder"));
}

/** COMMIT-FILES-2. The paths whose files git would make the entries of. @param seen how the files are now */
export async function convertedBack(
  git: Git,
  paths: readonly string[],
  entries: Listing,
  seen: ReadonlyMap<string, Pick<Seen, "kind">>,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  const plain = paths.filter((path) => {
    const kind = seen.get(path)?.kind;
    const mode = entries.get(path)?.mode;
    if (kind !== "file" && kind !== "program") return false;
    const isWindows = process.platform === "win32" && mode?.startsWith("100") === true;
    return isWindows || mode === (kind === "program" ? "100755" : "100644");
  });
  const lines = plain.filter((path) => !path.includes("\n"));
  if (lines.length === 0) return same;
  const answer = await git.run(["hash-object", "--stdin-paths"], { input: lines.map((path) => `${path}\n`).join("") });
  const found = answer.stdout.split("\n");
  lines.forEach((path, place) => {
    if (found[place] === entries.get(path)?.oid) same.add(path);
  });
  return same;
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
