/**
 * The loop's own files in the person's folder: an attempt never changes them, and git status does not
 * show those that come and go (SPEC section 7).
 */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { gitFolderAbove } from "../../host/git-folder.ts";
import { loopPaths, worktreesOf } from "../../host/loop-paths.ts";
import { realPath } from "../../host/real-path.ts";
import { readText } from "../../host/regular-file.ts";

export interface OwnFiles {
  /** Whether a path (relative to the root, with slashes) belongs to the loop. */
  includes(path: string): boolean;
  /** Patterns for `info/exclude`. What a person has committed git shows all the same. */
  readonly excludes: readonly string[];
}

/**
 * @param root,stateFile,dir absolute paths, resolved alike
 * @param prefix where the project lies below the root: empty, or ending in a slash
 */
export function ownFiles(root: string, stateFile: string, dir: string, prefix = ""): OwnFiles {
  const state = inside(root, stateFile);
  const worktrees = worktreesOf(dir);
  const places = worktrees.startsWith(dir) ? [dir] : [dir, worktrees];
  const folders = places.flatMap((place) => inside(root, place) ?? []);
  return {
    includes: (path) =>
      path.startsWith(".claude/aot-loop") ||
      path.startsWith(`${prefix}.claude/aot-loop`) ||
      // What guard rules caught.
      path.startsWith(`${prefix}.claude/aot-rules/`) ||
      // Phase loops: their states, their definitions and the loops that work their phases.
      path.startsWith(`${prefix}.claude/loops/`) ||
      path === state ||
      folders.some((folder) => path === folder || path.startsWith(`${folder}/`)),
    excludes: [
      ...folders.map((folder) => `/${escaped(folder)}/`),
      ...(state === null ? [] : [`/${escaped(state)}`, `/${escaped(state)}.*`]),
    ],
  };
}

function inside(root: string, path: string): string | null {
  const way = relative(root, path);
  if (way === "" || way.startsWith("..") || way === path) return null;
  return way.split(sep).join("/");
}

function escaped(path: string): string {
  return path.replace(/[\\*?[ ]/g, "\\$&");
}

/** Adds the patterns to `<gitDir>/info/exclude`, once. */
export async function excludeOnce(commonDir: string, patterns: readonly string[]): Promise<void> {
  const file = join(commonDir, "info", "exclude");
  const text = existsSync(file) ? readText(file) : "";
  const missing = patterns.filter((pattern) => !text.split(/\r?\n/).includes(pattern));
  if (missing.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${missing.join("\n")}\n`);
}

/**
 * From now on git shows none of the loop's own files (SPEC section 7): an agent that works in the person's checkout would
 * commit them. Without a repository there is nothing to do.
 */
export async function hideOwnFiles(stateFile: string): Promise<void> {
  const file = realPath(stateFile);
  const git = gitFolderAbove(dirname(file));
  if (git === null) return;
  const root = realPath(git.root);
  const own = ownFiles(root, file, loopPaths(file).dir);
  try {
    await excludeOnce(git.common, own.excludes);
  } catch (error) {
    // A client's sandbox may forbid it: then git goes on showing them.
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
