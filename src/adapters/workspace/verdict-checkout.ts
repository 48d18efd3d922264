/**
 * Makes the checkout of a verdict, and keeps it as it was made while checks run in it (SPEC section 6).
 *
 * VERDICT-CHECKOUT-1 no check sees what an earlier one did to the commit's files or to the clone's settings: it is put back;
 * VERDICT-CHECKOUT-2 a protected file that a check changed or removed is `tampered`, and what one added beside them goes.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../host/write-failure.ts";
import type { Workspace } from "../../loop/ports.ts";
import { alignedFiles, isSame } from "./aligned-files.ts";
import { GITLINK } from "./change.ts";
import { cleanClone, writeSettings, type CloneStock } from "./clean-clone.ts";
import { commitFiles, linksOut, listingOf, markOf, statOf, type CommitFiles, type Listing } from "./commit-files.ts";
import { bytesIn, createGit, fieldsOf, must, textOf, type Git } from "./git.ts";
import { protectedIn } from "./protected-files.ts";
import { named } from "./repository.ts";
import { fillSubmodules, type OwnCheckout } from "./submodule.ts";
import { exists, projectIn } from "./slot.ts";

export interface VerdictOptions {
  readonly stock: CloneStock;
  /** Folder that does not exist yet. */
  readonly dir: string;
  readonly commit: string;
  /** Commit before the loop's first: what is there already is not copied from a store that is borrowed. */
  readonly base: string;
  /** What protected files are compared with; null: something else tells how they were. */
  readonly aligned: string | null;
  /** Where the project lies in the repository. */
  readonly prefix: string;
  readonly own: OwnCheckout;
  /** By a path from the top folder. */
  readonly isProtected: (path: string) => boolean;
  /** `objective.protected`. */
  readonly globs: readonly string[];
  /** The name that a file of the repository has in the project. */
  readonly shown: (path: string) => string;
}

interface Checkout extends Awaited<ReturnType<Workspace["checkout"]>> {
  /** Another commit with the same files, above the same base. @param git of the repository that has it */
  moveTo(git: Git, commit: string): Promise<void>;
}

/** A repository of the checkout: the clone, or a submodule in it. */
interface Part {
  readonly git: Git;
  readonly dir: string;
  /** Ends with a slash, or is empty; bytes. */
  readonly prefix: string;
  readonly commit: string;
  readonly entries: Listing;
  readonly files: CommitFiles;
}

