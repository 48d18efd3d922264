/**
 * Git for an attempt: a git directory of its own that borrows the repository's objects, read-only (SPEC section 15). In
 * there `status`, `diff`, `log` and even `commit` work; the repository's configuration, hooks, refs, index and attributes are
 * out of reach. The loop takes the files, so a commit made in there is dropped with the place.
 */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

/** Of a work tree, as git says it. */
export interface WorkTree {
  readonly top: string;
  /** The git directory that its worktrees share. */
  readonly common: string;
  /** Its own. */
  readonly admin: string;
  /** null: there is no commit yet. */
  readonly head: string | null;
}

/** Where the view and the objects lie inside. */
export const GIT_INSIDE = "/run/aot/git";
const OBJECTS_INSIDE = "/run/aot/objects";

const KEPT_SETTINGS =
  "^(core\\.(repositoryformatversion|autocrlf|eol|safecrlf|ignorecase|filemode|symlinks|precomposeunicode|sparsecheckout|sparsecheckoutcone)|index\\.sparse|extensions\\.objectformat|user\\.(name|email))$";

interface Said {
  readonly ok: boolean;
  readonly out: string;
}

/** Variables that say where git's folders are; empty: it finds them. */
type GitPlace = Readonly<Record<string, string>>;

/** A short question; nothing of it can outlive its answer, so that it needs no group of its own. */
function git(cwd: string, args: readonly string[], place: GitPlace): Promise<Said> {
  const { GIT_DIR: _1, GIT_WORK_TREE: _2, GIT_INDEX_FILE: _3, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      "git",
      [...args],
      { cwd, env: { ...env, ...place }, timeout: 30_000, maxBuffer: 256 * 1024 * 1024 },
      (error, out) => resolve({ ok: error === null, out }),
    );
  });
}

/** The work tree that a folder lies in; null: none. */
export async function workTreeAt(folder: string, place: GitPlace = {}): Promise<WorkTree | null> {
  const asked = ["rev-parse", "--show-toplevel", "--git-common-dir", "--absolute-git-dir", "HEAD"];
  const { ok, out } = await git(folder, asked, place);
  const [top = "", common = "", admin = "", head = ""] = out.split("\n");
  if (!isAbsolute(top) || !isAbsolute(admin)) return null;
  return { top, common: resolve(folder, common), admin, head: ok ? head : null };
}

/** What of a repository is the same for every view of it. */
export interface RepositoryView {
  readonly config: string;
  readonly refs: string;
}

/** Reads settings and refs once; attempts do not change them. */
export async function readRepository(folder: string, place: GitPlace = {}): Promise<RepositoryView> {
  const heads = ["refs/heads", "refs/tags", "refs/remotes"];
  const [settings, refs] = await Promise.all([
    git(folder, ["config", "--null", "--get-regexp", KEPT_SETTINGS], place),
    git(folder, ["for-each-ref", "--format=%(objectname) %(refname)", ...heads], place),
  ]);
  const kept = settings.out.split("\0").flatMap((entry) => {
    const [key = "", value = "true"] = entry.split("\n");
    const [section, name] = key.split(".");
    return name === undefined ? [] : [`[${section}]\n\t${name} = ${JSON.stringify(value)}`];
  });
  // Submodules have git directories of their own, which are not there.
  const own = ["[core]\n\tbare = false", "[diff]\n\tignoreSubmodules = all", "[gc]\n\tauto = 0"];
  return { config: `${[...kept, ...own].join("\n")}\n`, refs: refs.out };
}

