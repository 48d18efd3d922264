/** Where a run's attempts work: slots of the loop's own repository (SPEC section 7). */
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { prepared, type Preparation } from "../adapters/workspace/prepared-workspace.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { createGitWorkspace } from "../adapters/workspace/git-workspace.ts";
import type { SetUp } from "../adapters/workspace/set-up.ts";
import type { CommitWishes, GitWorkspaceOptions } from "../adapters/workspace/workspace-options.ts";
import { accepted, problem, refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import type { Confinement } from "../loop/confinement.ts";
import type { Workspace } from "../loop/ports.ts";
import { agentEnvironment } from "../project/agent-restrictions.ts";
import type { Guard } from "../history/extensions.ts";

export interface PlaceOptions {
  readonly stateFile: string;
  /** The project: a folder inside a repository, or one in none. */
  readonly root: string;
  /** Whether a verified result is fast-forwarded into the person's branch. */
  readonly merge: boolean;
  /** How the commits are to be that the person gets; absent: the loop's own, after the person's hooks. */
  readonly commits?: Pick<CommitWishes, "signoff" | "subject"> & { readonly squash: boolean; readonly hooks: boolean };
  readonly run: string;
  readonly guard: Guard;
  /** A person accepts the checkout as it is now. */
  readonly accept_checkout?: boolean;
  /** Files that the run itself writes. */
  readonly record?: string;
  readonly reports?: readonly string[];
  /** How slots are made usable; absent: as they come out of git, without ports. */
  readonly set_up?: SetUp & Pick<Preparation, "port_base" | "install">;
  /** What confines the set-up; absent: nothing. */
  readonly place?: Confinement | undefined;
  /** Called with what a person should know of the workspace while the run is active. */
  readonly onNote?: (message: string) => void;
}

export interface RunPlace {
  readonly workspace: Workspace;
  /** The state with what the place adds: the commit that protected files are compared with. */
  stateOf(state: State, base: string | null): State;
}

export async function openPlace(
  options: PlaceOptions & { readonly restart: boolean },
  state: State,
): Promise<Result<RunPlace>> {
  const paths = loopPaths(options.stateFile);
  const { aligned_commit } = state.objective;
  const loop = loopName(paths, state, options.restart);
  if (!loop.ok) return loop;
  const workspaceOptions = {
    root: options.root,
    stateFile: options.stateFile,
    dir: paths.dir,
    loop: loop.value,
    run: options.run,
    protected: state.objective.protected ?? [],
    merge: options.merge,
    commits: commitsFor(options, state),
    accept_checkout: options.accept_checkout === true,
    written: [options.record ?? [], options.reports ?? []].flat().map((file) => resolve(file)),
    ...reachOf(options),
    forbids: (read: Parameters<Guard["forbids"]>[0]) =>
      options.guard.forbids(read, (message) => options.onNote?.(message)),
    ...(options.onNote === undefined ? {} : { onNote: options.onNote }),
    ...(aligned_commit === undefined ? {} : { alignedCommit: aligned_commit }),
  };
  const created = await createGitWorkspace(workspaceOptions);
  if (!created.ok) return refused(created.problem.message, created.problem.hint);
  return accepted({
    workspace: usable(created.value, options, workspaceOptions.protected),
    stateOf: withAlignment,
  });
}

/** In namespaces and containers nothing sees the checkout. */
function reachOf({ place }: PlaceOptions): Pick<GitWorkspaceOptions, "unconfined"> {
  if (place?.kind === "namespace" || place?.kind === "container") return {};
  return { unconfined: process.env };
}

/** Hooks run what attempts wrote: they get what checks get. */
function commitsFor({ commits, place, root, stateFile }: PlaceOptions, state: State): CommitWishes {
  const { squash = false, hooks = true, ...others } = commits ?? {};
  const terms = { place, env: withoutPlace(agentEnvironment(stateFile, process.env, root)) };
  return { ...others, ...(squash ? { squash: state.objective.goal } : {}), hooks: hooks ? terms : null };
}

function usable(workspace: Workspace, options: PlaceOptions, globs: readonly string[]): Workspace {
  const { set_up, root, stateFile, place } = options;
  if (set_up === undefined) return workspace;
  const { logs } = loopPaths(stateFile);
  return prepared(workspace, {
    ...set_up,
    place,
    root,
    logs,
    protected: globs,
    env: agentEnvironment(stateFile, process.env, root),
    ...(options.onNote === undefined ? {} : { onNote: options.onNote }),
  });
}

/** A goal that was written by hand is aligned at the commit of its first run. */
function withAlignment(state: State, base: string | null): State {
  const { objective } = state;
  if (base === null || objective.aligned_commit !== undefined || (objective.protected ?? []).length === 0) return state;
  return { ...state, objective: { ...objective, aligned_commit: base } };
}

/** The name of this loop's branches: kept beside the journal, so that a redirected goal does not change it. */
export function loopName(paths: LoopPaths, state: State, anew: boolean): Result<string> {
  const file = paths.name;
  const known = anew ? "" : (readOwnFile(file) ?? "").trim();
  if (known !== "") return accepted(known);
  const slug = state.objective.goal
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{Mark}+/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 32)
    .replace(/-+$/, "");
  const name = `${slug === "" ? "loop" : slug}-${randomBytes(2).toString("hex")}`;
  // A name that is not kept would be another one at the next run, which then found nothing of this one's work.
  const written = writeOwnFile(file, `${name}\n`);
  return written.ok ? accepted(name) : problem("file_unwritable", written.message, written.hint);
}
