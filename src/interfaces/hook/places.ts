/** Where a path of a tool call really lies, seen from the project. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import { ownName } from "../../host/atomic-write.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { realPath } from "../../host/real-path.ts";

/** `loop`: the loop's own files. `settings`: files that configure git or the client. */
export type PathZone = "project" | "loop" | "settings" | "outside";

export interface GuardScope {
  /** Absolute, links followed. */
  readonly project: string;
  readonly stateFile: string;
}

/** @param cwd where a relative path begins */
export function placeOf(path: string, cwd: string, { project, stateFile }: GuardScope): PathZone {
  const real = realPath(ownName(resolve(cwd, path)));
  const loop = loopPaths(realPath(stateFile));
  if (isWithin(loop.dir, real) || real.startsWith(loop.state)) return "loop";
  if (!isWithin(project, real)) return "outside";
  const parts = relative(project, real).toLowerCase().split(sep);
  return parts.includes(".git") || parts.includes(".claude") ? "settings" : "project";
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
