/**
 * Attempts in the person's own folder, one at a time (SPEC section 7: outside git, or `in_place`).
 *
 * The folder is recorded in a shadow repository before each attempt, and put back after one that is not
 * integrated. What differs at the start of an attempt is the person's edit and becomes part of the base.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import type { Integration, KeptWork, Workspace } from "../../loop/ports.ts";
import { filesSince } from "./aligned-commit.ts";
import { changesBetween } from "./change.ts";
import { revertMessage } from "./commit-message.ts";
import { enter } from "./enter-folder.ts";
import { integratedWork, readHistory, revertsIn } from "./history.ts";
import { ignoredMarks, ignoredSince } from "./ignored-work.ts";
import { updateRefs } from "./integration-line.ts";
import { keptBranches } from "./keep-work.ts";
import {
  occupantFile,
  patchOf,
  putOut,
  setFolder,
  settleFolder,
  vacate,
  type Occupant,
  type InPlace,
} from "./occupied-folder.ts";
import { placeWork } from "./place-work.ts";
import { WorkspaceError } from "./problem.ts";
import { differing, digestsOf, keptBetween, readRecord, recordOnce } from "./protected-record.ts";
import { atLeast, findGit, findRepository, named } from "./repository.ts";
import { createQueue } from "./queue.ts";
import { withScratchIndex } from "./scratch-index.ts";
import { exportTo, readFolder } from "./shadow-repository.ts";
import { treeWithout } from "./tree-without.ts";
import { commitTree, treeOf } from "./tree-merge.ts";
import { attemptName, safeName } from "./workspace-name.ts";
import type { InPlaceOptions } from "./workspace-options.ts";

/** A workspace in the folder itself. @throws WorkspaceError without git */
export async function createInPlaceWorkspace(options: InPlaceOptions): Promise<Workspace> {
  const version = await findGit();
  if (!version.ok) throw new WorkspaceError(version.problem);
  const objects = atLeast(version.value, 2, 38);
  const queue = createQueue();
  let place: InPlace | null = null;
  const at = (): InPlace => {
    if (place === null) throw new Error("the workspace is not open: call open() first");
    return place;
  };
  return {
    kind: "in_place",
    slots: 1,
    open: () =>
      queue(async () => {
        place = await enter(options, objects);
        return opened(place);
      }),
    start: (attempt) => queue(() => start(at(), attempt)),
    integrate: (attempt, work) => queue(() => integrate(at(), attempt, work)),
    shelve: (attempt, reason) => queue(() => shelve(at(), attempt, reason)),
    kept: (attempts) => queue(() => kept(at(), attempts)),
    revert: (atoms, reason) => queue(() => revert(at(), atoms, reason)),
    checkout: () => queue(() => checkout(at())),
    tampered: () => queue(() => tampered(at())),
    finish: (outcome) => queue(() => finish(at(), outcome === "verified")),
    close: () => queue(() => close(place)),
  };
}

async function opened(place: InPlace): ReturnType<Workspace["open"]> {
  const { line, shadow } = place;
  if (place.options.why !== undefined) shadow.note(place.options.why);
  await settleFolder(place);
  const history = await readHistory(shadow.git, line.base, line.tip());
  if (history.length === 0) await recordOnce(place.options, () => digestsOf(shadow.root, place.options.protected));
  const integrated = await integratedWork(shadow.git, history);
  const reverts = revertsIn(history);
  return { base: line.base, tip: line.tip(), integrated, reverts, notes: place.notes.splice(0) };
}

async function start(place: InPlace, attempt: Attempt): Promise<{ readonly dir: string }> {
  if (place.occupant !== null) {
    const before = place.occupant.attempt;
    place.kept.set(before, await putOut(place, `Attempt ${attempt.id} needed the folder.`));
  }
  await settleFolder(place);
  const occupant: Occupant = {
    attempt: attempt.id,
    name: attemptName(attempt, place.options.run),
    base: place.line.tip(),
    ignored: await ignoredMarks(place.shadow.git, place.shadow.root),
  };
  await writeFile(occupantFile(place.shadow), JSON.stringify(occupant));
  place.occupant = occupant;
  return { dir: place.shadow.root };
}

