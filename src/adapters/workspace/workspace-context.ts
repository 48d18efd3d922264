/** What the functions of the workspace share, and how it is put together. */
import { realpath } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { worktreesOf } from "../../host/loop-paths.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import type { Workspace } from "../../loop/ports.ts";
import { protectedBy } from "./change.ts";
import type { CloneStock } from "./clean-clone.ts";
import { lineRepository, ownLine, type LineRepository } from "./line-repository.ts";
import type { CommitStyle } from "./commit-style.ts";
import type { Handing } from "./handed-commits.ts";
import type { CheckoutWatch } from "./checkout-watch.ts";
import { lineRefs, readRefs, type IntegrationLine } from "./integration-line.ts";
import type { KeepTools } from "./keep-work.ts";
import { ownFiles } from "./own-files.ts";
import type { PlaceTools } from "./place-work.ts";
import { projectPath } from "./aligned-commit.ts";
import { WorkspaceError, type WorkspaceProblem } from "./problem.ts";
import { atLeast, type Repository } from "./repository.ts";
import { createSlotPool } from "./slot-pool.ts";
import { scratchIndexes } from "./scratch-index.ts";
import { createQueue, type Queue } from "./queue.ts";
import { changesInside } from "./submodule.ts";
import { mergeInObjects, mergeInFolder } from "./tree-merge.ts";
import { safeName, scratchPrefix } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";
import { exists, type Slot } from "./slot.ts";

interface Active {
  readonly slot: Slot;
  readonly base: string;
}

/** All that the workspace's functions share. `line` is there once it is open. */
export interface WorkspaceContext extends KeepTools, PlaceTools {
  readonly options: GitWorkspaceOptions;
  /** The person's. */
  readonly repository: Repository;
  /** The loop's own. */
  readonly home: LineRepository;
  readonly parent: string;
  readonly queue: Queue;
  /** For what starts many programs: with more at once than there are processors all would be as late as the last. */
  readonly few: Queue;
  readonly active: Map<string, Active>;
  readonly checkouts: Set<Pick<Awaited<ReturnType<Workspace["checkout"]>>, "release">>;
  readonly notes: string[];
  readonly number: () => number;
  readonly noteOnce: (text: string) => void;
  line: IntegrationLine | null;
  /** Of a verdict's checkout; null: not open yet. */
  stock: CloneStock | null;
  /** How the person's git makes commits; null: not open yet, or nobody's checkout. */
  style: CommitStyle | null;
  /** Makes the commits that the person gets; null: not open yet, or they are the loop's own. */
  handing: Handing | null;
  /** Of the person's checkout; null: not open yet, or nobody's checkout. */
  watch: CheckoutWatch | null;
}

/** A git branch `aot` or `aot/<loop>` leaves no space for `aot/<loop>/integration`. */
export async function branchInTheWay({ git, root }: Repository, branch: string): Promise<WorkspaceProblem | null> {
  const above = [branch.split("/").slice(0, 1).join("/"), branch.split("/").slice(0, 2).join("/")];
  const found = await readRefs(
    git,
    above.map((name) => `refs/heads/${name}`),
  );
  const taken = above.find((name) => found.has(`refs/heads/${name}`));
  if (taken === undefined) return null;
  return {
    code: "branch_in_the_way",
    message: `${root} has a branch named ${taken}, so that no branch ${branch} can be made.`,
    hint: `Rename it: git branch -m ${taken} <other-name>`,
  };
}

/** Puts it together; makes the loop's own folder and nothing else. */
export async function prepare(options: GitWorkspaceOptions, repository: Repository): Promise<WorkspaceContext> {
  const { root, prefix } = repository;
  const refs = lineRefs(safeName(options.loop));
  const home = options.watched === false ? ownLine(repository) : lineRepository(repository, refs);
  const { git, dir: gitDir } = home;
  makeOwnFolder(options.dir);
  const dir = await realpath(options.dir);
  const parent = join(worktreesOf(dir), safeName(options.loop));
  const scratch = join(gitDir, "aot-scratch");
  let count = 0;
  const number = (): number => ++count;
  const objects = options.merging === undefined ? atLeast(repository.version, 2, 38) : options.merging === "objects";
  const notes: string[] = [];
  const shown = projectPath(prefix);
  const isProtected = protectedBy(options.protected);
  const note = (text: string): void => {
    notes.push(text);
    options.onNote?.(text);
  };
  const reported = new Set<string>();
  const noteOnce = (text: string): void => {
    if (!reported.has(text)) note(text);
    reported.add(text);
  };
  const unique = (): string => `${safeName(options.run)}-${number()}`;
  const aside = (): string => `${scratchPrefix(refs.own)}${unique()}`;
  const slots = { git, gitDir, parent };
  return {
    options,
    repository,
    home,
    ...slots,
    refs,
    merger: objects ? mergeInObjects(git) : mergeInFolder(slots, () => join(parent, aside())),
    pool: createSlotPool({ ...slots, aside, note }),
    shown,
    isProtected: (path) => isProtected(shown(path)),
    inside: async (tree, changes) =>
      options.protected.length === 0
        ? []
        : await changesInside(git, join(repository.commonDir, "modules"), tree, changes),
    own: ownFiles(root, await resolvedFile(options.stateFile), dir, prefix),
    scratchIndex: scratchIndexes(scratch, unique),
    attic: join(dir, "kept", safeName(options.loop)),
    queue: createQueue(),
    few: createQueue(Math.max(2, availableParallelism())),
    active: new Map(),
    checkouts: new Set(),
    notes,
    number,
    note,
    noteOnce,
    line: null,
    stock: null,
    style: null,
    handing: null,
    watch: null,
  };
}

/** The path with its folder's links resolved; the file itself may not exist. */
export async function resolvedFile(file: string): Promise<string> {
  const folder = await realpath(resolve(file, "..")).catch(() => resolve(file, ".."));
  return join(folder, basename(file));
}

/** @throws Error before `open()`: a misuse */
export function lineOf(context: WorkspaceContext): IntegrationLine {
  if (context.line === null) throw new Error("the workspace is not open: call open() first");
  return context.line;
}

/** @throws Error before `open()`: a misuse */
export function stockOf({ stock }: WorkspaceContext): CloneStock {
  if (stock === null) throw new Error("the workspace is not open: call open() first");
  return stock;
}

/** Says plainly when the cause of a failure is that the repository itself is gone, or what the file system said; rethrows all else. */
export async function explain(context: WorkspaceContext, error: unknown): Promise<never> {
  const { repository, home, line } = context;
  const dirs = line === null ? [repository.commonDir] : [repository.commonDir, home.dir];
  const isThere = await Promise.all(dirs.map((dir) => exists(join(dir, "HEAD"))));
  const gone = dirs[isThere.indexOf(false)];
  if (error instanceof WorkspaceError && gone !== undefined) {
    throw new WorkspaceError({
      code: "repository_gone",
      message: `The git repository ${gone} is gone or damaged.`,
      hint: "Restore it (from a clone or a backup), then run again.",
    });
  }
  if (error instanceof Error && "path" in error && "code" in error)
    throw new WorkspaceError({
      code: "files_in_the_way",
      message: `The loop's own files could not be used: ${error.message}.`,
      hint: "Look at what is there, remove it if it is not yours, then run again.",
    });
  throw error;
}
