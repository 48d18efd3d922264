/** The loops that one page shows: those that were named, or else those of the project (SPEC sections 2 and 11). */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DEFAULT_STATE_FILE, loopPaths } from "../host/loop-paths.ts";
import { findStateFile, projectOf } from "../project/find-state-file.ts";
import { phaseWorkFolder } from "../project/find-phase-file.ts";

export interface ShownLoop {
  /** Identifies it in URLs without revealing the path. */
  readonly key: string;
  readonly kind: "atoms" | "phases";
  /** Absolute. */
  readonly file: string;
  readonly name: string;
}

const MOST_LOOPS = 50;
const PHASES_SUFFIX = ".state.json";

/** @param named state files of either kind, absolute or relative to `cwd`; empty: search the project */
export function shownLoops(cwd: string, named: readonly string[]): readonly ShownLoop[] {
  const files = named.length > 0 ? named.map((file) => resolve(cwd, file)) : loopsOfProject(cwd);
  const works = files.filter(isPhases).flatMap((file) => worksOf(file));
  return [...new Map([...files.map(shown), ...works].map((loop) => [loop.file, loop])).values()].slice(0, MOST_LOOPS);
}

/** State files of the AoT loops that carry out the phases of a phase loop. */
function worksOf(file: string): readonly ShownLoop[] {
  const folder = phaseWorkFolder(file);
  const { name } = shown(file);
  return names(folder)
    .filter((work) => work.endsWith(".md"))
    .map((work) => ({ ...shown(join(folder, work)), name: `${name} ${basename(work, ".md")}` }));
}

function isPhases(file: string): boolean {
  return file.endsWith(".json");
}

function loopsOfProject(cwd: string): readonly string[] {
  const main = findStateFile(cwd);
  const folder = join(projectOf(main), dirname(DEFAULT_STATE_FILE));
  const others = names(folder)
    .filter((name) => name.endsWith(".md") && existsSync(loopPaths(join(folder, name)).dir))
    .map((name) => join(folder, name));
  const phases = names(join(folder, "loops"))
    .filter((name) => name.endsWith(PHASES_SUFFIX))
    .map((name) => join(folder, "loops", name));
  const loops = [...others.filter((file) => file !== main), ...phases];
  return existsSync(main) || loops.length === 0 ? [main, ...loops] : loops;
}

function shown(file: string): ShownLoop {
  const name = basename(file).replace(isPhases(file) ? PHASES_SUFFIX : /\.md$/, "");
  const key = createHash("sha256").update(file).digest("hex").slice(0, 12);
  return {
    key,
    kind: isPhases(file) ? "phases" : "atoms",
    file,
    name: name === basename(DEFAULT_STATE_FILE, ".md") ? basename(projectOf(file)) : name,
  };
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
