/**
 * A print of the person's checkout: what says whether a file in it was changed, without reading it. Ignored files count,
 * and so does what the index hides; of the git directory what decides how git and its checkouts behave.
 *
 * Sizes, times and inodes are compared, but for the time of an inode's last change: a set-up may link files. No file of any
 * loop counts.
 */
import { createHash } from "node:crypto";
import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { readRegularFile } from "../../host/regular-file.ts";
import { errnoOf } from "../../host/write-failure.ts";
import { markOf, statOf } from "./commit-files.ts";
import { bytesIn, textOf } from "./git.ts";
import type { OwnFiles } from "./own-files.ts";

/** By path from the top folder, as bytes in latin1 (git.ts). */
export type Print = ReadonlyMap<string, string>;

export interface Printed {
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly own: OwnFiles;
  /** Absolute paths of files that the run itself writes. */
  readonly written: readonly string[];
}

/** Of the git directory; what else lies there comes and goes with every command. */
const GIT_FILES = [
  "config",
  "config.worktree",
  "info/attributes",
  "info/sparse-checkout",
  "info/grafts",
  "shallow",
  "objects/info/alternates",
];

/** How long the print may keep everything else waiting, milliseconds. */
const SLICE_MS = 15;

export async function printOf(place: Printed): Promise<Print> {
  const print = new Map<string, string>();
  const written = new Set(place.written.map((file) => join(file)));
  const open: string[] = [""];
  const states: string[] = [];
  let began = performance.now();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(place.root, folder, print)) {
      const name = entry.name.toString("latin1");
      const path = folder === "" ? name : `${folder}/${name}`;
      if (name === ".git") printGit(print, path, folder === "" ? place : null, place.root);
      else if (path.endsWith(LOOP_FOLDER)) states.push(path.slice(0, -LOOP_FOLDER.length));
      else if (isApart(place, path)) continue;
      else if (entry.isDirectory()) open.push(path);
      else {
        const stat = statOf(place.root, path);
        if (!written.has(join(place.root, textOf(path))))
          print.set(path, stat === null ? "unreadable" : markOf({ ...stat, ctimeNs: 0n }));
      }
    }
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  for (const path of print.keys())
    if (states.some((state) => path === state || path.startsWith(`${state}.`))) print.delete(path);
  return print;
}

/** Beside the state file of a loop (loop-paths.ts). */
const LOOP_FOLDER = ".aot-loop";

export function differingPaths(before: Print, now: Print): string[] {
  const paths = [...before.keys()].filter((path) => before.get(path) !== now.get(path));
  for (const path of now.keys()) if (!before.has(path)) paths.push(path);
  return paths;
}

/** Loops' own files, and worktrees: those are checkouts of their own. */
function isApart({ own }: Printed, path: string): boolean {
  return own.includes(textOf(path)) || path === ".claude/worktrees";
}

function entriesOf(root: string, folder: string, print: Map<string, string>): Dirent<Buffer>[] {
  try {
    return readdirSync(bytesIn(root, folder), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    print.set(folder, errnoOf(error));
    return [];
  }
}

/** @param place null: a repository inside of the checkout, whose git directory is at `path` or is somewhere else */
function printGit(print: Map<string, string>, path: string, place: Printed | null, root: string): void {
  const dirs = new Set(place === null ? [join(root, textOf(path))] : [place.commonDir, place.gitDir]);
  for (const dir of dirs) {
    const at = dir === place?.commonDir || place === null ? path : `${path} of this worktree`;
    for (const file of [...GIT_FILES, ...namesIn(dir, "hooks"), ...namesIn(dir, "refs/replace")]) {
      const digest = digestOf(join(dir, file));
      if (digest !== null) print.set(`${at}/${file}`, digest);
    }
  }
}

function namesIn(dir: string, folder: string): string[] {
  try {
    return readdirSync(join(dir, folder)).map((name) => `${folder}/${name}`);
  } catch (error) {
    errnoOf(error);
    return [];
  }
}

/** Null: there is no such file. */
function digestOf(file: string): string | null {
  try {
    return createHash("sha256").update(readRegularFile(file).bytes).digest("hex");
  } catch (error) {
    const code = errnoOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? null : code;
  }
}
