/**
 * Attempts in slots of the loop's own repository (SPEC section 7; contract PORTS-1 to 4 of the port).
 *
 * Work goes from a slot's files to a tree, is merged in the object store, and moves the integration branch by compare and swap. The
 * person's repository is met when the run opens (what is needed is borrowed) and when it ends (the loop's refs, the result).
 */
import { rmdir, writeFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import type { BaseCase, Outcome } from "../../core/state.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import type { Integration, Workspace } from "../../loop/ports.ts";
import { whyNoAlignment } from "./aligned-commit.ts";
import { changesBetween } from "./change.ts";
import { revertMessage } from "./commit-message.ts";
import { takeStock } from "./clean-clone.ts";
import { watchCheckout } from "./checkout-watch.ts";
import {
  branchInTheWay,
  explain,
  lineOf,
  stockOf,
  prepare,
  resolvedFile,
  type WorkspaceContext,
} from "./workspace-context.ts";
import { readCommitStyle } from "./commit-style.ts";
import { importedRepository, writingBack } from "./folder-repository.ts";
import { removeFreshFolder } from "./fresh-folder.ts";
import { createHanding, type Handed } from "./handed-commits.ts";
import { handOver } from "./hand-over.ts";
import { integratedWork, readHistory, revertsIn, workAtEnd } from "./history.ts";
import { ignoredInWords } from "./ignored-work.ts";
import { withMeanwhile } from "./meanwhile.ts";
import { lineRefs, openLine, removeLocks, updateRefs } from "./integration-line.ts";
import { discard, keepWork, keptWork } from "./keep-work.ts";
import { odditiesOf } from "./odd-repository.ts";
import { createGit } from "./git.ts";
import { excludeOnce } from "./own-files.ts";
import { placeWork } from "./place-work.ts";
import { hooked, type Hooked } from "./project-hooks.ts";
import { reachedFiles } from "./reached-files.ts";
import { WorkspaceError, type WorkspaceResult } from "./problem.ts";
import { dirtyFiles, named, TYPED_IN_FOLDER } from "./repository.ts";
import { snapshot } from "./snapshot.ts";
import { fillSubmodules, ownCheckout, unpushedIn } from "./submodule.ts";
import { removeDeadLock, sweep } from "./sweep.ts";
import { treeWithout } from "./tree-without.ts";
import { commitTree } from "./tree-merge.ts";
import { attemptName, safeName, scratchPrefix } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";
import { verdictCheckout } from "./verdict-checkout.ts";
import { inSlot, projectIn, slotsIn, type PlacedWorkspace } from "./slot.ts";

/**
 * A workspace of slots, or why there can be none (git missing or too old, no commit, bare, the commit of the alignment is not
 * there). A folder in no repository is imported. Nothing else is changed before `open()`. Its methods reject with `WorkspaceError`
 * where the run cannot go on.
 */
export async function createGitWorkspace(options: GitWorkspaceOptions): Promise<WorkspaceResult<PlacedWorkspace>> {
  const context = await contextFor(options);
  return context.ok ? { ok: true, value: workspaceOn(context.value) } : context;
}

/** The same, before it is one. */
export async function contextFor(options: GitWorkspaceOptions): Promise<WorkspaceResult<WorkspaceContext>> {
  const notes: string[] = [];
  const repository = await importedRepository(options.root, options.stateFile, (text) => notes.push(text));
  if (!repository.ok) return repository;
  const { root, typed } = repository.value;
  const refs = lineRefs(safeName(options.loop));
  const blocked = await branchInTheWay(repository.value, refs.branch);
  const wrong = blocked ?? (await whyNoAlignment(repository.value, options));
  if (wrong !== null) return { ok: false, problem: wrong };
  const context = await prepare(options, repository.value);
  if (typed === TYPED_IN_FOLDER)
    notes.unshift(
      `${root} is not in a git repository: the loop keeps one of its own of it, \`${typed}\`, and writes verified work back.`,
    );
  for (const text of notes) context.note(text);
  return { ok: true, value: context };
}

export function workspaceOn(context: WorkspaceContext): PlacedWorkspace {
  const guarded = <T>(task: Promise<T>): Promise<T> => task.catch((error: unknown) => explain(context, error));
  return {
    open: () => guarded(open(context)),
    start: (attempt) => guarded(context.few(() => start(context, attempt))),
    integrate: (attempt, work) => guarded(integrate(context, attempt, work)),
    shelve: (attempt, reason) => guarded(shelve(context, attempt, reason)),
    kept: (attempts) => guarded(keptWork(context, attempts, lineOf(context).tip())),
    revert: (atoms, reason) => guarded(context.queue(() => revert(context, atoms, reason))),
    checkout: (use) => guarded(checkout(context, use)),
    finish: (outcome, prepare) => guarded(context.queue(() => finish(context, outcome, prepare))),
    close: () => guarded(close(context)),
    placeOf: (attempt) => {
      const active = context.active.get(attempt);
      if (active === undefined) return null;
      return { slot: active.slot, here: inSlot(context, active.slot), commit: active.base };
    },
  };
}

async function open(context: WorkspaceContext): ReturnType<Workspace["open"]> {
  const { repository, home, refs, options } = context;
  if (options.watched !== false) {
    for (const oddity of await odditiesOf(repository)) context.note(oddity);
    // Nobody's git makes commits in a folder that is in no repository.
    if (repository.typed === "git") context.style = await readCommitStyle(repository, options.commits);
  }
  makeOwnFolder(context.parent);
  await excludeOnce(repository.commonDir, context.own.excludes);
  await removeFreshFolder(options.dir);
  await removeLocks(repository.commonDir, [`refs/heads/aot/${refs.loop}`, refs.own]);
  const dead = await removeDeadLock(repository.commonDir);
  if (dead.length > 0) context.note(`Removed ${dead.join(" and ")}: left by a git that died.`);
  const stock = await takeStock(repository);
  context.stock = { ...stock, objects: join(home.dir, "objects") };
  await home.open(stock, [repository.head, options.alignedCommit ?? repository.head]);
  const now = { branch: repository.branch, commit: repository.head };
  context.line = await withMeanwhile(context, now, await openLine(context, now));
  const { line, style } = context;
  if (style !== null) context.handing = createHanding({ ...context, line, style, wishes: options.commits ?? {} });
  const { base } = context.line;
  const tip = context.line.tip();
  const history = await readHistory(context.git, base, tip);
  const integrated = await integratedWork(context.git, history, context.shown);
  const names = history.flatMap(({ message }) => (message.kind === "work" ? [message.trailers.workspace] : []));
  const kept = await sweep(context, tip, new Set(names));
  if (kept.length > 0) context.note(`Work of an earlier run that had not been settled is kept on ${named(kept)}.`);
  if (repository.nameless && repository.typed === "git")
    context.note(
      "git knows no name or address of yours, so commits are by AoT Loop <aot-loop@localhost>. To have your own on them, stop now, then: git config user.name NAME && git config user.email ADDRESS",
    );
  const dirty = await dirtyFiles(repository.git, context.own);
  if (dirty.length > 0) context.note(`Not committed, so attempts do not see it: ${named(dirty.map(context.shown))}.`);
  if (context.options.watched !== false) await watch(context);
  return { base, tip, integrated, reverts: revertsIn(history), notes: context.notes.splice(0) };
}

async function watch(context: WorkspaceContext): Promise<void> {
  const { repository, options, own, refs } = context;
  const { accept_checkout: accept = false, unconfined, dir } = options;
  const written = await Promise.all((options.written ?? []).map(resolvedFile));
  const { deciding } = stockOf(context);
  const how = { accept, written, deciding, reachable: unconfined !== undefined };
  context.watch = await watchCheckout({ ...repository, ...how, own, dir, loop: refs.own });
}

async function start(context: WorkspaceContext, attempt: Attempt): Promise<{ readonly dir: string }> {
  if (context.active.has(attempt.id)) throw new Error(`attempt ${attempt.id} has been started already`);
  const { repository, refs, noteOnce, git } = context;
  const base = lineOf(context).tip();
  const wanted = attemptName(attempt, context.options.run);
  for (let copy = 1; copy <= 50; copy++) {
    const name = copy === 1 ? wanted : `${wanted}.${copy}`;
    const branch = `${refs.attempts}${name}`;
    // It says what the attempt began with, also after a crash.
    if (!(await git.run(["update-ref", `refs/heads/${branch}`, base, ""])).ok) continue;
    const at = { commit: base, branch, stock: stockOf(context) };
    const slot = await context.pool.take(name, at, async ({ dir }) => {
      await fillSubmodules(createGit({ cwd: dir, env: repository.person }), dir, ownCheckout(repository, noteOnce));
    });
    if (slot === null) continue;
    context.active.set(attempt.id, { slot, base });
    return { dir: await projectIn(slot, repository.prefix) };
  }
  throw new WorkspaceError({
    code: "git_failed",
    message: `There is no free name for a folder ${wanted} in ${context.parent}.`,
    hint: "Remove that folder, then run again.",
  });
}

async function integrate(
  context: WorkspaceContext,
  attempt: Attempt,
  work: Parameters<Workspace["integrate"]>[1],
): Promise<Integration> {
  const active = context.active.get(attempt.id);
  if (active === undefined) return { kind: "failed", reason: `attempt ${attempt.id} has no workspace` };
  const { slot, base } = active;
  // Folders are read side by side; only the merges wait for each other (PORTS-3).
  const { prefix } = context.repository;
  const artifacts = work.artifacts.map((path) => (isAbsolute(path) ? path : `${prefix}${path}`));
  const reading = context.few(() => snapshot(context, slot, base, artifacts));
  reading.catch(() => undefined);
  const result = await context.queue(async (): Promise<Integration> => {
    const found = await reading;
    if (found.kind === "unreadable") return { kind: "failed", reason: found.reason };
    const also = [`delete refs/heads/${context.refs.attempts}${slot.name}`];
    return placeWork(context, lineOf(context), {
      attempt,
      ...work,
      name: slot.name,
      base,
      tree: found.tree,
      changes: found.changes,
      also,
    });
  });
  if (result.kind === "failed") return result;
  const named = { ...result, files: result.files.map(context.shown) };
  if (named.kind !== "integrated") return named;
  const found = await reading;
  const ignored = found.kind === "tree" ? found.ignored : null;
  context.active.delete(attempt.id);
  await (named.commit === null ? discard(context, slot) : context.pool.give(slot));
  if (ignored === null) return named;
  const files = [...ignored.files, ...ignored.left].map(context.shown);
  return { ...named, ignored: { files, message: ignoredInWords(ignored, context.shown) } };
}

async function shelve(
  context: WorkspaceContext,
  attempt: Attempt,
  reason: string,
): Promise<{ readonly kept: string | null }> {
  const active = context.active.get(attempt.id);
  if (active === undefined) return { kept: null };
  context.active.delete(attempt.id);
  return { kept: await keepWork(context, active.slot, { base: active.base, title: attempt.id, reason }) };
}

async function revert(
  context: WorkspaceContext,
  atoms: readonly string[],
  reason: string,
): ReturnType<Workspace["revert"]> {
  const line = lineOf(context);
  const history = await readHistory(context.git, line.base, line.tip());
  const end = workAtEnd(history, atoms);
  if (end.length > 0) return await line.leave(end);
  const rest = await treeWithout(context, line.base, history, atoms);
  if (rest === null) return { commit: null, lost: [] };
  const commit = await commitTree(context.git, rest.tree, [line.tip()], revertMessage(atoms, rest.lost, reason));
  await line.advance(commit);
  return { commit, lost: rest.lost };
}

async function checkout(
  context: WorkspaceContext,
  { aligned }: NonNullable<Parameters<Workspace["checkout"]>[0]> = {},
): ReturnType<Workspace["checkout"]> {
  const { options, repository, refs, noteOnce, shown, isProtected, own } = context;
  const name = `${scratchPrefix(refs.own)}${safeName(options.run)}-${context.number()}`;
  const line = lineOf(context);
  const { base } = line;
  const tip = async (): Promise<string> => (await context.handing?.draft()) ?? line.tip();
  const place = await verdictCheckout({
    stock: stockOf(context),
    dir: join(context.parent, name),
    commit: aligned === true ? (options.alignedCommit ?? base) : await tip(),
    aligned: options.alignedCommit ?? line.start.commit,
    prefix: repository.prefix,
    own: ownCheckout(repository, noteOnce),
    isProtected: (path) => isProtected(path) && !own.includes(path),
    globs: options.protected,
    inside: context.inside,
    shown,
  });
  context.checkouts.add(place);
  let included: readonly string[] = [];
  return {
    ...place,
    settle: async (copied) => {
      included = copied;
      return (await place.settle?.(copied)) ?? [];
    },
    handed: async (prepare) => {
      const made = await commitsFor(context, prepare);
      if (!made.ok || made.value.commit === place.commit) return null;
      await place.moveTo(made.value.commit);
      return made.value.commit;
    },
    strayed: async (checks) => (await strayedIn(context, { ...place, included }, checks)).map(shown),
    release: async () => {
      if (context.checkouts.delete(place)) await place.release();
    },
  };
}

async function finish(
  context: WorkspaceContext,
  outcome: Outcome,
  prepare?: Parameters<Workspace["finish"]>[1],
): ReturnType<Workspace["finish"]> {
  const { refs, options, shown, repository } = context;
  // The person's checkout, whatever the repository's settings say of it by now (PORTS-4).
  const git = repository.git.with({ env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: repository.root } });
  // Before the hand-over changes it.
  const stray = ((await context.watch?.changes()) ?? []).map(shown);
  if (stray.length === 0 || outcome === "verified") context.watch?.forget();
  if (outcome === "verified") await updateRefs(context.git, [`update ${refs.own}verified ${lineOf(context).tip()}`]);
  const line = lineOf(context);
  const to = outcome === "verified" && options.merge !== false ? line.tip() : null;
  await context.home.publish();
  const handed = await writingBack(repository, { to, own: context.own }, () =>
    handOver(git, { refs, line }, outcome, {
      place: repository,
      merge: options.merge ?? true,
      stray,
      commits: async () => {
        const made = await commitsFor(context, prepare);
        await context.home.publish();
        return made;
      },
    }),
  );
  // Before the run has ended: nobody would remove later what a killed one left.
  await context.pool.close();
  const changes = outcome === "verified" ? await changesBetween(context.git, line.base, line.tip()) : [];
  const unpushed = await unpushedIn(context.git, join(repository.commonDir, "modules"), line.tip(), changes);
  const first =
    unpushed.length === 0 ? "" : `Push these submodules first; no remote has their commits: ${named(unpushed)}. `;
  return { ...handed, message: first + handed.message };
}

