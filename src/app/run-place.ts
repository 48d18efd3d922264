/** Where a run's attempts work: git worktrees, or the folder itself (SPEC section 7). */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { createGitWorkspace } from "../adapters/workspace/git-workspace.ts";
import { createInPlaceWorkspace } from "../adapters/workspace/in-place-workspace.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import type { Workspace } from "../loop/ports.ts";

export interface PlaceOptions {
  readonly stateFile: string;
  /** The project: a folder inside the repository, or the folder to work in. */
  readonly root: string;
  readonly in_place: boolean;
  /** Whether a verified result is fast-forwarded into the person's branch. */
  readonly merge: boolean;
  readonly run: string;
  /** Told what a person should know of the workspace while the run is at work. */
  readonly onNote?: (message: string) => void;
}

export interface Place {
  readonly workspace: Workspace;
  /** The state with what the place adds: the commit that protected files are compared with. */
  stateOf(state: State, base: string | null): State;
}

export async function openPlace(
  options: PlaceOptions & { readonly restart: boolean },
  state: State,
): Promise<Result<Place>> {
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
    ...(options.onNote === undefined ? {} : { onNote: options.onNote }),
    ...(aligned_commit === undefined ? {} : { alignedCommit: aligned_commit }),
  };
  if (options.in_place)
    return accepted({ workspace: await createInPlaceWorkspace(workspaceOptions), stateOf: withAlignment });
  const created = await createGitWorkspace(workspaceOptions);
  if (!created.ok) return refused(created.problem.message, created.problem.hint);
  return accepted({ workspace: created.value, stateOf: withAlignment });
}

/** A goal that was written by hand is aligned at the commit of its first run. */
function withAlignment(state: State, base: string | null): State {
  const { objective } = state;
  if (base === null || objective.aligned_commit !== undefined || (objective.protected ?? []).length === 0) return state;
  return { ...state, objective: { ...objective, aligned_commit: base } };
}

/** The name of this loop's branches: kept beside the journal, so that a redirected goal does not change it. */
function loopName(paths: LoopPaths, state: State, anew: boolean): Result<string> {
  const file = paths.name;
  const known = anew ? "" : readName(file);
  if (known !== "") return accepted(known);
  const slug = state.objective.goal
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 32)
    .replace(/-+$/, "");
  const name = `${slug === "" ? "loop" : slug}-${randomBytes(2).toString("hex")}`;
  // A name that is not kept would be another one at the next run, which then found nothing of this one's work.
  const written = writeFileAtomicSync(file, `${name}\n`);
  return written.ok ? accepted(name) : refused(written.message, written.hint);
}

function readName(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    // The first run of this loop.
    return "";
  }
}

/** Folder that a state file's project is in: `.claude/` stands in the project. */
export function projectOf(stateFile: string): string {
  const folder = dirname(stateFile);
  return folder.endsWith(".claude") ? dirname(folder) : folder;
}
