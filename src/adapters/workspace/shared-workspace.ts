/**
 * The workspace of one task of a loop whose work travels by git (SPEC section 13; contract PORTS-1 to 4 of the port).
 *
 * SHARED-WORKSPACE-1 what an attempt did is on the remote before it is reported: on a branch that names loop, atom,
 *    attempt and run, which is made and never moved;
 * SHARED-WORKSPACE-2 the integration branch and the loop's own ref move together, and only from where this task found
 *    them: who has been replaced, or comes late, is refused by the remote;
 * SHARED-WORKSPACE-3 an integration or a revert that is begun again finds what it had done already, and does it once;
 * SHARED-WORKSPACE-4 nothing of the task is left on this host;
 * SHARED-WORKSPACE-5 once a later run of an attempt has begun, what an earlier one pushes is refused by the remote: its
 *    branch is taken;
 * SHARED-WORKSPACE-6 a remote that is away costs no finished work, and none that is to begin: it is waited for
 *    (REMOTE-PATIENCE-1). One that refuses finished work is asked again for a minute.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import type { Delivered } from "../../loop/hosted-loop.ts";
import type { Integration, Workspace } from "../../loop/ports.ts";
import { RunReplaced } from "../../loop/run-failure.ts";
import { changesBetween } from "./change.ts";
import { revertMessage } from "./commit-message.ts";
import { gitProblem, LONG_MS, must, type Git } from "./git.ts";
import { lineOf, type WorkspaceContext } from "./workspace-context.ts";
import { contextFor, workspaceOn } from "./git-workspace.ts";
import { readHistory, type Entry } from "./history.ts";
import { ignoredInWords, keptIgnored } from "./ignored-work.ts";
import { lineRefs } from "./integration-line.ts";
import { placeWork } from "./place-work.ts";
import { WorkspaceError } from "./problem.ts";
import { patientWithRemote, type RemotePatience } from "./remote-patience.ts";
import type { Mirrors } from "./shared-clone.ts";
import { treeWithout } from "./tree-without.ts";
import { commitTree } from "./tree-merge.ts";
import { attemptName, safeName } from "./workspace-name.ts";
import type { GitWorkspaceOptions } from "./workspace-options.ts";

export interface SharedOptions {
  readonly mirrors: Mirrors;
  readonly remote: string;
  readonly loop: string;
  /** The project's folder in the repository: empty, or a path with slashes that ends in one. */
  readonly prefix: string;
  /** Path of the state file, from the project. */
  readonly state_file: string;
  /** The run of the task: fences what is delivered. */
  readonly run: number;
  readonly protected: readonly string[];
  readonly aligned_commit?: string;
  /** As in `WorkspaceOptions`. */
  readonly forbids?: GitWorkspaceOptions["forbids"];
  /** What was delivered, for a task that integrates it; null: the attempt changed nothing. */
  readonly work?: Delivered | null;
  /** Folder that does not exist yet; it is gone after `close()`. */
  readonly dir: string;
  readonly patience?: RemotePatience;
}

export interface SharedWorkspace extends Workspace {
  /** SHARED-WORKSPACE-1. Null: the attempt changed nothing. @throws RunReplaced (SHARED-WORKSPACE-5) */
  deliver(attempt: Attempt): Promise<Delivered | null>;
}

/** SHARED-WORKSPACE-6 */
const REFUSED_MS = 60_000;

/** @throws WorkspaceError when the remote cannot be used */
export async function openSharedWorkspace(options: SharedOptions): Promise<SharedWorkspace> {
  const { mirrors, remote, loop, dir, patience } = options;
  const repository = join(dir, "repository");
  let release = (): void => undefined;
  try {
    ({ release } = await mirrors.clone(remote, lineRefs(safeName(loop)), repository, patience));
    return await openedIn(repository, options, release);
  } catch (error) {
    release();
    // SHARED-WORKSPACE-4: it is opened again and again until it can be.
    await removeTree(dir);
    throw error;
  }
}

