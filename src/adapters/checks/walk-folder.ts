/** Everything below a folder, links followed, each folder once per way to it, nothing passed over in silence. */
import { readdir, realpath, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";

export type Walked =
  /** `path`: relative to the folder the walk began in, with "/". */
  | { readonly kind: "file" | "folder"; readonly path: string; readonly absolute: string }
  | { readonly kind: "unreadable"; readonly absolute: string; readonly reason: string };

export interface WalkOptions {
  /** How many levels down; 1: the folder's own entries. */
  readonly depth: number;
  /** Entries that are neither given nor entered. */
  readonly skip: (name: string, absolute: string) => boolean;
  readonly signal: AbortSignal;
}

interface Place {
  readonly absolute: string;
  readonly path: string;
  readonly level: number;
  /** Real paths of the folders above, so that a link upwards is not walked again. */
  readonly above: readonly string[];
}

/** Ends early when the signal aborts. What disappears during the walk is not there. */
export async function* walkFolder(folder: string, options: WalkOptions): AsyncGenerator<Walked> {
  const open: Place[] = [{ absolute: folder, path: "", level: 1, above: [] }];
  for (let place = open.pop(); place !== undefined && !options.signal.aborted; place = open.pop()) {
    const listing = await list(place.absolute);
    if (typeof listing === "string") {
      yield { kind: "unreadable", absolute: place.absolute, reason: listing };
      continue;
    }
    if (place.above.includes(listing.real)) continue;
    const above = [...place.above, listing.real];
    for (const entry of listing.entries) {
      const absolute = join(place.absolute, entry.name);
      const kind = options.skip(entry.name, absolute) ? null : await kindOf(entry, absolute);
      if (kind === null) continue;
      const path = place.path === "" ? entry.name : `${place.path}/${entry.name}`;
      yield { kind, path, absolute };
      if (kind === "folder" && place.level < options.depth)
        open.push({ absolute, path, level: place.level + 1, above });
    }
  }
}

/** A folder's entries, or why they cannot be read. */
async function list(folder: string): Promise<{ readonly real: string; readonly entries: readonly Dirent[] } | string> {
  try {
    return { real: await realpath(folder), entries: await readdir(folder, { withFileTypes: true }) };
  } catch (error) {
    if (isMissing(error)) return { real: folder, entries: [] };
    return error instanceof Error ? error.message : String(error);
  }
}

/** null: a link that leads nowhere, or gone meanwhile. */
async function kindOf(entry: Dirent, absolute: string): Promise<"file" | "folder" | null> {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  try {
    return (await stat(absolute)).isDirectory() ? "folder" : "file";
  } catch {
    return null;
  }
}

/** Whether the error of a file operation says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "EINVAL"].includes(String(error.code))
  );
}
