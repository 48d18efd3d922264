/**
 * What an attempt made and git ignores (SPEC section 7: nothing is lost). It is no part of the work, or every build would
 * be committed; it is kept beside it, and named.
 *
 * IGNORED-WORK-1 what installing and building leave behind is neither kept nor named, unless the attempt names a file
 *    of it as its work;
 * IGNORED-WORK-2 what is kept of one attempt is bounded: MOST_FILES files with MOST_BYTES bytes, and none that may be a
 *    secret by its name. What is not kept is named;
 * IGNORED-WORK-3 what was there before the agent began (set-up commands) and has not changed since is not the attempt's.
 */
import { lstat, readdir } from "node:fs/promises";
import { isAbsolute, join, posix, relative, sep } from "node:path";
import { indexLines } from "./change.ts";
import { fieldsOf, must, textOf, type Git } from "./git.ts";
import { updateRefs, type LineRefs } from "./integration-line.ts";
import { named } from "./repository.ts";
import { editedTree, type TreeWithoutTools } from "./tree-without.ts";
import { commitTree } from "./tree-merge.ts";

/** Of one attempt. */
const MOST_FILES = 200;
const MOST_BYTES = 16 * 1024 * 1024;

/** Folders and files of package managers, compilers, test runners and systems: thousands of files, made anew at any time. */
const MADE_ANEW =
  /^(?:node_modules|bower_components|jspm_packages|vendor|\.venv|venv|site-packages|__pycache__|.*\.py[co]|.*\.egg-info|\.?pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.gradle|\.cache|\.parcel-cache|\.turbo|\.next|\.nuxt|\.svelte-kit|\.nyc_output|coverage|\.coverage|dist|build|out|target|bin|obj|.*\.(?:o|class|tsbuildinfo|log)|\.eslintcache|\.stylelintcache|\.DS_Store|Thumbs\.db)$/;

/** What a file of such a name holds is to be in no commit, and on no remote. */
const SECRET = /^(?:\.env(?:\..+)?|\.npmrc|\.netrc|\.pypirc|id_[a-z0-9]+|.*\.(?:pem|key|p12|pfx|jks|keystore))$/;

/** Paths from the top folder of the slot. */
export interface IgnoredWork {
  readonly files: readonly string[];
  /** Keeps them; null: there is nothing but `left`. */
  readonly ref: string | null;
  /** Not kept: folders with more in them, files that are larger, what may be a secret. */
  readonly left: readonly string[];
}

/** What is at a path: its size and the time of its last change. */
export type Marks = Readonly<Record<string, string>>;

/**
 * @param here git in the folder
 * @returns ignored files, folders of which all is ignored with a slash at their end
 */
export async function ignoredIn(here: Git): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"];
  const found = await must(here, args);
  return fieldsOf(found).map(textOf);
}

interface IgnoredFile {
  readonly mark: string;
  readonly size: number;
  readonly mode: string;
}

interface Found {
  readonly files: ReadonlyMap<string, IgnoredFile>;
  readonly large: readonly string[];
}

/** The files of such a listing, without what is made anew (IGNORED-WORK-1). */
async function filesOf(top: string, listed: readonly string[]): Promise<Found> {
  const files = new Map<string, IgnoredFile>();
  const large: string[] = [];
  for (const entry of listed) {
    const path = entry.replace(/\/$/, "");
    if (path.split("/").some((part) => MADE_ANEW.test(part))) continue;
    const below = entry === path ? [path] : await filesBelow(top, path);
    if (below === null) large.push(entry);
    for (const file of below ?? []) {
      const there = await fileAt(join(top, file));
      if (there !== null) files.set(file, there);
    }
  }
  return { files, large };
}

/** Links and pipes are no work that could be kept. */
async function fileAt(path: string): Promise<IgnoredFile | null> {
  const there = await lstat(path).catch(() => null);
  if (there?.isFile() !== true || path.includes("\n")) return null;
  const { size, mtimeMs, ino, mode } = there;
  return { mark: `${size} ${mtimeMs} ${ino}`, size, mode: (mode & 0o100) === 0 ? "100644" : "100755" };
}

/** The files in a folder; null: more than are kept. */
async function filesBelow(top: string, folder: string): Promise<string[] | null> {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const entry of await readdir(join(top, next), { withFileTypes: true }).catch(() => [])) {
      if (entry.name === ".git" || MADE_ANEW.test(entry.name)) continue;
      (entry.isDirectory() ? folders : found).push(`${next}/${entry.name}`);
      if (found.length + folders.length > MOST_FILES) return null;
    }
  }
  return found;
}

