/**
 * How a verdict's checkout differs from the aligned commit, and its files as they were there (SPEC section 6). Paths are seen
 * from the project.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import type { AlignedFiles } from "../../loop/ports.ts";
import { errnoOf } from "../../host/write-failure.ts";
import { GITLINK, type TreeEntry } from "./change.ts";
import { listingOf, type Listing } from "./commit-files.ts";
import { bytesIn, must, textOf, type Git } from "./git.ts";

export interface AlignedSide {
  /** Works in the checkout. */
  readonly git: Git;
  readonly dir: string;
  /** Path of an index that nobody else uses. */
  readonly index: string;
  /** The commit of the alignment. */
  readonly aligned: string;
  readonly entries: Listing;
  readonly shown: (path: string) => string;
}

export function isSame(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

/**
 * @returns also `clear`, which takes out again what `replace` added beside the commit's files; null: the aligned commit is not there
 * @throws WorkspaceError when its objects are not what their names say
 */
export async function alignedFiles({
  git,
  dir,
  index,
  aligned,
  entries,
  shown,
}: AlignedSide): Promise<{ readonly files: AlignedFiles; clear(): void } | null> {
  if (!(await git.run(["cat-file", "-e", `${aligned}^{commit}`])).ok) return null;
  const listed = (await listingOf(git, aligned)).entries;
  const before = new Map([...listed].filter(([, { mode }]) => mode !== GITLINK));
  const bytesOf = new Map([...before.keys(), ...entries.keys()].map((path) => [shown(textOf(path)), path]));
  const added = new Set<string>();
  return {
    files: {
      changed: [...bytesOf].flatMap(([path, bytes]) =>
        isSame(before.get(bytes), entries.get(bytes)) || entries.get(bytes)?.mode === GITLINK ? [] : [path],
      ),
      all: [...entries.keys()].map((path) => shown(textOf(path))),
      before: async (path) => {
        const entry = before.get(bytesOf.get(path) ?? "");
        return entry === undefined ? null : await must(git, ["cat-file", "blob", entry.oid]);
      },
      now: (path) => contentOf(dir, bytesOf.get(path) ?? path),
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
    clear: () => {
      for (const path of added) rmSync(bytesIn(dir, path), { recursive: true, force: true });
      added.clear();
    },
  };
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

function contentOf(dir: string, path: string): string | null {
  try {
    return readFileSync(bytesIn(dir, path), "latin1");
  } catch (error) {
    errnoOf(error);
    return null;
  }
}