/** @param release the repository is not used any more */
async function openedIn(repository: string, options: SharedOptions, release: () => void): Promise<SharedWorkspace> {
  const root = join(repository, options.prefix);
  await mkdir(root, { recursive: true });
  const { aligned_commit, forbids, patience = {} } = options;
  const local: GitWorkspaceOptions = {
    root,
    stateFile: join(root, options.state_file),
    dir: join(root, ".claude", "aot-loop"),
    loop: options.loop,
    run: `r${options.run}`,
    protected: options.protected,
    merge: false,
    watched: false,
    ...(aligned_commit === undefined ? {} : { alignedCommit: aligned_commit }),
    ...(forbids === undefined ? {} : { forbids }),
  };
  const created = await contextFor(local);
  if (!created.ok) throw new WorkspaceError(created.problem);
  const { value: context } = created;
  const workspace = workspaceOn(context);
  await workspace.open();
  const found = lineOf(context).tip();
  return {
    ...workspace,
    start: async (attempt, signal) => {
      await patientWithRemote(() => fence(context, attempt, options.run), patience);
      return await workspace.start(attempt, signal);
    },
    integrate: async (attempt, work) => await integrate(options, { context, found }, attempt, work),
    revert: async (atoms, reason) => await revert(options, { context, found }, atoms, reason),
    shelve: () => Promise.reject(new Error("on a worker an attempt is delivered, not shelved")),
    deliver: async (attempt) => {
      const { kept } = await workspace.shelve(
        attempt,
        "Delivered by its worker; what was integrated of it is another commit.",
      );
      const ignored = `${context.refs.own}ignored/${attemptName(attempt, `r${options.run}`)}`;
      return await patientWithRemote(() => push(context, kept, ignored, found), patience, REFUSED_MS);
    },
    close: async () => {
      await workspace.close();
      await removeTree(options.dir);
      release();
    },
  };
}

/** SHARED-WORKSPACE-1. @throws RunReplaced (SHARED-WORKSPACE-5) */
async function push(
  { git }: WorkspaceContext,
  branch: string | null,
  ignored: string,
  base: string,
): Promise<Delivered | null> {
  if ((await git.run(["rev-parse", "-q", "--verify", ignored])).ok) {
    const pushed = await git.run(["push", "-q", "origin", `+${ignored}:${ignored}`], { timeout_ms: LONG_MS });
    // A remote that answers has refused it.
    if (!pushed.ok && (await onRemote(git, ["HEAD"]))) throw new WorkspaceError(gitProblem(pushed.failure));
  }
  if (branch === null) return null;
  const ref = `refs/heads/${branch}`;
  const commit = await must(git, ["rev-parse", "--verify", `${ref}^{commit}`]);
  const args = ["push", "-q", `--force-with-lease=${ref}:`, "origin", `${ref}:${ref}`];
  const pushed = await git.run(args, { timeout_ms: LONG_MS });
  if (pushed.ok) return { branch, commit, base };
  // Made by this very push, whose answer was lost; or by a later run (SHARED-WORKSPACE-5).
  const there = await onRemote(git, [ref]);
  if (there.get(ref) === commit) return { branch, commit, base };
  if (there.has(ref)) throw new RunReplaced(`the remote refused ${branch}: a later run has taken its place`);
  throw new WorkspaceError(gitProblem(pushed.failure));
}

/** SHARED-WORKSPACE-5: takes the branches of the runs before this one, as far as they are not there. */
async function fence({ git, refs }: WorkspaceContext, attempt: Attempt, run: number): Promise<void> {
  if (run === 1) return;
  const message = `Nothing of this run is taken any more: run ${run} of ${attempt.id} has replaced it`;
  const tree = await must(git, ["rev-parse", "--verify", `${refs.own}base^{tree}`]);
  const commit = await commitTree(git, tree, [], message);
  const earlier = Array.from({ length: run - 1 }, (_, index) => attemptName(attempt, `r${index + 1}`));
  const branches = earlier.map((name) => `refs/heads/${refs.attempts}${name}`);
  const leases = branches.map((ref) => `--force-with-lease=${ref}:`);
  const pushed = await git.run(["push", "-q", ...leases, "origin", ...branches.map((ref) => `${commit}:${ref}`)], {
    timeout_ms: LONG_MS,
  });
  if (pushed.ok) return;
  const there = await onRemote(git, branches);
  if (branches.some((ref) => !there.has(ref))) throw new WorkspaceError(gitProblem(pushed.failure));
}