async function commitsFor(
  context: WorkspaceContext,
  prepare: Parameters<Workspace["finish"]>[1] = (place) => Promise.resolve(place),
): Promise<Hooked<Handed>> {
  const { refs, style, handing } = context;
  if (handing === null) return { ok: true, value: { commit: lineOf(context).tip(), branch: refs.branch } };
  const hooks = async (messages: readonly string[]): Promise<Hooked<readonly string[]>> => {
    const place = await checkout(context);
    try {
      return await runHooks(context, await prepare(place), messages);
    } finally {
      await place.release();
    }
  };
  return await handing.commits((style?.hooks ?? null) === null ? undefined : hooks);
}

/** PROJECT-HOOKS-1: the clone is at the commit before the work, with all of it staged. */
async function runHooks(
  { repository: { root, prefix, commonDir }, line, style, options }: WorkspaceContext,
  place: Awaited<ReturnType<Workspace["checkout"]>>,
  messages: readonly string[],
): Promise<Hooked<readonly string[]>> {
  const top = join(place.dir, prefix.replaceAll(/[^/]+/g, ".."));
  await writeFile(join(top, ".git", "HEAD"), `${line?.start.commit ?? ""}\n`);
  const terms = options.commits?.hooks ?? { env: process.env };
  return await hooked({ ...terms, checkout: place, top, root, hooks: style?.hooks ?? "", commonDir }, messages);
}

