/**
 * Attempts in the person's own folder, one at a time (SPEC section 7: outside git, or `--in-place`).
 *
 * The folder is recorded in a shadow repository before each attempt, and put back after one that is not
 * integrated. What differs at the start of an attempt is the person's edit and becomes part of the base.
 */
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import type { Integration, Workspace } from "../../loop/ports.ts";
import { changesBetween, protectedBy } from "./change.ts";
import { revertMessage, shelveMessage } from "./commit-message.ts";
import { sizeNotes } from "./folder-size.ts";

import type { WorkspaceOptions } from "./workspace-options.ts";
import { integratedWork, readHistory } from "./history.ts";
import { lineRefs, openLine, readRefs, updateRefs } from "./integration-line.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import { ownFiles } from "./own-files.ts";
import { createPlainWorkspace } from "./plain-workspace.ts";
import { placeWork } from "./place-work.ts";
import type { PlaceTools } from "./place-work.ts";
import { WorkspaceError } from "./problem.ts";
import { atLeast, findGit, named } from "./repository.ts";
import { createSerialQueue } from "./serial-queue.ts";
import { exportTo, openShadow, readFolder, switchFolder } from "./shadow-repository.ts";
import type { ShadowRepository } from "./shadow-repository.ts";
import { removeStaleLocks } from "./sweep.ts";
import { takeOut } from "./take-out.ts";
import { commitTree, mergeInObjects, mergeInWorktree } from "./tree-merge.ts";
import { attemptName, safeName } from "./workspace-name.ts";
import { removeTree } from "./worktree.ts";

export interface InPlaceOptions extends WorkspaceOptions {
  /** False: as if git were not installed. */
  readonly git?: boolean;
}

/** The attempt that works in the folder; written beside the repository, so that the next run finds it after a crash. */
interface Occupant {
  readonly attempt: string;
  readonly name: string;
  readonly base: string;
}

interface Place extends PlaceTools {
  readonly options: InPlaceOptions;
  readonly shadow: ShadowRepository;
  readonly dir: string;
  readonly line: IntegrationLine;
  readonly notes: string[];
  readonly scratchIndex: () => string;
  readonly number: () => number;
  occupant: Occupant | null;
  /** Where work of attempts was kept that were put out before anybody asked to shelve them. */
  readonly kept: Map<string, string | null>;
}

/** A workspace in the folder itself. Without git nothing can be rolled back; `open()` says so. */
export async function createInPlaceWorkspace(options: InPlaceOptions): Promise<Workspace> {
  const version = options.git === false ? null : await findGit();
  if (version === null || !version.ok) return createPlainWorkspace(options);
  const objects = atLeast(version.value, 2, 38);
  const queue = createSerialQueue();
  let place: Place | null = null;
  const at = (): Place => {
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
    revert: (atoms, reason) => queue(() => revert(at(), atoms, reason)),
    checkout: () => queue(() => checkout(at())),
    tampered: () => queue(() => tampered(at())),
    finish: (outcome) => queue(() => finish(at(), outcome === "verified")),
    close: () => queue(() => close(place)),
  };
}

/** Opens the shadow repository and brings the folder and the branch together again after a crash. */
async function enter(options: InPlaceOptions, objects: boolean): Promise<Place> {
  await mkdir(options.dir, { recursive: true });
  const root = await realpath(options.root);
  const dir = await realpath(options.dir);
  const stateFile = join(
    await realpath(resolve(options.stateFile, "..")).catch(() => resolve(options.stateFile, "..")),
    basename(options.stateFile),
  );
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
    options.onNote?.(text);
  };
  const own = ownFiles(root, stateFile, dir);
  // Here the state file is in the attempts' own folder: it is left out altogether.
  const shadow = await openShadow(
    root,
    join(dir, "shadow.git"),
    { ...own, excludes: [...own.excludes, "/.claude/aot-loop*", ...stateExclude(root, stateFile)] },
    note,
  );
  const { git } = shadow;
  const refs = lineRefs(safeName(options.loop));
  await removeStaleLocks(shadow.gitDir, refs);
  await mkdir(join(dir, "scratch"), { recursive: true });
  let count = 0;
  const number = (): number => ++count;
  const unique = (): string => join(dir, "scratch", `${safeName(options.run)}-${number()}`);
  const merger = objects ? mergeInObjects(git) : mergeInWorktree(git, unique);
  const first = await firstCommit(shadow, refs);
  const line = await openLine({ git, refs, note }, { branch: null, commit: first });
  const place: Place = {
    options,
    shadow,
    dir,
    line,
    notes,
    git,
    refs,
    merger,
    number,
    isProtected: protectedBy(options.protected),
    scratchIndex: unique,
    occupant: await readOccupant(shadow),
    kept: new Map(),
  };
  await recover(place);
  return place;
}

