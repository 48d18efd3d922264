/** Where the server's calls work: which folder, and which loop when a call names none. */
import { existsSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findStateFile } from "../../project/find-state-file.ts";

export interface McpTarget {
  readonly cwd: string;
  /** As it was given to the server; absent: to be looked for. */
  readonly stateFile?: string;
}

/**
 * A client that shows its roots says where the person works. The server's own folder stands where it lies in one of
 * them, or where none is a folder here; else the first root with a loop, else the first one.
 * @param roots `file:` addresses as the client gave them
 */
export function placeAmong(place: McpTarget, roots: readonly string[]): McpTarget {
  if (place.stateFile !== undefined) return place;
  const folders = roots.flatMap(folderOf);
  const [first] = folders;
  if (first === undefined || folders.some((folder) => holds(folder, place.cwd))) return place;
  return { cwd: folders.find((folder) => existsSync(findStateFile(folder))) ?? first };
}

function folderOf(address: string): string[] {
  try {
    const path = fileURLToPath(address);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? [resolve(path)] : [];
  } catch {
    return [];
  }
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith("..") && !isAbsolute(way);
}
