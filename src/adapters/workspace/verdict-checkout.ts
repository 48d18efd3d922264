/**
 * Makes the checkout of a verdict, and keeps it as it was made while checks run in it (SPEC section 6).
 *
 * VERDICT-CHECKOUT-1 no check sees what an earlier one did to the commit's files or to the clone's settings: it is put back;
 * VERDICT-CHECKOUT-2 a protected file that a check changed or removed is `tampered`, and what one added beside them goes.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../../loop/ports.ts";
import { alignedFiles, type AlignedSide } from "./aligned-files.ts";
import { GITLINK, isSame } from "./change.ts";
import { cleanClone, layOut, type CloneStock } from "./clean-clone.ts";
import {
  commitFiles,
  linksOut,
  listingOf,
  markOf,
  statOf,
  verifyBlobs,
  type CommitFiles,
  type Listed,
} from "./commit-files.ts";
import { bytesIn, createGit, fieldsOf, must, textOf, type Git } from "./git.ts";
import { protectedIn } from "./protected-files.ts";
import { named } from "./repository.ts";
import { fillSubmodules, type OwnCheckout } from "./submodule.ts";
import { exists, projectIn } from "./slot.ts";
import type { WorkspaceContext } from "./workspace-context.ts";

export interface VerdictOptions {
  readonly stock: CloneStock;
  /** Folder that does not exist yet. */
  readonly dir: string;
  readonly commit: string;
  /** What protected files are compared with; null: something else tells how they were. */
  readonly aligned: string | null;
  /** Where the project lies in the repository. */
  readonly prefix: string;
  readonly own: OwnCheckout;
  /** By a path from the top folder. */
  readonly isProtected: (path: string) => boolean;
  /** `objective.protected`. */
  readonly globs: readonly string[];
  /** What differs in submodules. */
  readonly inside: WorkspaceContext["inside"];
  /** The name that a file of the repository has in the project. */
  readonly shown: (path: string) => string;
}

interface Checkout extends Awaited<ReturnType<Workspace["checkout"]>> {
  /** Another commit with the same files. */
  moveTo(commit: string): Promise<void>;
}

/** A repository of the checkout: the clone, or a submodule in it. */
interface Part {
  /** Ends with a slash, or is empty; bytes. */
  readonly prefix: string;
  readonly listed: Listed;
  readonly files: CommitFiles;
}