/** @throws WorkspaceError when the commit cannot be cloned; the folder is gone then */
export async function verdictCheckout(options: VerdictOptions): Promise<Checkout> {
  const { stock, dir, commit, base, aligned, prefix, own } = options;
  const git = await cleanClone(stock, dir, { commit, also: [base, ...(aligned === null ? [] : [aligned])] });
  const release = async (): Promise<void> => {
    if (!(await removeTree(dir))) own.note(`The folder ${dir} could not be removed; it is not needed any more.`);
  };
  try {
    await fillSubmodules(createGit({ cwd: dir }), dir, own);
    const { tree, entries } = await listingOf(git, commit);
    const { parts, wrong, converted } = await partsOf(git, { dir, commit, entries, prefix: "" });
    const tampered = aligned === null ? [] : await differingFrom(git, aligned, { entries, converted }, options);
    const index = join(await gitDirOf(git), "aot-index");
    const side = { git, dir, index, entries, shown: options.shown };
    const agreed = aligned === null ? null : await alignedFiles({ ...side, aligned });
    const failed = wrong.length === 0 ? {} : { failed: unlike(wrong.map((path) => options.shown(textOf(path)))) };
    return {
      dir: await projectIn({ dir }, prefix),
      commit,
      tree,
      tampered: tampered.map(options.shown),
      links_out: linksOut(dir, entries),
      ...failed,
      ...(agreed === null ? {} : { agreed: agreed.files }),
      ...keeper(options, parts, agreed),
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function unlike(paths: readonly string[]): string {
  return `the checkout is not as its commit: ${named(paths)}. A filter, or a line ending, that git cannot take back changed them on the way out`;
}

async function partsOf(
  git: Git,
  { dir, commit, entries, prefix }: Pick<Part, "dir" | "commit" | "entries" | "prefix">,
): Promise<{
  readonly parts: readonly Part[];
  readonly wrong: readonly string[];
  readonly converted: readonly string[];
}> {
  const { files, wrong, converted } = await commitFiles(git, dir, entries);
  const parts: Part[] = [{ git, dir, commit, entries, prefix, files }];
  const bad = wrong.map((path) => prefix + path);
  for (const [path, { mode, oid }] of entries) {
    const inside = join(dir, textOf(path));
    if (mode !== GITLINK || !(await exists(join(inside, ".git")))) continue;
    const there = createGit({ cwd: inside });
    const listed = await listingOf(there, oid);
    const below = await partsOf(there, {
      dir: inside,
      commit: oid,
      entries: listed.entries,
      prefix: `${prefix}${path}/`,
    });
    parts.push(...below.parts);
    bad.push(...below.wrong);
  }
  return { parts, wrong: bad, converted };
}

/** The protected files that are not as at the alignment, by their content or by what git makes of it. */
async function differingFrom(
  git: Git,
  aligned: string,
  { entries, converted }: { readonly entries: Listing; readonly converted: readonly string[] },
  { isProtected, globs }: VerdictOptions,
): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const before = (await listingOf(git, aligned)).entries;
  const differ = (path: string): boolean => !isSame(before.get(path), entries.get(path));
  const paths = [...new Set([...before.keys(), ...entries.keys()])].filter(differ);
  const found = new Set(paths.map(textOf).filter(isProtected));
  const due = converted.filter((path) => isProtected(textOf(path)));
  if (due.length > 0 && paths.some((path) => /(?:^|\/)\.gitattributes$/.test(path)))
    for (const path of await attributedAnew(git, aligned, due)) found.add(textOf(path));
  return [...found];
}

/** Line endings are none: which a line has is the work's affair, and it says the same. */
const CONVERTING = ["ident", "filter", "working-tree-encoding"];

/** Of these paths those that the attributes of the aligned commit would have made something else of. */
async function attributedAnew(git: Git, aligned: string, paths: readonly string[]): Promise<readonly string[]> {
  const input = paths.map((path) => `${path}\0`).join("");
  const ask = ["check-attr", "-z", "--stdin"];
  const env = { GIT_INDEX_FILE: join(await gitDirOf(git), "aot-index") };
  await must(git, ["read-tree", aligned], { env });
  const before = fieldsOf(await must(git, [...ask, "--cached", ...CONVERTING], { env, input }));
  const now = fieldsOf(await must(git, [...ask, ...CONVERTING], { input }));
  return now.filter((_, place) => place % 3 === 0 && before[place + 2] !== now[place + 2]);
}

async function gitDirOf(git: Git): Promise<string> {
  return textOf(await must(git, ["rev-parse", "--absolute-git-dir"]));
}

/** VERDICT-CHECKOUT-1, VERDICT-CHECKOUT-2. */
function keeper(
  options: VerdictOptions,
  parts: readonly Part[],
  agreed: Pick<NonNullable<Awaited<ReturnType<typeof alignedFiles>>>, "clear" | "rewritten"> | null,
): Pick<Checkout, "settle" | "between" | "moveTo"> {
  const { dir, stock, shown, isProtected } = options;
  let { commit } = options;
  let others = othersIn(options, parts);
  let copies: ReadonlySet<string> = new Set();
  const made = new Map<string, Buffer>();
  return {
    moveTo: async (git, other) => {
      const here = createGit({ cwd: dir });
      const above = await must(git, ["rev-list", "--reverse", other, `^${options.base}`]);
      for (const one of above.split("\n")) {
        // To the byte: its name is computed here.
        const { stdout: input } = await git.run(["cat-file", "commit", one]);
        await must(here, ["hash-object", "-t", "commit", "-w", "--stdin"], { input });
      }
      await must(here, ["cat-file", "-e", other]);
      commit = other;
      await writeSettings(stock, join(dir, ".git"), commit);
    },
    settle: async (copied) => {
      copies = new Set(copied);
      for (const { files, dir: folder, prefix } of parts)
        for (const path of await files.settle()) {
          const bytes = contentAt(folder, path);
          if (bytes !== null) made.set(prefix + path, bytes);
        }
      // What a set-up makes of a test is not what was agreed.
      agreed?.rewritten([...made.keys()]);
      others = othersIn(options, parts);
    },
    between: async () => {
      const gitDir = join(dir, ".git");
      for (const name of ["refs", "hooks"]) await rm(join(gitDir, name), { recursive: true, force: true });
      await writeSettings(stock, gitDir, commit);
      agreed?.clear();
      const changed = await putBack(parts, made);
      const now = othersIn(options, parts);
      const lost = [...others].flatMap(([path, mark]) =>
        now.get(path) !== mark && copies.has(textOf(path)) ? [textOf(path)] : [],
      );
      for (const path of now.keys())
        if (!others.has(path)) rmSync(bytesIn(dir, path), { recursive: true, force: true });
      const paths = changed.put_back.map(textOf);
      return {
        put_back: paths.map(shown),
        tampered: [...paths.filter(isProtected), ...lost].map(shown),
        stuck: changed.stuck.map(textOf).map(shown),
      };
    },
  };
}

async function putBack(
  parts: readonly Part[],
  made: ReadonlyMap<string, Buffer>,
): Promise<{ readonly put_back: readonly string[]; readonly stuck: readonly string[] }> {
  const found: string[] = [];
  const stuck: string[] = [];
  for (const { git, dir, prefix, commit, files } of parts) {
    const changed = await files.changed();
    if (changed.length === 0) continue;
    const env = { GIT_INDEX_FILE: join(await gitDirOf(git), "aot-index") };
    await git.run(["read-tree", commit], { env });
    const input = changed.map((path) => `${path}\0`).join("");
    await git.run(["checkout-index", "-f", "-q", "-z", "--stdin"], { env, input });
    for (const path of changed) {
      const bytes = made.get(prefix + path);
      if (bytes !== undefined) writeFileSync(bytesIn(dir, path), bytes);
    }
    found.push(...changed.map((path) => prefix + path));
    stuck.push(...(await files.changed()).map((path) => prefix + path));
  }
  return { put_back: found, stuck };
}

function contentAt(dir: string, path: string): Buffer | null {
  try {
    return readFileSync(bytesIn(dir, path));
  } catch (error) {
    errnoOf(error);
    return null;
  }
}

/** What `protected` names and no commit holds: by path (bytes), how it can be recognised. */
function othersIn({ dir, globs, isProtected }: VerdictOptions, parts: readonly Part[]): ReadonlyMap<string, string> {
  const entries = parts[0]?.entries;
  const paths = protectedIn(dir, globs, isProtected).filter((path) => entries?.has(path) !== true);
  return new Map(
    paths.map((path) => {
      const stat = statOf(dir, path);
      return [path, stat === null ? "" : markOf(stat)];
    }),
  );
}
