/**
 * What a path or glob matches in a folder (SPEC section 6, `file` and `not_file`).
 *
 * FIND-MATCHES-1 a path that exists as written wins over its reading as a glob (`app/[id]/page`);
 * FIND-MATCHES-2 files and folders match, names with a leading dot too; links are followed, a dangling one is nothing, and one
 *    that leads out of the folder is a problem: no commit says what is there;
 * FIND-MATCHES-3 a glob sees everything but `.git` and the loop's own folder, and those too when it names them;
 * FIND-MATCHES-4 what cannot be looked at is a problem, never "nothing": else `not_file` would pass on it.
 *
 * Absolute paths and ".." are allowed. The walk is our own because the glob libraries keep silent about links to
 * folders and about folders that cannot be read.
 */
import { realpath, stat, readdir } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep, join } from "node:path";
import picomatch from "picomatch";
import type { Dirent } from "node:fs";

export type Found =
  | { readonly ok: true; readonly matches: readonly string[]; readonly total: number }
  | { readonly ok: false; readonly problem: string };

export interface FindOptions {
  readonly dir: string;
  readonly signal: AbortSignal;
  /** Matches to name; all are counted. */
  readonly max_matches: number;
  /** Folders that a glob passes over unless it names them: relative to `dir`, with "/". */
  readonly own_folders: readonly string[];
}

/** Never rejects. Matches are relative to `dir`, with "/"; those outside are absolute. */
export async function findMatches(pattern: string, options: FindOptions): Promise<Found> {
  try {
    if (!(await exists(options.dir))) return problem(`there is no folder ${options.dir}`);
    if (pattern.trim() === "") return problem("the path is empty; name a file or a glob");
    // Not resolved by us: the system follows links before it goes up a "..".
    const named = isAbsolute(pattern) ? pattern : `${options.dir}${sep}${pattern}`;
    if (await exists(named))
      return (await leadsOut(options.dir, named)) ? outside(pattern) : { ok: true, matches: [pattern], total: 1 };
    const glob = readGlob(process.platform === "win32" ? pattern.replaceAll("\\", "/") : pattern);
    if (glob === null) return { ok: true, matches: [], total: 0 };
    return typeof glob === "string" ? problem(glob) : await search(glob, options);
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error));
  }
}

interface Glob {
  readonly source: string;
  /** The part before the first wildcard; a folder. */
  readonly base: string;
  /** Whether a path below `base` matches. */
  readonly matches: (path: string) => boolean;
  readonly onlyFolders: boolean;
  /** How many levels below `base` a match can lie. */
  readonly depth: number;
}

/** The pattern as a glob; null: it has no wildcard; a string: what is wrong with it. */
function readGlob(source: string): Glob | string | null {
  const quoted = JSON.stringify(source);
  if (source.startsWith("!")) return `the glob ${quoted} begins with "!"; for "does not exist" use not_file`;
  try {
    picomatch.makeRe(source, { strictBrackets: true });
  } catch (error) {
    return `the glob ${quoted} is broken: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { isGlob, base, glob } = picomatch.scan(source);
  if (!isGlob) return null;
  const below = glob.replace(/\/+$/, "");
  if (below.split("/").includes(".."))
    return `the glob ${quoted} has ".." after a wildcard, which matches nothing; move it to the front`;
  const anyDepth = below.includes("**") || /[{(][^})]*\//.test(below);
  return {
    source,
    base: process.platform === "win32" ? base : base.replace(/\\(.)/g, "$1"),
    matches: picomatch(below, { dot: true }),
    onlyFolders: below !== glob,
    depth: anyDepth ? Infinity : below.split("/").length,
  };
}

async function search(glob: Glob, options: FindOptions): Promise<Found> {
  const { dir, signal, max_matches, own_folders } = options;
  const named = (folder: string): boolean => `/${glob.source}/`.includes(`/${folder}/`);
  const own = new Set(own_folders.filter((folder) => !named(folder)));
  const skip = (name: string, absolute: string): boolean =>
    (name === ".git" && !named(".git")) || own.has(slashed(relative(dir, absolute)));
  const matches: string[] = [];
  let total = 0;
  let unreadable: string | null = null;
  let left: string | null = null;
  for await (const entry of walkFolder(resolve(dir, glob.base), { depth: glob.depth, skip, signal })) {
    if (entry.kind === "unreadable") unreadable ??= `cannot look into ${entry.absolute}: ${entry.reason}`;
    else if (glob.matches(entry.path) && (entry.kind === "folder" || !glob.onlyFolders)) {
      if (await leadsOut(dir, entry.absolute)) {
        left ??= shown(dir, entry.absolute);
        continue;
      }
      total += 1;
      if (matches.length < max_matches) matches.push(shown(dir, entry.absolute));
    }
  }
  if (signal.aborted) return problem("stopped before the search had ended");
  if (total === 0 && left !== null) return outside(left);
  // One match decides, whatever else cannot be seen.
  return total === 0 && unreadable !== null ? problem(unreadable) : { ok: true, matches: matches.sort(), total };
}

function outside(path: string): Found {
  return problem(`${path} leads out of the project by a link: no commit says what is there`);
}

/** Whether what is named as a place in the folder is in truth elsewhere. */
async function leadsOut(dir: string, path: string): Promise<boolean> {
  if (isOutside(relative(resolve(dir), resolve(path)))) return false;
  const end = await realpath(path).catch(() => null);
  return end !== null && isOutside(relative(await realpath(dir), end));
}

function isOutside(way: string): boolean {
  return isAbsolute(way) || way.split(sep)[0] === "..";
}

function shown(dir: string, absolute: string): string {
  const path = relative(dir, absolute);
  return path.startsWith("..") ? absolute : slashed(path);
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function problem(text: string): Found {
  return { ok: false, problem: text };
}

type Walked =
  /** `path`: relative to the folder the walk began in, with "/". */
  | { readonly kind: "file" | "folder"; readonly path: string; readonly absolute: string }
  | { readonly kind: "unreadable"; readonly absolute: string; readonly reason: string };

interface WalkOptions {
  /** How many levels down; 1: the folder's own entries. */
  readonly depth: number;
  /** Entries that are neither given nor entered. */
  readonly skip: (name: string, absolute: string) => boolean;
  readonly signal: AbortSignal;
}

interface QueuedFolder {
  readonly absolute: string;
  readonly path: string;
  readonly level: number;
  /** Real paths of the folders above, so that a link upwards is not walked again. */
  readonly above: readonly string[];
}

/** Ends early when the signal aborts. What disappears during the walk is not there. */
async function* walkFolder(folder: string, options: WalkOptions): AsyncGenerator<Walked> {
  const open: QueuedFolder[] = [{ absolute: folder, path: "", level: 1, above: [] }];
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
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "EINVAL"].includes(String(error.code))
  );
}
