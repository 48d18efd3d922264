/**
 * How a verdict's checkout differs from the aligned commit, and its files as they were there (SPEC section 6). Paths are seen
 * from the project.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import type { AlignedFiles } from "../../verdict/agreed-files.ts";
import { errnoOf } from "../../host/write-failure.ts";
import { borrowedFor } from "./borrowed.ts";
import { GITLINK, isSame } from "./change.ts";
import { verifyBlobs, type Listing } from "./commit-files.ts";
import { bytesIn, fieldsOf, must, textOf, type Git } from "./git.ts";

export interface AlignedSide {
  /** Works in the checkout. */
  readonly git: Git;
  readonly dir: string;
  /** Path of an index that nobody else uses. */
  readonly index: string;
  /** The commit of the alignment. */
  readonly aligned: string;
  readonly before: Listing;
  readonly entries: Listing;
  readonly shown: (path: string) => string;
}

/**
 * @returns also `clear`, which takes out again what `replace` added beside the commit's files, and `rewritten`, which is told of files
 *    (bytes) that are not the commit's any more
 * @throws WorkspaceError when its objects are not what their names say
 */
export async function alignedFiles({ git, dir, index, aligned, before: listed, entries, shown }: AlignedSide): Promise<{
  readonly files: AlignedFiles;
  clear(): void;
  rewritten(paths: readonly string[]): void;
}> {
  const before = new Map([...listed].filter(([, { mode }]) => mode !== GITLINK));
  const bytesOf = new Map([...before.keys(), ...entries.keys()].map((path) => [shown(textOf(path)), path]));
  const added = new Set<string>();
  const changed = [...bytesOf].flatMap(([path, bytes]) =>
    isSame(before.get(bytes), entries.get(bytes)) || entries.get(bytes)?.mode === GITLINK ? [] : [path],
  );
  await verifyBlobs(git, [...new Set(changed.flatMap((path) => before.get(bytesOf.get(path) ?? "")?.oid ?? []))]);
  return {
    files: {
      changed,
      all: [...entries.keys()].map((path) => shown(textOf(path))),
      had: (path) => Promise.resolve(before.has(bytesOf.get(path) ?? "")),
      before: async (path) => {
        const entry = before.get(bytesOf.get(path) ?? "");
        return entry === undefined ? null : await must(git, ["cat-file", "blob", entry.oid]);
      },
      holding: async (pattern, among) => {
        const paths = among?.flatMap((path) => bytesOf.get(path) ?? []);
        return (await holdingAt(git, aligned, pattern, paths)).map((path) => shown(textOf(path)));
      },
      now: (path) => contentOf(dir, bytesOf.get(path) ?? path),
      borrowed: (name, file) => borrowedFor(dir, name, bytesIn(dir, bytesOf.get(file) ?? file).toString()),
      replace: async (files) => {
        const own = [...files].map(([path, text]) => [bytesOf.get(path) ?? path, text] as const);
        for (const [path] of own) if (!entries.has(path)) added.add(path);
        for (const [path, text] of own) if (text !== null) write(dir, path, text);
        const back = own.flatMap(([path, text]) => (text === null ? [path] : []));
        for (const path of back) if (!before.has(path)) rmSync(bytesIn(dir, path), { recursive: true, force: true });
        const there = back.filter((path) => before.has(path));
        await takeOut(git, { dir, index, aligned }, there);
      },
    },
    rewritten: (paths) =>
      changed.push(...paths.map((path) => shown(textOf(path))).filter((path) => !changed.includes(path))),
    clear: () => {
      for (const path of added) rmSync(bytesIn(dir, path), { recursive: true, force: true });
      added.clear();
    },
  };
}

/** The files of a commit whose text holds something; paths are bytes. @param among absent: all */
export async function holdingAt(
  git: Git,
  commit: string,
  pattern: string,
  among?: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let from = 0; from < (among?.length ?? 1); from += AT_ONCE) {
    const some = among === undefined ? [] : ["--", ...among.slice(from, from + AT_ONCE).map(textOf)];
    const args = ["--literal-pathspecs", "grep", "-l", "-z", "-I", "-E", "-e", pattern, commit, ...some];
    // Nothing is found with exit code 1.
    found.push(...fieldsOf((await git.run(args)).stdout).map((line) => line.slice(commit.length + 1)));
  }
  return found;
}

async function takeOut(
  git: Git,
  { dir, index, aligned }: Pick<AlignedSide, "dir" | "index" | "aligned">,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const env = { GIT_INDEX_FILE: index };
  await git.run(["read-tree", aligned], { env });
  await git.run(["checkout-index", "-f", "-q", "-z", "--stdin"], {
    env,
    input: paths.map((path) => `${path}\0`).join(""),
  });
  for (const path of paths) later(dir, path);
}

function write(dir: string, path: string, text: string): void {
  const to = bytesIn(dir, path);
  // What is there may be a link, or a file that others share.
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to.subarray(0, to.lastIndexOf("/")), { recursive: true });
  writeFileSync(to, text, "latin1");
  later(dir, path);
}

/** Arguments of one call. */
const AT_ONCE = 500;
const LATER_S = 2;

/** Caches of compiled files go by size and by the second of the last change. */
function later(dir: string, path: string): void {
  const at = bytesIn(dir, path);
  try {
    const { mtimeMs } = lstatSync(at);
    utimesSync(at, mtimeMs / 1_000 + LATER_S, mtimeMs / 1_000 + LATER_S);
  } catch (error) {
    errnoOf(error);
  }
}

const MOST_TEXT = 8 * 1024 * 1024;

function contentOf(dir: string, path: string): string | null {
  try {
    if (lstatSync(bytesIn(dir, path)).size > MOST_TEXT) return null;
    return readFileSync(bytesIn(dir, path), "latin1");
  } catch (error) {
    errnoOf(error);
    return null;
  }
}
