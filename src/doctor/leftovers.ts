/** What dead runs and past goals have left, reported and removed (SPEC section 8). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { holdRunLock, runnerOf } from "../adapters/store/run-lock.ts";
import {
  leftoversIn,
  removeLeftovers,
  type Leftovers,
  type LeftGoal,
  type LeftSlot,
} from "../adapters/workspace/leftovers.ts";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { repositoryOf } from "../adapters/workspace/folder-repository.ts";
import { named, type Repository } from "../adapters/workspace/repository.ts";
import { safeName } from "../adapters/workspace/workspace-name.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { isFull } from "../project/disk-space.ts";
import { projectOf } from "../project/find-state-file.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import type { Finding } from "./finding.ts";

/** Of the repository: what earlier goals keep in it, and, where no run is active, its stray slots. */
export async function leftInRepository(
  repository: Repository,
  stateFile: string,
  paths: LoopPaths,
): Promise<readonly Finding[]> {
  const { slots, goals } = await leftoversIn(repository, paths, safeName(nameIn(paths)));
  return [...aboutGoals(goals), ...(runnerOf(stateFile) === null ? [aboutSlots(slots)] : [])];
}

function aboutSlots(found: readonly LeftSlot[]): Finding {
  if (found.length === 0) return { name: "slots", level: "good", detail: "none left over" };
  const names = found.map(({ loop, slot, holds }) => `${loop}/${slot.name} (${holds ?? "no work"})`);
  return {
    name: "slots",
    level: "warn",
    detail: `${found.length} left over: ${named(names)}`,
    hint: "the next `aot run` of their loop keeps work in them as branches; `aot clean` removes those without, `aot clean --all` all of them",
  };
}

/** Their branches are the person's to remove: they may hold work that was never integrated. */
function aboutGoals(goals: readonly LeftGoal[]): Finding[] {
  if (goals.length === 0) return [];
  const shown = goals.map(({ loop, refs, verified, unmerged }) => {
    const about = [
      verified ? "" : "not verified",
      unmerged.length === 0 ? "" : `work that is nowhere else on ${unmerged.length}`,
    ];
    const words = about.filter((word) => word !== "").join(", ");
    return words === "" ? `${loop} (${refs})` : `${loop} (${refs}; ${words})`;
  });
  const byHand = "`aot clean --all` removes all of it, work that was never integrated with it";
  const over = goals.filter(({ removable }) => removable.length > 0).map(({ loop }) => loop);
  const byItself = over.length === 0 ? "" : `\`aot clean\` removes what is verified and merged (${named(over)}); `;
  return [
    {
      name: "earlier goals",
      level: "good",
      detail: `branches and refs of ${goals.length}: ${named(shown)}`,
      hint: `${byItself}${byHand}`,
    },
  ];
}

/** Slots where there is no repository to ask, and requests that nobody answered. */
export function leftInFolder(paths: LoopPaths, slots: boolean): readonly Finding[] {
  const strays = namesIn(paths.worktrees).flatMap((loop) =>
    namesIn(join(paths.worktrees, loop)).map((name) => `${loop}/${name}`),
  );
  const finding = (name: string, names: readonly string[], hint: string): Finding =>
    names.length === 0
      ? { name, level: "good", detail: "none left over" }
      : { name, level: "warn", detail: `${names.length} left over: ${named(names)}`, hint };
  return [
    ...(slots ? [finding("slots", strays, "the next `aot run` keeps work in them as branches")] : []),
    finding("requests", namesIn(paths.requests), "the next `aot run` answers or removes them"),
  ];
}

function namesIn(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function nameIn(paths: LoopPaths): string {
  return (readOwnFile(paths.name) ?? "").trim();
}

/**
 * `aot clean`. Refused while a run is active.
 * @param all work that is nowhere else goes, too
 * @param agree asked with what is there; false: nothing goes
 * @returns what was there, and the names of what went
 */
export async function cleanUp(
  stateFile: string,
  all: boolean,
  agree: (left: Leftovers) => Promise<boolean>,
): Promise<Result<{ readonly left: Leftovers; readonly removed: readonly string[] | null }>> {
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  const repository = await repositoryOf(projectOf(stateFile));
  if (!repository.ok) return accepted({ left: { slots: [], lines: [], goals: [], kept: [] }, removed: [] });
  const lock = holdRunLock(stateFile);
  // On a full disk nobody can write it: no run begins there, either.
  if (!lock.ok && (lock.holder !== null || !isFull(stateFile))) return refused(lock.message, lock.hint);
  try {
    const paths = loopPaths(targetOf(stateFile));
    const left = await leftoversIn(repository.value, paths, safeName(nameIn(paths)));
    const removed = (await agree(left)) ? await removeLeftovers(repository.value, left, all) : null;
    return accepted({ left, removed });
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return refused(error.problem.message, error.problem.hint);
  } finally {
    if (lock.ok) lock.release();
  }
}