function stateExclude(root: string, stateFile: string): string[] {
  return stateFile.startsWith(root) ? [`/${stateFile.slice(root.length + 1).replaceAll("\\", "/")}`] : [];
}

/** The commit that the loop starts from: the recorded one, or the folder as it is now. */
async function firstCommit(shadow: ShadowRepository, refs: LineRefs): Promise<string> {
  const known = (await readRefs(shadow.git, [`${refs.own}base`])).get(`${refs.own}base`);
  if (known !== undefined) return known;
  const { tree } = await readFolder(shadow, null);
  const commit = await commitTree(shadow.git, tree, [], "The folder when the loop started\n");
  await updateRefs(shadow.git, [`update ${refs.own}folder ${commit}`]);
  return commit;
}

async function recover(place: Place): Promise<void> {
  const { shadow, refs, line } = place;
  const folder = (await readRefs(shadow.git, [`${refs.own}folder`])).get(`${refs.own}folder`);
  const occupant = place.occupant;
  if (occupant !== null) {
    const kept = await putOut(place, "The run that worked on it ended without settling it.");
    if (kept !== null) shadow.note(`Work of an earlier run that had not been settled is kept on ${kept}.`);
  }
  if (folder === undefined || folder === line.tip()) return;
  // A switch of the folder was cut short (H3): keep what is neither before nor after it, and finish the switch.
  const found = await readFolder(shadow, line.tip());
  if (found.changes.length > 0)
    await keepTree(
      place,
      `interrupted-${safeName(place.options.run)}`,
      folder,
      found.tree,
      "The folder as a crash left it.",
    );
  await setFolder(place, line.tip());
}

async function setFolder({ shadow, refs }: Place, commit: string): Promise<void> {
  await switchFolder(shadow, commit);
  await updateRefs(shadow.git, [`update ${refs.own}folder ${commit}`]);
}

async function opened(place: Place): ReturnType<Workspace["open"]> {
  const { line, shadow } = place;
  await settleFolder(place);
  for (const text of await sizeNotes(shadow.git, shadow.root)) shadow.note(text);
  const history = await readHistory(shadow.git, line.base, line.tip());
  return { base: line.base, tip: line.tip(), integrated: integratedWork(history), notes: place.notes.splice(0) };
}

/** What the person changed meanwhile becomes part of the branch. */
async function settleFolder(place: Place): Promise<void> {
  const { shadow, line, refs } = place;
  const found = await readFolder(shadow, line.tip());
  if (found.changes.length === 0) return;
  const files = named(found.changes.map((change) => change.path));
  const commit = await commitTree(shadow.git, found.tree, [line.tip()], `Changed outside the loop\n\n${files}\n`);
  await line.advance(commit, [`update ${refs.own}folder ${commit}`]);
}

async function start(place: Place, attempt: Attempt): Promise<{ readonly dir: string }> {
  if (place.occupant !== null) {
    const before = place.occupant.attempt;
    place.kept.set(before, await putOut(place, `Attempt ${attempt.id} needed the folder.`));
  }
  await settleFolder(place);
  const occupant: Occupant = {
    attempt: attempt.id,
    name: attemptName(attempt, place.options.run),
    base: place.line.tip(),
  };
  await writeFile(occupantFile(place.shadow), JSON.stringify(occupant));
  place.occupant = occupant;
  return { dir: place.shadow.root };
}

async function integrate(
  place: Place,
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
  return result;
}

async function shelve(place: Place, attempt: Attempt, reason: string): Promise<{ readonly kept: string | null }> {
  if (place.occupant?.attempt === attempt.id) return { kept: await putOut(place, reason) };
  const kept = place.kept.get(attempt.id) ?? null;
  place.kept.delete(attempt.id);
  return { kept };
}