/** @param place `included`: copied from the checkout as they were when this run began */
async function strayedIn(
  { watch, options, repository, git, parent, line }: WorkspaceContext,
  {
    dir,
    commit,
    included,
  }: Pick<Awaited<ReturnType<Workspace["checkout"]>>, "dir" | "commit"> & { readonly included: readonly string[] },
  checks: BaseCase,
): Promise<readonly string[]> {
  const { unconfined: env } = options;
  if (env === undefined) return [];
  const { root, prefix } = repository;
  const up = prefix.replaceAll(/[^/]+/g, "..");
  const [clone, alias] = [join(dir, up), resolve(options.root, up)];
  const changed = (await watch?.changes()) ?? [];
  const reached = await reachedFiles(changed, {
    roots: alias === root ? [root] : [root, alias],
    clone,
    clones: join(parent, ".."),
    git,
    base: line?.base ?? "",
    commit: commit ?? "",
    checks: JSON.stringify(checks).replaceAll("\\\\", "\\"),
    env,
  });
  const copied = watch?.earlier === true ? changed.filter((path) => included.includes(path)) : [];
  return [...new Set([...(watch?.resettled === true ? [".git/config"] : []), ...copied, ...reached])];
}

async function close(context: WorkspaceContext): Promise<void> {
  for (const [id, { slot, base }] of context.active) {
    context.active.delete(id);
    await keepWork(context, slot, { base, title: id, reason: "The run ended before this attempt was settled." });
  }
  for (const place of context.checkouts) {
    context.checkouts.delete(place);
    await place.release();
  }
  await context.pool.close();
  // Every goal has a folder of its own; one in which something stays is looked at by the next run.
  await rmdir(context.parent).catch(() => undefined);
  if (context.line === null) return;
  await context.home.publish();
  context.line = null;
  if ((await slotsIn(context)).length === 0) await context.home.remove();
}
