/**
 * Attempts in git worktrees of the person's repository (SPEC section 7; contract W1-W4 of the port).
 *
 * Work goes from a worktree's files to a tree, is merged in the object store, and moves the integration branch by
 * compare and swap; no step needs the person's checkout or index.
 */
import { rmdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import type { Outcome } from "../../core/state.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import type { Integration, Workspace } from "../../loop/ports.ts";
import { whyNoAlignment } from "./aligned-commit.ts";
import { changesBetween } from "./change.ts";
import { revertMessage } from "./commit-message.ts";
import { watchCheckout, type CheckoutChanges } from "./checkout-watch.ts";
import { branchInTheWay, explain, lineOf, prepare, resolvedFile } from "./git-ground.ts";
import type { Ground } from "./git-ground.ts";
import { handOver } from "./hand-over.ts";
import { integratedWork, readHistory, revertsIn } from "./history.ts";
import type { Entry } from "./history.ts";
import { ignoredInWords } from "./ignored-work.ts";
import { lineRefs, openLine, updateRefs } from "./integration-line.ts";
import { discard, keepWork, removeFolder } from "./keep-work.ts";
import { excludeOnce } from "./own-files.ts";
import { placeWork } from "./place-work.ts";
import { WorkspaceError } from "./problem.ts";
import type { WorkspaceProblem, WorkspaceResult } from "./problem.ts";
import { dropVerified, verifiedMark } from "./past-loops.ts";
import {
  changedSinceRecord,
  differing,
  digestsOf,
  firstCheckout,
  readRecord,
  type Digests,
} from "./protected-record.ts";
import { dirtyFiles, findRepository, named } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { snapshot } from "./snapshot.ts";
import { keepStartIndex } from "./start-index.ts";
import { fillSubmodules, ownCheckout } from "./submodule.ts";
import { removeStaleLocks, sweep } from "./sweep.ts";
import { takeOut } from "./take-out.ts";
import { commitTree, treeOf } from "./tree-merge.ts";
import { attemptName, safeName, scratchPrefix } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";
import { addWorktree, finishRemovals, projectIn } from "./worktree.ts";

/**
 * A workspace of worktrees, or why there can be none (git missing or too old, no repository, no commit, bare,
 * the commit of the alignment is not there).
 * Nothing in the repository is changed before `open()`. Its methods reject with `WorkspaceError` where the run cannot go on.
 */
export async function createGitWorkspace(options: GitWorkspaceOptions): Promise<WorkspaceResult<Workspace>> {
  const repository = await findRepository(options.root);
  if (!repository.ok) return repository;
  const refs = lineRefs(safeName(options.loop));
  const blocked = await branchInTheWay(repository.value, refs.branch);
  const wrong = blocked ?? (await whyNotComparable(options, repository.value));
  if (wrong !== null) return { ok: false, problem: wrong };
  const ground = await prepare(options, repository.value);
  return { ok: true, value: workspaceOn(ground) };
}

async function whyNotComparable(
  options: GitWorkspaceOptions,
  repository: Repository,
): Promise<WorkspaceProblem | null> {
  if (options.alignedCommit === undefined || options.protected.length === 0) return null;
  return await whyNoAlignment(repository, options.alignedCommit);
}

function workspaceOn(ground: Ground): Workspace {
  const guarded = <T>(task: Promise<T>): Promise<T> => task.catch((error: unknown) => explain(ground, error));
  return {
    kind: "worktrees",
    slots: Infinity,
    open: () => guarded(open(ground)),
    start: (attempt) => guarded(start(ground, attempt)),
    integrate: (attempt, work) => guarded(integrate(ground, attempt, work)),
    shelve: (attempt, reason) => guarded(shelve(ground, attempt, reason)),
    revert: (atoms, reason) => guarded(ground.queue(() => revert(ground, atoms, reason))),
    checkout: () => guarded(checkout(ground)),
    tampered: () => guarded(tampered(ground)),
    finish: (outcome) => guarded(ground.queue(() => finish(ground, outcome))),
    close: () => guarded(close(ground)),
  };
}

async function open(ground: Ground): ReturnType<Workspace["open"]> {
  const { repository, commonDir, refs } = ground;
  makeOwnFolder(ground.parent);
  makeOwnFolder(ground.scratch);
  await excludeOnce(commonDir, ground.own.excludes);
  await removeStaleLocks(commonDir, refs);
  await finishRemovals(commonDir);
  ground.line = await openLine(ground, { branch: repository.branch, commit: repository.head });
  const { base } = ground.line;
  const tip = ground.line.tip();
  const history = await readHistory(ground.git, base, tip);
  const kept = await sweep(ground, ground.parent, tip, workspacesIn(history));
  if (kept.length > 0) ground.note(`Work of an earlier run that had not been settled is kept on ${named(kept)}.`);
  const dropped = await dropVerified(ground.git, refs);
  if (dropped !== null) ground.note(dropped);
  const dirty = await dirtyFiles(ground.git, ground.own);
  if (dirty.length > 0) ground.note(`Not committed, so attempts do not see it: ${named(dirty.map(ground.shown))}.`);
  if (ground.options.watched !== false) await watch(ground, dirty);
  const integrated = await integratedWork(ground.git, history, ground.shown);
  return { base, tip, integrated, reverts: revertsIn(history), notes: ground.notes.splice(0) };
}

/** What changed before this run, and nobody accepted, is told before anything is spent. */
async function watch(ground: Ground, dirty: readonly string[]): Promise<void> {
  const { repository, options, own, refs, git } = ground;
  const { root, gitDir, commonDir, head } = repository;
  const { accept_checkout: accept = false } = options;
  const written = await Promise.all((options.written ?? []).map(resolvedFile));
  const { dir } = options;
  const place = { root, gitDir, commonDir, head, git, own, dir, loop: refs.own };
  ground.watch = await watchCheckout({ ...place, dirty, accept, written });
  const { changed } = ground.watch.earlier ? await ground.watch.changes() : { changed: [] };
  if (changed.length > 0)
    ground.note(
      `Changed in your checkout since an earlier run began: ${named(changed.map(ground.shown))}. A check may look there, so this run cannot end as verified: \`aot run --accept-checkout\` takes your checkout as it is.`,
    );
}

function workspacesIn(history: readonly Entry[]): Set<string> {
  return new Set(history.flatMap(({ message }) => (message.kind === "work" ? [message.trailers.workspace] : [])));
}

async function start(ground: Ground, attempt: Attempt): Promise<{ readonly dir: string }> {
  if (ground.active.has(attempt.id)) throw new Error(`attempt ${attempt.id} has been started already`);
  const base = lineOf(ground).tip();
  const wanted = attemptName(attempt, ground.options.run);
  for (let copy = 1; copy <= 50; copy++) {
    const name = copy === 1 ? wanted : `${wanted}.${copy}`;
    const worktree = await addWorktree(ground.git, join(ground.parent, name), {
      branch: `${ground.refs.attempts}${name}`,
      commit: base,
      name,
    });
    if (worktree === null) continue;
    ground.active.set(attempt.id, { worktree, base });
    await fillSubmodules(ground.git, worktree.dir, ownCheckout(ground.repository, ground.noteOnce));
    await keepStartIndex(ground, worktree);
    const dir = await projectIn(worktree, ground.repository.prefix);
    const { alignedCommit = lineOf(ground).base, protected: globs } = ground.options;
    ground.aligned ??= firstCheckout(ground.options, alignedCommit, () => digestsOf(dir, globs));
    await ground.aligned;
    return { dir };
  }
  throw new WorkspaceError({
    code: "git_failed",
    message: `There is no free name for a worktree ${wanted} in ${ground.parent}.`,
    hint: "Remove that folder and the branches of the same name, then run again.",
  });
}

async function integrate(
  ground: Ground,
  attempt: Attempt,
  work: Parameters<Workspace["integrate"]>[1],
): Promise<Integration> {
  const active = ground.active.get(attempt.id);
  if (active === undefined) return { kind: "failed", reason: `attempt ${attempt.id} has no workspace` };
  const { worktree, base } = active;
  // Folders are read side by side; only the merges wait for each other (W3).
  const { prefix } = ground.repository;
  const reading = snapshot(
    ground,
    worktree,
    base,
    work.artifacts.map((path) => (isAbsolute(path) ? path : `${prefix}${path}`)),
  );
  reading.catch(() => undefined);
  const result = await ground.queue(async (): Promise<Integration> => {
    const found = await reading;
    if (found.kind === "unreadable") return { kind: "failed", reason: found.reason };
    const also = [`delete refs/heads/${ground.refs.attempts}${worktree.name}`];
    return placeWork(ground, lineOf(ground), {
      attempt,
      ...work,
      name: worktree.name,
      base,
      tree: found.tree,
      changes: found.changes,
      also,
    });
  });
  if (result.kind === "failed") return result;
  const named = { ...result, files: result.files.map(ground.shown) };
  if (named.kind !== "integrated") return named;
  const found = await reading;
  const ignored = found.kind === "tree" ? found.ignored : null;
  ground.active.delete(attempt.id);
  await (named.commit === null ? discard(ground, worktree) : removeFolder(ground, worktree));
  if (ignored === null) return named;
  const files = [...ignored.files, ...ignored.left].map(ground.shown);
  return { ...named, ignored: { files, message: ignoredInWords(ignored, ground.shown) } };
}

async function shelve(ground: Ground, attempt: Attempt, reason: string): Promise<{ readonly kept: string | null }> {
  const active = ground.active.get(attempt.id);
  if (active === undefined) return { kept: null };
  ground.active.delete(attempt.id);
  return { kept: await keepWork(ground, active.worktree, { base: active.base, title: attempt.id, reason }) };
}

async function revert(ground: Ground, atoms: readonly string[], reason: string): ReturnType<Workspace["revert"]> {
  const line = lineOf(ground);
  const history = await readHistory(ground.git, line.base, line.tip());
  const rest = await takeOut(ground, line.base, history, atoms);
  if (rest === null) return { commit: null, lost: [] };
  const commit = await commitTree(ground.git, rest.tree, [line.tip()], revertMessage(atoms, rest.lost, reason));
  await line.advance(commit);
  return { commit, lost: rest.lost };
}

async function checkout(ground: Ground): ReturnType<Workspace["checkout"]> {
  const commit = lineOf(ground).tip();
  const tree = await treeOf(ground.git, commit);
  const name = `${scratchPrefix(ground.refs.own)}${safeName(ground.options.run)}-${ground.number()}`;
  const worktree = await addWorktree(ground.git, join(ground.parent, name), { branch: null, commit, name });
  if (worktree === null)
    throw new WorkspaceError({
      code: "git_failed",
      message: `${join(ground.parent, name)} is taken.`,
      hint: "Remove that folder, then run again.",
    });
  ground.checkouts.add(worktree);
  let dir: string;
  let tampered: readonly string[];
  const release = async (): Promise<void> => {
    if (ground.checkouts.delete(worktree)) await removeFolder(ground, worktree);
  };
  try {
    await fillSubmodules(ground.git, worktree.dir, ownCheckout(ground.repository, ground.noteOnce));
    dir = await projectIn(worktree, ground.repository.prefix);
    tampered = await changedOnTheWay(ground, dir);
  } catch (error) {
    await release();
    throw error;
  }
  const strayed = async (): Promise<readonly string[]> => (await changesIn(ground)).changed.map(ground.shown);
  return { dir, commit, tree, tampered, strayed, release };
}

/**
 * The commit may be the right one and its checkout not: an agent can reach the repository's settings, attributes and
 * objects. So the files are compared as they come out.
 */
async function changedOnTheWay({ aligned, options }: Ground, dir: string): Promise<readonly string[]> {
  const { protected: globs, root } = options;
  const record = await recordOf(options);
  if (record !== null) return await changedSinceRecord(record, dir, root, globs);
  return aligned === null ? [] : differing(await aligned, await digestsOf(dir, globs));
}

/** Of a goal that was aligned outside git: no commit tells how its protected files were. */
async function recordOf({ dir, protected: globs, alignedCommit }: GitWorkspaceOptions): Promise<Digests | null> {
  return alignedCommit === undefined ? await readRecord(dir, globs) : null;
}

async function tampered(ground: Ground): Promise<readonly string[]> {
  if (ground.options.protected.length === 0) return [];
  // `checkout` compares with the record.
  if ((await recordOf(ground.options)) !== null) return [];
  const line = lineOf(ground);
  const changes = await changesBetween(ground.git, ground.options.alignedCommit ?? line.base, line.tip());
  return changes
    .map((change) => change.path)
    .filter((path) => ground.isProtected(path) && !ground.own.includes(path))
    .map(ground.shown);
}

async function finish(ground: Ground, outcome: Outcome): ReturnType<Workspace["finish"]> {
  const { refs, options, shown, repository } = ground;
  // The person's checkout, whatever the repository's settings say of it by now (W4).
  const git = ground.git.with({ env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: repository.root } });
  // An agent can leave its worktree; what it writes in the checkout was never judged.
  const { changed, harmless } = await changesIn(ground);
  const stray = changed.map(shown);
  // Before the hand-over changes it.
  if (changed.length === 0) ground.watch?.forget();
  if (outcome === "verified") await updateRefs(ground.git, [verifiedMark(refs, lineOf(ground).tip())]);
  const handed = await handOver(git, { refs, line: lineOf(ground) }, outcome, {
    place: repository,
    merge: options.merge ?? true,
    stray,
  });
  if (harmless.length === 0) return handed;
  const told = `Changed in your checkout during the run, which forbids nothing: ${named(harmless.map(shown))}. If you did not work there, a check or an agent looks at your folder instead of its own.`;
  return { ...handed, message: `${told} ${handed.message}` };
}

async function changesIn({ watch }: Ground): Promise<CheckoutChanges> {
  return (await watch?.changes()) ?? { changed: [], harmless: [] };
}

async function close(ground: Ground): Promise<void> {
  for (const [id, { worktree, base }] of ground.active) {
    ground.active.delete(id);
    await keepWork(ground, worktree, { base, title: id, reason: "The run ended before this attempt was settled." });
  }
  for (const worktree of ground.checkouts) {
    ground.checkouts.delete(worktree);
    await removeFolder(ground, worktree);
  }
  // Every goal has a folder of its own; one in which something stays is looked at by the next run.
  await rmdir(ground.parent).catch(() => undefined);
}
