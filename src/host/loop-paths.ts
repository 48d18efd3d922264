/** Where everything of one loop lies. Two state files never share a folder. */
import { basename, dirname, join, relative, sep } from "node:path";

export interface LoopPaths {
  readonly state: string;
  /** Serialises writes to the state file (SPEC section 2). */
  readonly lock: string;
  readonly dir: string;
  readonly journal: string;
  /** Requests of other processes to the runner. */
  readonly requests: string;
  /** Held by the runner for as long as it works (SPEC section 8). */
  readonly runLock: string;
  readonly worktrees: string;
  readonly logs: string;
  /** Holds the name of this loop's branches; a new alignment has none yet. */
  readonly name: string;
}

/** Default place of the state file, relative to the project (SPEC section 2). */
export const DEFAULT_STATE_FILE = join(".claude", "aot-loop-state.md");

/**
 * @param stateFile path of the state file; the answers are absolute if it is. Symbolic links are not
 *   followed here: pass `targetOf(stateFile)` where two names of one file must mean one loop.
 */
export function loopPaths(stateFile: string): LoopPaths {
  // Appending to the whole name keeps different files apart ("a.md" and "a.txt", too).
  const dir =
    basename(stateFile) === basename(DEFAULT_STATE_FILE)
      ? join(dirname(stateFile), "aot-loop")
      : `${stateFile}.aot-loop`;
  return {
    state: stateFile,
    lock: `${stateFile}.lock`,
    dir,
    journal: join(dir, "journal.jsonl"),
    requests: join(dir, "requests"),
    runLock: join(dir, "run.lock"),
    // Few ask for it.
    get worktrees() {
      return worktreesOf(dir);
    },
    logs: join(dir, "logs"),
    name: join(dir, "name"),
  };
}

/** A loop's own folder by its name, and the one beside the guard rules. */
const OWN_FOLDER = /^(?:aot-loop|aot-rules|.+\.aot-loop)$/;

/**
 * The folders of the loop's own on the way to one of them, itself included, outermost first.
 * @returns none: it is not in a loop's own folder
 */
export function loopFolders(folder: string): string[] {
  const folders: string[] = [];
  for (let here = folder; dirname(here) !== here; here = dirname(here)) {
    folders.unshift(here);
    if (OWN_FOLDER.test(basename(here))) return folders;
  }
  return [];
}

/**
 * Where the attempts' worktrees lie. Claude Code lets no tool write below `.claude/`, whatever is allowed, but for
 * `.claude/worktrees/`, its own place for them: an agent of the loop could do nothing anywhere else in there.
 * @param dir the loop's own folder
 */
export function worktreesOf(dir: string): string {
  for (let above = dirname(dir); dirname(above) !== above; above = dirname(above)) {
    if (basename(above) !== ".claude") continue;
    const way = relative(above, dir);
    // A loop in somebody's worktree is not below that `.claude` in any sense that matters.
    return way.split(sep)[0] === "worktrees" ? join(dir, "worktrees") : join(above, "worktrees", way);
  }
  return join(dir, "worktrees");
}
