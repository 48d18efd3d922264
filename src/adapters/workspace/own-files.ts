/**
 * The loop's own files in the person's folder: an attempt never changes them, and git status does not
 * show those that come and go (SPEC section 7).
 */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { worktreesOf } from "../../host/loop-paths.ts";
import { readText } from "../../host/regular-file.ts";

export interface OwnFiles {
  /** Whether a path (relative to the root, with slashes) belongs to the loop. */
  includes(path: string): boolean;
  /** Whether files of the loop lie below a folder (relative to the root, with a slash at its end). */
  liesIn(folder: string): boolean;
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
    liesIn: (path) => path.endsWith("/") && [state, ...folders].some((own) => own?.startsWith(path) === true),
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