async function integrate(
  place: InPlace,
  attempt: Attempt,
  work: Parameters<Workspace["integrate"]>[1],
): Promise<Integration> {
  const { occupant, refs } = place;
  if (occupant?.attempt !== attempt.id)
    return { kind: "failed", reason: `attempt ${attempt.id} does not have the folder` };
  let found;
  try {
    found = await readFolder(place.shadow, occupant.base);
  } catch (error) {
    if (error instanceof WorkspaceError) return { kind: "failed", reason: error.problem.message };
    throw error;
  }
  const result = await placeWork(place, place.line, {
    attempt,
    ...work,
    name: occupant.name,
    base: occupant.base,
    tree: found.tree,
    changes: found.changes,
    also: [],
  });
  if (result.kind !== "integrated") return result;
  if (result.commit !== null) await updateRefs(place.git, [`update ${refs.own}folder ${result.commit}`]);
  await vacate(place);
  const ignored = await ignoredSince(place.shadow.git, place.shadow.root, occupant.ignored);
  if (ignored.length === 0) return result;
  const message = `git ignores ${named(ignored)}: it stays in the folder and is no part of the work, so that checks in a clean copy do not have it. To make such a file part of the work, change .gitignore`;
  return { ...result, ignored: { files: ignored, message } };
}

async function shelve(place: InPlace, attempt: Attempt, reason: string): Promise<{ readonly kept: string | null }> {
  if (place.occupant?.attempt === attempt.id) return { kept: await putOut(place, reason) };
  const kept = place.kept.get(attempt.id) ?? null;
  place.kept.delete(attempt.id);
  return { kept };
}

/** Their patches: files of the folder, which no agent needs a repository for. */
async function kept(place: InPlace, attempts: readonly string[]): Promise<ReadonlyMap<string, KeptWork>> {
  const branches = await keptBranches(place, attempts);
  return new Map(
    [...branches].map(([attempt, branch]) => [
      attempt,
      { name: patchOf(place, branch.slice(place.refs.attempts.length)) },
    ]),
  );
}

async function revert(place: InPlace, atoms: readonly string[], reason: string): ReturnType<Workspace["revert"]> {
  const { line, git } = place;
  if (place.occupant !== null) place.kept.set(place.occupant.attempt, await putOut(place, reason));
  await settleFolder(place);
  const history = await readHistory(git, line.base, line.tip());
  const rest = await treeWithout(place, line.base, history, atoms);
  if (rest === null) return { commit: null, lost: [] };
  const commit = await commitTree(git, rest.tree, [line.tip()], revertMessage(atoms, rest.lost, reason));
  await line.advance(commit);
  await setFolder(place, commit);
  return { commit, lost: rest.lost };
}

async function checkout(place: InPlace): ReturnType<Workspace["checkout"]> {
  const commit = place.line.tip();
  const dir = join(
    place.dir,
    "worktrees",
    safeName(place.options.loop),
    `+check-${safeName(place.options.run)}-${place.number()}`,
  );
  await withScratchIndex(place.scratchIndex, (index) => exportTo(place.shadow, commit, dir, index));
  return {
    dir,
    commit,
    tree: await treeOf(place.shadow.git, commit),
    ...(await keptBetween(dir, place.options.protected)),
    release: async () => {
      await removeTree(dir);
    },
  };
}

/** Against the commit of the alignment, else the record of it, else the folder as the loop found it. */
async function tampered(place: InPlace): Promise<readonly string[]> {
  const { git, line, dir } = place;
  const { alignedCommit, protected: globs } = place.options;
  if (globs.length === 0) return [];
  if (alignedCommit !== undefined) {
    // The person's own repository holds it; this one does not.
    const repository = await findRepository(place.shadow.root);
    const changed = repository.ok ? await filesSince(repository.value, alignedCommit) : repository;
    if (!changed.ok) throw new WorkspaceError(changed.problem);
    return changed.value.filter(place.isProtected);
  }
  const record = await readRecord(dir, globs);
  if (record !== null) return differing(record, await digestsOf(place.shadow.root, globs));
  return (await changesBetween(git, line.base, line.tip())).map((change) => change.path).filter(place.isProtected);
}

async function finish(place: InPlace, verified: boolean): ReturnType<Workspace["finish"]> {
  const { root } = place.shadow;
  if (verified) return { merged: true, message: `The verified work is in ${root}.` };
  return {
    merged: false,
    message: `What was integrated so far is in ${root}; attempts that were not are kept as patches in ${join(place.dir, "patches")}.`,
  };
}

async function close(place: InPlace | null): Promise<void> {
  if (place === null) return;
  await putOut(place, "The run ended before this attempt was settled.");
  await removeTree(join(place.dir, "worktrees", safeName(place.options.loop)));
}
