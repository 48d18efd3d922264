/**
 * The files that a verdict is about, as they were before any check ran (SPEC section 6).
 *
 * CHECKOUT-FILES-1 what a check or a judge writes into the folder is no evidence: only files that were there at the
 *    first look, and have not changed since, can be read;
 * CHECKOUT-FILES-2 nothing outside of the folder is: links are not followed;
 * CHECKOUT-FILES-3 what the loop and git write about the work is not either: the judge sees no worker's own words.
 */
import { lstat, readFile } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import picomatch from "picomatch";
import { glob } from "tinyglobby";

export interface CheckoutFiles {
  /** Relative to the folder, with "/", sorted. */
  readonly paths: readonly string[];
  /** Never rejects. @param path as somebody named it */
  read(
    path: string,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>;
}

/** Files that are looked at; a folder with more is no place for a judge. */
const MOST_FILES = 100_000;
/** Bytes. */
const LARGEST_FILE = 1024 * 1024;
const AT_A_TIME = 64;
const LOOP_FILES = [".claude/aot-loop*", ".claude/aot-loop*/**", ".claude/loops/**"];
const NO_EVIDENCE = ["**/.git", "**/.git/**", "**/node_modules/**", ...LOOP_FILES];

/**
 * Looks at every file once. Never rejects: what cannot be looked at is not there.
 * @param hidden how the names begin that are no evidence either, relative to `dir`
 */
export async function lookAtFiles(dir: string, hidden: readonly string[] = []): Promise<CheckoutFiles> {
  const seen = new Map<string, string>();
  const found = (await list(dir)).filter((path) => !hidden.some((name) => path.startsWith(name)));
  for (let start = 0; start < found.length; start += AT_A_TIME) {
    const batch = found.slice(start, start + AT_A_TIME);
    const marks = await Promise.all(batch.map((path) => markOf(dir, path)));
    batch.forEach((path, i) => {
      const mark = marks[i] ?? null;
      if (mark !== null) seen.set(path, mark);
    });
  }
  return {
    paths: [...seen.keys()],
    read: async (named) => {
      const path = inside(dir, named);
      const mark = seen.get(path);
      if (mark === undefined) return { ok: false, why: "there is no such file in what is judged" };
      return await readUnchanged(dir, path, mark);
    },
  };
}

async function list(dir: string): Promise<readonly string[]> {
  try {
    const options = { cwd: dir, dot: true, onlyFiles: true, followSymbolicLinks: false, expandDirectories: false };
    const found = await glob("**/*", { ...options, ignore: NO_EVIDENCE });
    return found.sort().slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

/** Changes whenever the file does; the time of the last change of its inode cannot be set by a program. */
async function markOf(dir: string, path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs, ctimeNs, isFile } = await stats(dir, path);
    return isFile ? `${ino} ${size} ${mtimeNs} ${ctimeNs}` : null;
  } catch {
    return null;
  }
}

async function stats(
  dir: string,
  path: string,
): Promise<{
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly isFile: boolean;
}> {
  const found = await lstat(join(dir, path), { bigint: true });
  const { ino, size, mtimeNs, ctimeNs } = found;
  return { ino, size, mtimeNs, ctimeNs, isFile: found.isFile() };
}

async function readUnchanged(dir: string, path: string, mark: string): ReturnType<CheckoutFiles["read"]> {
  try {
    const { size } = await stats(dir, path);
    if (size > LARGEST_FILE) return { ok: false, why: `it is larger than ${LARGEST_FILE / 1024} KiB` };
    const bytes = await readFile(join(dir, path));
    if ((await markOf(dir, path)) !== mark) return { ok: false, why: "it changed while the goal was being verified" };
    if (bytes.subarray(0, 8_192).includes(0)) return { ok: false, why: "it is not text" };
    return { ok: true, text: bytes.toString("utf8") };
  } catch (error) {
    return { ok: false, why: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  }
}

/** As a key of the listing; what leads outside is none. */
function inside(dir: string, named: string): string {
  const slashed = sep === "/" ? named : named.replaceAll(sep, "/");
  const below = relative(dir, named).replaceAll(sep, "/");
  return slashed.startsWith("/") || /^[A-Za-z]:/.test(slashed) ? below : posix.normalize(slashed);
}

/**
 * The paths that a scope names: globs, files or folders, separated by commas; those with a leading "!" are left out again.
 */
export function inScope(paths: readonly string[], scope: string): readonly string[] {
  const parts = splitScope(scope);
  const matches = (given: readonly string[]): ((path: string) => boolean) => {
    const globs = given.map((part) => picomatch([part, `${part}/**`], { dot: true }));
    return (path) => globs.some((match) => match(path));
  };
  const wanted = parts.filter((part) => !part.startsWith("!"));
  const isWanted = matches(wanted.length === 0 ? ["**"] : wanted);
  const isNot = matches(parts.filter((part) => part.startsWith("!")).map((part) => part.slice(1)));
  return paths.filter((path) => isWanted(path) && !isNot(path));
}

const MOST_NAMED = 5;

/** The files that a check's words name by their whole path: what is judged is often said of another file. */
export function namedIn(paths: readonly string[], words: string): readonly string[] {
  const said = new Set(words.match(/[\w@+~-][\w@+~./-]*\w/g));
  return paths.filter((path) => said.has(path)).slice(0, MOST_NAMED);
}

/** At commas that are in no braces or brackets. */
function splitScope(scope: string): readonly string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const char of scope) {
    if ("{([".includes(char)) depth++;
    if ("})]".includes(char)) depth--;
    if (char === "," && depth <= 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  const trimmed = parts.map((part) =>
    part
      .trim()
      .replace(/^(!?)(?:\.\/)+/, "$1")
      .replace(/\/+$/, ""),
  );
  return trimmed.filter((part) => part !== "" && part !== "!");
}