/** @throws WorkspaceError when the commit cannot be cloned; the folder is gone then */
export async function verdictCheckout(options: VerdictOptions): Promise<Checkout> {
  const { stock, dir, commit, aligned, prefix, own, shown } = options;
  const git = await cleanClone(stock, dir, commit);
  const release = async (): Promise<void> => {
    if (!(await removeTree(dir))) own.note(`The folder ${dir} could not be removed; it is not needed any more.`);
  };
  try {
    await fillSubmodules(createGit({ cwd: dir }), dir, own);
    const [top, ...inside] = await partsOf(git, dir, commit);
    const { tree, entries } = top.listed;
    const parts = [top, ...inside];
    const index = join(dir, ".git", "aot-aligned");
    const isThere = aligned !== null && (await git.run(["cat-file", "-e", `${aligned}^{commit}`])).ok;
    const before = isThere ? (await listingOf(git, aligned, index)).entries : null;
    const wrong = parts.flatMap(({ files, prefix: folder }) => files.wrong.map((path) => folder + path));
    const side = before === null || aligned === null ? null : { git, dir, index, aligned, before, entries, shown };
    const tampered = side === null ? [] : await differingFrom(side, options);
    const agreed = side === null ? null : await alignedFiles(side);
    return {
      dir: await projectIn({ dir }, prefix),
      commit,
      tree,
      tampered: tampered.map(shown),
      links_out: linksOut(dir, entries),
      ...(wrong.length === 0 ? {} : { failed: unlike(wrong.map((path) => shown(textOf(path)))) }),
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

/** Itself, then the submodules in it. */
async function partsOf(git: Git, dir: string, commit: string, prefix = ""): Promise<[Part, ...Part[]]> {
  const gitDir = textOf(await must(git, ["rev-parse", "--absolute-git-dir"]));
  const listed = await listingOf(git, commit, join(gitDir, "aot-index"));
  const below: Part[] = [];
  for (const [path, { mode, oid }] of listed.entries) {
    const inside = join(dir, textOf(path));
    if (mode === GITLINK && (await exists(join(inside, ".git"))))
      below.push(...(await partsOf(createGit({ cwd: inside }), inside, oid, `${prefix}${path}/`)));
  }
  const files = await commitFiles(git, gitDir);
  // Not a filter's doing, but another object in the place of the commit's.
  await verifyBlobs(
    git,
    files.wrong.flatMap((path) => listed.entries.get(path)?.oid ?? []),
  );
  return [{ prefix, listed, files }, ...below];
}

/** The protected files that are not as at the alignment, by their content or by what git makes of it. */
async function differingFrom(
  { git, index, aligned, before, entries }: AlignedSide,
  { isProtected, globs, commit, inside }: VerdictOptions,
): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const differ = (path: string): boolean => !isSame(before.get(path), entries.get(path));
  const paths = [...new Set([...before.keys(), ...entries.keys()])].filter(differ);
  const changes = paths.map((path) => ({
    path: textOf(path),
    old: before.get(path) ?? NOTHING,
    now: entries.get(path) ?? NOTHING,
  }));
  const found = new Set([...changes.map(({ path }) => path), ...(await inside(commit, changes))].filter(isProtected));
  if (!paths.some((path) => /(?:^|\/)\.gitattributes$/.test(path))) return [...found];
  // What the attributes of the aligned commit would have made something else of: of files that came out otherwise than they are kept.
  const all = [...entries.keys()].filter((path) => isProtected(textOf(path)) && !path.includes("\n"));
  const raw = await git.run(["hash-object", "--no-filters", "--stdin-paths"], {
    input: all.map((path) => `${path}\n`).join(""),
  });
  const ids = raw.stdout.split("\n");
  const due = all.filter((path, place) => !raw.ok || ids[place] !== entries.get(path)?.oid);
  const input = due.map((path) => `${path}\0`).join("");
  const ask = ["check-attr", "-z", "--stdin"];
  const env = { GIT_INDEX_FILE: index };
  await must(git, ["read-tree", aligned], { env });
  const then = fieldsOf(await must(git, [...ask, "--cached", ...CONVERTING], { env, input }));
  const now = fieldsOf(await must(git, [...ask, ...CONVERTING], { input }));
  now.forEach((path, place) => {
    if (place % 3 === 0 && then[place + 2] !== now[place + 2]) found.add(textOf(path));
  });
  return [...found];
}

const NOTHING = { mode: "000000", oid: "" };
/** Line endings are none: which a line has is the work's affair, and it says the same. */
const CONVERTING = ["ident", "filter", "working-tree-encoding"];

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
  const gitDir = join(dir, ".git");
  const lostIn = (now: typeof others): readonly string[] =>
    [...others]
      .filter(([path, mark]) => now.get(path) !== mark)
      .map(([path]) => textOf(path))
      .filter((path) => copies.has(path));
  return {
    moveTo: async (other) => {
      commit = other;
      await layOut(stock, gitDir, commit);
    },
    settle: async (copied) => {
      const lost = lostIn(othersIn(options, parts));
      copies = new Set(copied);
      const made: string[] = [];
      for (const { files, prefix } of parts) made.push(...(await files.settle()).map((path) => prefix + path));
      // What a set-up makes of a test is not what was agreed.
      agreed?.rewritten(made);
      others = othersIn(options, parts);
      return [...made.map(textOf).filter(isProtected), ...lost].map(shown);
    },
    between: async () => {
      for (const name of ["refs", "hooks"]) await rm(join(gitDir, name), { recursive: true, force: true });
      await layOut(stock, gitDir, commit);
      agreed?.clear();
      const found: Record<"put_back" | "stuck", string[]> = { put_back: [], stuck: [] };
      for (const { files, prefix } of parts) {
        const { put_back, stuck } = await files.restore();
        found.put_back.push(...put_back.map((path) => textOf(prefix + path)));
        found.stuck.push(...stuck.map((path) => textOf(prefix + path)));
      }
      const now = othersIn(options, parts);
      const lost = lostIn(now);
      for (const path of now.keys())
        if (!others.has(path)) rmSync(bytesIn(dir, path), { recursive: true, force: true });
      return {
        put_back: found.put_back.map(shown),
        tampered: [...found.put_back.filter(isProtected), ...lost].map(shown),
        stuck: found.stuck.map(shown),
      };
    },
  };
}

/** What `protected` names and no commit holds: by path (bytes), how it can be recognised. */
function othersIn({ dir, globs, isProtected }: VerdictOptions, parts: readonly Part[]): ReadonlyMap<string, string> {
  const entries = parts[0]?.listed.entries;
  const paths = protectedIn(dir, globs, isProtected).filter((path) => entries?.has(path) !== true);
  return new Map(
    paths.map((path) => {
      const stat = statOf(dir, path);
      return [path, stat === null ? "" : markOf(stat)];
    }),
  );
}