/** IGNORED-WORK-3: to be asked before the agent begins. */
export async function ignoredMarks(here: Git, top: string): Promise<Marks> {
  const { files, large } = await filesOf(top, await ignoredIn(here));
  return Object.fromEntries([
    ...[...files].map(([path, { mark }]) => [path, mark] as const),
    ...large.map((p) => [p, ""]),
  ]);
}

export interface IgnoredTools extends TreeWithoutTools {
  readonly refs: LineRefs;
}

export interface AttemptFolder {
  readonly name: string;
  readonly top: string;
  readonly base: string;
  readonly here: Git;
  readonly listed: readonly string[];
  readonly before: Marks;
  /** Never kept. */
  readonly copied: ReadonlySet<string>;
  /** What the agent says that it made, from the top folder. */
  readonly artifacts: readonly string[];
}

/** Keeps it as a commit on the base. Null: there is none. */
export async function keepIgnored(tools: IgnoredTools, attempt: AttemptFolder): Promise<IgnoredWork | null> {
  const { name, top, base, here, listed, before, copied } = attempt;
  const found = await filesOf(top, listed);
  const wanted: ReadonlyMap<string, IgnoredFile> = new Map([...(await namedFiles(attempt)), ...found.files]);
  const left = found.large.filter((path) => before[path] === undefined);
  const files: string[] = [];
  let bytes = 0;
  for (const [path, { mark, size }] of wanted) {
    if (before[path] === mark || copied.has(path)) continue;
    const fits = files.length < MOST_FILES && bytes + size <= MOST_BYTES && !SECRET.test(posix.basename(path));
    if (fits) bytes += size;
    (fits ? files : left).push(path);
  }
  if (files.length === 0) return left.length === 0 ? null : { files, ref: null, left };
  const input = files.map((path) => `${path}\n`).join("");
  const oids = (
    await must(here, ["hash-object", "-w", "--no-filters", "--stdin-paths"], { input: bytesOf(input) })
  ).split("\n");
  const lines = files.map((path, i) => ({
    bytes: bytesOf(path),
    entry: { mode: wanted.get(path)?.mode ?? "100644", oid: oids[i] ?? "" },
  }));
  const tree = await editedTree(tools, base, indexLines(lines));
  const commit = await commitTree(tools.git, tree, [base], `What git ignores of ${name}\n`);
  const ref = `${tools.refs.own}ignored/${name}`;
  await updateRefs(tools.git, [`update ${ref} ${commit}`]);
  return { files, ref, left };
}

function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** IGNORED-WORK-1: ignored files that the attempt names as its work, wherever they are. */
async function namedFiles({ top, listed, artifacts }: AttemptFolder): Promise<Found["files"]> {
  const files = new Map<string, IgnoredFile>();
  for (const artifact of artifacts.slice(0, MOST_FILES)) {
    const path = insideOf(top, artifact);
    const isListed = listed.some((entry) => entry === path || (entry.endsWith("/") && path.startsWith(entry)));
    const there = isListed ? await fileAt(join(top, path)) : null;
    if (there !== null) files.set(path, there);
  }
  return files;
}

function insideOf(top: string, path: string): string {
  const way = isAbsolute(path) ? relative(top, path) : path;
  return posix.normalize(way.split(sep).join("/"));
}

/** What was kept of an attempt whose folder is gone. @param name of its slot */
export async function keptIgnored(git: Git, refs: LineRefs, name: string): Promise<IgnoredWork | null> {
  const ref = `${refs.own}ignored/${name}`;
  const found = await git.run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", `${ref}^`, ref, "--"]);
  return found.ok ? { files: fieldsOf(found.stdout).map(textOf), ref, left: [] } : null;
}

/** @param shown the name that a file of the repository has in the project */
export function ignoredInWords({ files, ref, left }: IgnoredWork, shown: (path: string) => string): string {
  const kept = files.length === 0 ? "" : `${named(files.map(shown))} (kept as ${ref})`;
  const gone = left.length === 0 ? "" : `${named(left.map(shown))} (not kept)`;
  return `git ignores ${[kept, gone].filter((words) => words !== "").join(" and ")}: not integrated. To make such a file part of the work, an attempt adds it with \`git add -f\`, or .gitignore is changed`;
}