/** @throws WorkspaceError `remote_away` */
async function onRemote(git: Git, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const listed = await git.run(["ls-remote", "origin", ...refs], { timeout_ms: LONG_MS });
  if (!listed.ok) throw new WorkspaceError({ ...gitProblem(listed.failure), code: "remote_away" });
  const lines = listed.stdout.split("\n").map((line) => line.split("\t"));
  return new Map(lines.flatMap(([oid, ref]) => (oid === undefined || ref === undefined ? [] : [[ref, oid] as const])));
}

interface Ground {
  readonly context: WorkspaceContext;
  /** Where the remote had the branch when the task began. */
  readonly found: string;
}

async function integrate(
  { work: delivered, loop }: SharedOptions,
  { context, found }: Ground,
  attempt: Attempt,
  work: Parameters<Workspace["integrate"]>[1],
): Promise<Integration> {
  if (delivered === undefined) throw new Error(`the task of ${attempt.id} does not say what to integrate`);
  if (delivered === null) return { kind: "integrated", commit: null, files: [] };
  const { branch, commit, base } = delivered;
  const { git, refs, shown } = context;
  const line = lineOf(context);
  const history = await readHistory(git, line.base, found);
  const name = branch.slice(refs.attempts.length);
  if (!branch.startsWith(refs.attempts)) throw new Error(`${branch} is no branch of the loop ${loop}`);
  // SHARED-WORKSPACE-3
  const done = history.find(
    ({ message }) =>
      message.kind === "work" && message.trailers.attempt === attempt.id && message.trailers.workspace === name,
  );
  if (done !== undefined) {
    const files = (await changesBetween(git, done.parent, done.commit)).map(({ path }) => shown(path));
    return { kind: "integrated", commit: done.commit, files };
  }
  const tree = await must(git, ["rev-parse", "--verify", `${commit}^{tree}`]);
  const changes = await changesBetween(git, base, commit);
  const result = await placeWork(context, line, { attempt, ...work, name, base, tree, changes, also: [] });
  if (result.kind === "failed") return result;
  const kept = result.kind === "integrated" ? await keptIgnored(git, refs, name) : null;
  const ignored =
    kept === null ? {} : { ignored: { files: kept.files.map(shown), message: ignoredInWords(kept, shown) } };
  if (result.kind === "integrated" && result.commit !== null) {
    const own = `${refs.own}work/${name}`;
    const isKept = (await git.run(["rev-parse", "-q", "--verify", own])).ok;
    await advance({ context, found }, [...(isKept ? [`${own}:${own}`] : []), `:refs/heads/${branch}`]);
  }
  return { ...result, files: result.files.map(shown), ...ignored };
}

async function revert(
  { run }: SharedOptions,
  { context, found }: Ground,
  atoms: readonly string[],
  reason: string,
): ReturnType<Workspace["revert"]> {
  const line = lineOf(context);
  const history = await readHistory(context.git, line.base, found);
  const done = run > 1 ? revertAtTip(history, atoms) : null;
  if (done !== null) return done;
  const rest = await treeWithout(context, line.base, history, atoms);
  if (rest === null) return { commit: null, lost: [] };
  const commit = await commitTree(context.git, rest.tree, [found], revertMessage(atoms, rest.lost, reason));
  await line.advance(commit);
  await advance({ context, found }, []);
  return { commit, lost: rest.lost };
}

/**
 * SHARED-WORKSPACE-3: nothing is integrated between a revert and its answer. So a revert that is begun again is at
 * the tip, or was not done.
 */
function revertAtTip(
  history: readonly Entry[],
  atoms: readonly string[],
): { readonly commit: string; readonly lost: readonly string[] } | null {
  const last = history.at(-1);
  if (last?.message.kind !== "revert") return null;
  const { commit, message } = last;
  return atoms.every((atom) => message.atoms.includes(atom)) ? { commit, lost: message.lost } : null;
}

/** SHARED-WORKSPACE-2 */
async function advance({ context, found }: Ground, also: readonly string[]): Promise<void> {
  const { git, refs } = context;
  const ours = [`refs/heads/${refs.branch}`, `${refs.own}tip`];
  const leases = ours.map((ref) => `--force-with-lease=${ref}:${found}`);
  const moves = ours.map((ref) => `${lineOf(context).tip()}:${ref}`);
  await must(git, ["push", "-q", "--atomic", ...leases, "origin", ...moves, ...also], { timeout_ms: LONG_MS });
}
