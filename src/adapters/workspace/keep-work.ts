/** Keeps the work of an attempt that is not integrated as its branch (PORTS-1), and removes its folder. */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { shelveMessage } from "./commit-message.ts";
import type { KeptWork } from "../../loop/ports.ts";
import { textOf, type Git } from "./git.ts";
import { ignoredInWords } from "./ignored-work.ts";
import { updateRefs } from "./integration-line.ts";
import { snapshot, type SnapshotTools } from "./snapshot.ts";
import { commitTree } from "./tree-merge.ts";
import { safeName } from "./workspace-name.ts";
import { exists, type Worktree } from "./worktree.ts";
import type { WorktreePool } from "./worktree-pool.ts";

export interface KeepTools extends SnapshotTools {
  /** Takes the folders. */
  readonly pool: WorktreePool;
  readonly note: (text: string) => void;
  /** A path as seen from the project; absent: the project is the repository. */
  readonly shown?: (path: string) => string;
}

/**
 * @param base commit that the attempt started from
 * @returns the branch, or null if there was nothing to keep
 */
export async function keepWork(
  tools: KeepTools,
  worktree: Worktree,
  { base, title, reason }: { readonly base: string; readonly title: string; readonly reason: string },
): Promise<string | null> {
  const { git, refs } = tools;
  const branch = `refs/heads/${refs.attempts}${worktree.name}`;
  const found = await snapshot(tools, worktree, base);
  if (found.kind === "tree" && found.ignored !== null) {
    const { shown = (path: string) => path } = tools;
    tools.note(`${title}: ${ignoredInWords(found.ignored, shown)}.`);
  }
  const heads = await ownCommits(git, worktree, branch, base);
  if (found.kind === "tree" && found.changes.length === 0 && heads.length === 0) {
    await discard(tools, worktree);
    return null;
  }
  if (found.kind === "unreadable" && (await exists(worktree.dir))) return setAside(tools, worktree, found.reason);
  if (found.kind === "unreadable" && heads.length === 0) {
    await discard(tools, worktree);
    return null;
  }
  const tree = found.kind === "tree" ? found.tree : `${heads[0]}^{tree}`;
  const commit = await commitTree(git, tree, heads.length > 0 ? heads : [base], shelveMessage(title, reason));
  await updateRefs(git, [`update ${branch} ${commit}`]);
  await tools.pool.give(worktree);
  return `${refs.attempts}${worktree.name}`;
}

/** What keeps the work of these attempts, by attempt id. @param tip of the line, which each of them began on */
export async function keptWork(
  tools: Pick<KeepTools, "git" | "refs">,
  attempts: readonly string[],
  tip: string,
): Promise<ReadonlyMap<string, KeptWork>> {
  const { git } = tools;
  const found = new Map<string, KeptWork>();
  for (const [attempt, name] of await keptBranches(tools, attempts)) {
    const at = await git.run(["rev-parse", "-q", "--verify", `refs/heads/${name}^{commit}`]);
    const commit = at.stdout.trim();
    const base = await git.run(["merge-base", tip, commit]);
    const diff = base.ok ? await git.run([...DIFF, base.stdout.trim(), commit, "--"]) : base;
    const known = at.ok ? { commit: commit.slice(0, 12) } : {};
    found.set(attempt, { name, ...known, ...(diff.ok ? { diff: textOf(diff.stdout).trimEnd() } : {}) });
  }
  return found;
}

const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U2"] as const;

/** The branches that keep the work of these attempts, by attempt id: of each the newest name. */
export async function keptBranches(
  { git, refs }: Pick<KeepTools, "git" | "refs">,
  attempts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const listed = await git.run(["for-each-ref", "--format=%(refname:lstrip=2)", `refs/heads/${refs.attempts}`]);
  if (!listed.ok) return new Map();
  const branches = listed.stdout.split("\n");
  return new Map(
    attempts.flatMap((attempt) => {
      const [, atom = "", number = ""] = /^(.+)\.(\d+)$/s.exec(attempt) ?? [];
      const name = `${refs.attempts}${safeName(atom)}-${number}-`;
      const kept = atom === "" ? undefined : branches.findLast((branch) => branch.startsWith(name));
      return kept === undefined ? [] : [[attempt, kept] as const];
    }),
  );
}

/** Removes an attempt's folder and branch: there is nothing in them that is not elsewhere. */
export async function discard(tools: KeepTools, worktree: Worktree): Promise<void> {
  await updateRefs(tools.git, [`delete refs/heads/${tools.refs.attempts}${worktree.name}`]);
  await tools.pool.give(worktree);
}

/** Where the agent's own commits end: the worktree's HEAD and the attempt's branch, if they are not the base. */
async function ownCommits(git: Git, worktree: Worktree, branch: string, base: string): Promise<string[]> {
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { env: { GIT_DIR: worktree.admin } });
  const tip = await git.run(["rev-parse", "-q", "--verify", `${branch}^{commit}`]);
  const commits = new Set([head, tip].filter((answer) => answer.ok).map((answer) => answer.stdout.trim()));
  commits.delete(base);
  return [...commits];
}

/** Files that git cannot read are kept as they are. */
async function setAside(tools: KeepTools, worktree: Worktree, reason: string): Promise<string> {
  const kept = join(tools.attic, `${worktree.name}.folder`);
  makeOwnFolder(tools.attic);
  await rename(tools.pool.changesOf(worktree)?.upper ?? worktree.dir, kept);
  await tools.pool.give(worktree);
  tools.note(`The work of ${worktree.name} could not be committed (${reason}); its folder is kept at ${kept}.`);
  return kept;
}