/** Keeps what the occupant did (W1) and puts the folder back. */
async function putOut(place: Place, reason: string): Promise<string | null> {
  const { occupant, shadow } = place;
  if (occupant === null) return null;
  const history = await readHistory(shadow.git, place.line.base, place.line.tip());
  const integrated = history.some(
    ({ message }) => message.kind === "work" && message.trailers.workspace === occupant.name,
  );
  const kept: string[] = [];
  // Once more after putting .gitignore back: what the attempt had hidden with it shows up then.
  for (let round = 1; round <= (integrated ? 0 : 4); round++) {
    const found = await readFolder(shadow, occupant.base);
    if (found.changes.length === 0) break;
    kept.push(
      await keepTree(
        place,
        round === 1 ? occupant.name : `${occupant.name}.${round}`,
        occupant.base,
        found.tree,
        reason,
      ),
    );
    await switchFolder(shadow, occupant.base);
  }
  await vacate(place);
  return kept.length === 0 ? null : kept.join(", ");
}

async function vacate(place: Place): Promise<void> {
  await rm(occupantFile(place.shadow), { force: true });
  place.occupant = null;
}

/** A ref in the shadow repository, and a patch file that needs no repository. Answers the patch's path. */
async function keepTree(place: Place, name: string, base: string, tree: string, reason: string): Promise<string> {
  const { git, refs, dir } = place;
  const commit = await commitTree(git, tree, [base], shelveMessage(name, reason));
  await updateRefs(git, [`update refs/heads/${refs.attempts}${name} ${commit}`]);
  const patch = join(dir, "patches", `${name}.patch`);
  const diff = await git.run([
    "diff",
    "--binary",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    base,
    commit,
  ]);
  if (!diff.ok) return `${refs.attempts}${name} in ${place.shadow.gitDir}`;
  await mkdir(join(dir, "patches"), { recursive: true });
  await writeFile(patch, Buffer.from(diff.stdout, "latin1"));
  return patch;
}

async function revert(place: Place, atoms: readonly string[], reason: string): ReturnType<Workspace["revert"]> {
  const { line, git } = place;
  if (place.occupant !== null) place.kept.set(place.occupant.attempt, await putOut(place, reason));
  await settleFolder(place);
  const history = await readHistory(git, line.base, line.tip());
  const rest = await takeOut(place, line.base, history, atoms);
  if (rest === null) return { commit: null, lost: [] };
  const commit = await commitTree(git, rest.tree, [line.tip()], revertMessage(atoms, rest.lost, reason));
  await line.advance(commit);
  await setFolder(place, commit);
  return { commit, lost: rest.lost };
}

async function checkout(place: Place): ReturnType<Workspace["checkout"]> {
  const commit = place.line.tip();
  const dir = join(
    place.dir,
    "worktrees",
    safeName(place.options.loop),
    `+check-${safeName(place.options.run)}-${place.number()}`,
  );
  await exportTo(place.shadow, commit, dir, place.scratchIndex());
  return {
    dir,
    commit,
    release: async () => {
      await removeTree(dir);
    },
  };
}

async function tampered(place: Place): Promise<readonly string[]> {
  const { git, line, options } = place;
  const aligned =
    options.alignedCommit === undefined
      ? null
      : await git.run(["rev-parse", "-q", "--verify", `${options.alignedCommit}^{commit}`]);
  const from = aligned?.ok === true ? aligned.stdout.trim() : line.base;
  return (await changesBetween(git, from, line.tip())).map((change) => change.path).filter(place.isProtected);
}

async function finish(place: Place, verified: boolean): ReturnType<Workspace["finish"]> {
  const { root } = place.shadow;
  if (verified) return { merged: true, message: `The verified work is in ${root}.` };
  return {
    merged: false,
    message: `What was integrated so far is in ${root}; attempts that were not are kept as patches in ${join(place.dir, "patches")}.`,
  };
}

async function close(place: Place | null): Promise<void> {
  if (place === null) return;
  await putOut(place, "The run ended before this attempt was settled.");
  await removeTree(join(place.dir, "worktrees", safeName(place.options.loop)));
}

function occupantFile(shadow: ShadowRepository): string {
  return join(shadow.gitDir, "aot-occupant.json");
}

async function readOccupant(shadow: ShadowRepository): Promise<Occupant | null> {
  const text = await readFile(occupantFile(shadow), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Partial<Occupant> | null;
    const { attempt, name, base } = value ?? {};
    if (typeof attempt === "string" && typeof name === "string" && typeof base === "string")
      return { attempt, name, base };
  } catch {
    // A half-written file: the attempt had not started.
  }
  return null;
}