/** Makes the view in an empty folder. */
export function writeGitView(into: string, { common, admin, head }: WorkTree, { config, refs }: RepositoryView): void {
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "info"])
    mkdirSync(join(into, folder), { recursive: true });
  writeFileSync(join(into, "config"), config);
  writeFileSync(join(into, "packed-refs"), refs);
  writeFileSync(join(into, "HEAD"), head === null ? "ref: refs/heads/main\n" : `${head}\n`);
  const alternates = storesOf(common).map(({ at }) => `${at}\n`);
  writeFileSync(join(into, "objects/info/alternates"), alternates.join(""));
  for (const [from, name] of [
    [join(admin, "index"), "index"],
    [join(common, "info/exclude"), "info/exclude"],
    [join(common, "info/attributes"), "info/attributes"],
    [join(admin, "info/sparse-checkout"), "info/sparse-checkout"],
    [join(common, "shallow"), "shallow"],
  ] as const)
    if (existsSync(from)) copyFileSync(from, join(into, name));
  for (const shared of sharedIndexes(admin)) copyFileSync(join(admin, shared), join(into, shared));
}

/**
 * The objects that a view borrows, and where it sees them: below the project's own path its git directory is another one.
 * `borrows`: the file in which a store names further ones, which the view names itself.
 */
export function storesOf(
  common: string,
): readonly { readonly from: string; readonly at: string; readonly borrows: string | null }[] {
  const own = join(common, "objects");
  return [...new Set([own, ...borrowedBy(own)])].map((from, number) => {
    const at = `${OBJECTS_INSIDE}/${number}`;
    return { from, at, borrows: existsSync(join(from, BORROWS)) ? join(at, BORROWS) : null };
  });
}

const BORROWS = "info/alternates";

/** Folders of objects that a repository borrows itself, and those that these borrow, as far as git follows. */
function borrowedBy(objects: string, depth = 5): readonly string[] {
  const file = join(objects, BORROWS);
  const named = depth > 0 && existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const borrowed = named
    .filter((path) => path !== "" && !path.startsWith("#"))
    .map((path) => (isAbsolute(path) ? path : resolve(objects, path)))
    .filter((path) => existsSync(path));
  return [...new Set(borrowed.flatMap((path) => [path, ...borrowedBy(path, depth - 1)]))];
}

/** The other half of a split index lies beside it. */
function sharedIndexes(admin: string): readonly string[] {
  const index = join(admin, "index");
  if (!existsSync(index) || !readFileSync(index).includes("link")) return [];
  const text = readFileSync(index).toString("latin1");
  const at = text.lastIndexOf("link");
  const name = `sharedindex.${Buffer.from(text.slice(at + 8, at + 28), "latin1").toString("hex")}`;
  return existsSync(join(admin, name)) ? [name] : [];
}

/** What `.git` of a work tree is: a file that names its directory, the directory, or neither. */
export function gitEntryOf(top: string): "file" | "folder" | null {
  const entry = statSync(join(top, ".git"), { throwIfNoEntry: false });
  if (entry === undefined) return null;
  return entry.isDirectory() ? "folder" : "file";
}

/** Dependencies of the person's checkout that git ignores (SPEC section 15): found once, each a folder of its own. */
const DEPENDENCIES =
  /^(?:node_modules|bower_components|jspm_packages|\.pnpm-store|\.yarn|\.venv|venv|env|\.tox|\.nox|__pypackages__|.+\.egg-info|vendor|\.bundle|\.gradle|deps|_build|elm-stuff|Pods|\.dart_tool|packages)$/;
/** What is installed by a tool says so in these, whatever its folder is called. */
const IS_VENV = "pyvenv.cfg";
const MOST_DEPENDENCIES = 200;

/** @returns paths from the work tree's top */
export async function dependenciesIn(top: string, place: GitPlace): Promise<readonly string[]> {
  const ignored = ["--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"];
  const { out } = await git(top, ["ls-files", "-z", ...ignored], place);
  const isDependency = (path: string): boolean =>
    DEPENDENCIES.test(path.slice(path.lastIndexOf("/") + 1)) || existsSync(join(top, path, IS_VENV));
  // A link to a folder has no slash at its end.
  const isFolder = (path: string): boolean =>
    statSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return out
    .split("\0")
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== "" && isDependency(path) && isFolder(path))
    .slice(0, MOST_DEPENDENCIES);
}
