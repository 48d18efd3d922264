/** Where phase loops lie: `.claude/loops/<id>.state.json`, and beside it the definition that it was made from. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { accepted, problem, type Result } from "../core/problem.ts";

const FOLDER = join(".claude", "loops");
const STATE = ".state.json";

/** The definition that a state was made from, byte for byte. */
export function definitionBeside(stateFile: string): string {
  return join(dirname(stateFile), `${loopIdOf(stateFile)}.loop.json`);
}

/** What the person said that the loop is about; there may be none. */
export function taskBeside(stateFile: string): string {
  return join(dirname(stateFile), `${loopIdOf(stateFile)}.task.md`);
}

/** The loop's id, as the files beside its state are called by it. */
function loopIdOf(stateFile: string): string {
  const name = basename(stateFile);
  return name.endsWith(STATE) ? name.slice(0, -STATE.length) : name.replace(/\.json$/, "");
}

/** The folder of the loops that work a phase loop's phases. */
export function phaseWorkFolder(stateFile: string): string {
  return join(dirname(stateFile), loopIdOf(stateFile));
}

/** Where a new loop's state goes: in the nearest project at or above `cwd` that has loops, else at the repository's root. */
export function newStateFile(cwd: string, id: string): string {
  const project = above(cwd, FOLDER) ?? above(cwd, ".git") ?? cwd;
  return join(project, FOLDER, `${id}${STATE}`);
}

/**
 * The state file that is meant: the one that was named, the loop of that id, or the only one that there is.
 * @param named path, absolute or relative to `cwd`
 */
export function findPhaseFile(cwd: string, named?: string, id?: string): Result<string> {
  if (named !== undefined) return accepted(resolve(cwd, named));
  const project = above(cwd, FOLDER);
  const folder = project === null ? null : join(project, FOLDER);
  const ids = folder === null ? [] : loopsIn(folder);
  if (folder !== null && id !== undefined && ids.includes(id)) return accepted(join(folder, `${id}${STATE}`));
  const [only, ...more] = ids;
  if (only === undefined || folder === null)
    return problem(
      "file_missing",
      "there is no phase loop here",
      "begin one: `aot phases init LOOP.json`, or name its file with --state-file",
    );
  if (id !== undefined)
    return problem("file_missing", `there is no phase loop ${id} in ${folder}`, `loops there: ${ids.join(", ")}`);
  if (more.length > 0)
    return problem(
      "file_missing",
      `there are several phase loops in ${folder}`,
      `say which with --loop: ${ids.join(", ")}`,
    );
  return accepted(join(folder, `${only}${STATE}`));
}

function loopsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(STATE))
    .map((name) => name.slice(0, -STATE.length))
    .toSorted();
}

/** The nearest folder at or above that holds it. */
function above(cwd: string, name: string): string | null {
  for (let here = resolve(cwd); ; here = dirname(here)) {
    if (existsSync(join(here, name))) return here;
    if (dirname(here) === here) return null;
  }
}
