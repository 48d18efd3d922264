/**
 * What of the person's checkout a check reads that nothing confines: where it is led from its own clone, and nothing else
 * (SPEC section 6).
 *
 * REACHED-FILES-1 where links of the clone lead, whoever made them, and where links lead from there;
 * REACHED-FILES-2 packages of the checkout, which Node looks up above the clone, as soon as the commit or a check names one
 *    that the clone has not got;
 * REACHED-FILES-3 sources that an editable install of Python names;
 * REACHED-FILES-4 paths of the checkout in the words of the checks, in what the work brought, in a search path (PYTHONPATH).
 */
import { existsSync, readdirSync, realpathSync, readlinkSync, type Dirent } from "node:fs";
import { delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { textAt } from "../../host/regular-file.ts";
import { errnoOf } from "../../host/write-failure.ts";
import { textOf, type Git } from "./git.ts";

export interface Reaching {
  /** Top folder of the person's checkout, by all its names. */
  readonly roots: readonly [string, ...string[]];
  /** Top folder of the clone, made ready for checks, and the folder of all such. */
  readonly clone: string;
  readonly clones: string;
  /** Works in the repository. */
  readonly git: Git;
  readonly base: string;
  readonly commit: string;
  /** The base case. */
  readonly checks: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @returns those of the paths (from the top folder of the checkout) that a check may have read; all, where git cannot say */
export async function reachedFiles(changed: readonly string[], reaching: Reaching): Promise<readonly string[]> {
  if (changed.length === 0) return [];
  const { git, base, commit, roots, checks, env } = reaching;
  const [root] = roots;
  const places = await linkedFrom(reaching, await packagesAbove(changed, reaching));
  const brought = await git.run(["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-aU0", base, commit]);
  if (!brought.ok) return changed;
  const added = textOf(brought.stdout).match(/^\+.*/gm) ?? [];
  const searched = Object.entries(env).flatMap(([name, value = ""]) => (/.PATH$/.test(name) ? [value] : []));
  for (const path of namedIn([checks, ...added, ...searched].join("\n"), roots)) places.add(path);
  const sources = new Set(editablesOf(env, root).flatMap((text) => namedIn(text, roots)));
  return changed.filter((path) => {
    const file = join(root, path);
    return isIn(places, file) || (/\.(?:py|pyi|so|pyd)$/.test(path) && isIn(sources, file));
  });
}

function isIn(places: ReadonlySet<string>, file: string): boolean {
  for (let at = file; ; at = dirname(at)) {
    if (places.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** REACHED-FILES-1. @param first folders of the checkout that are read beside the clone */
async function linkedFrom({ roots: [root], clone, clones }: Reaching, first: readonly string[]): Promise<Set<string>> {
  const places = new Set(first);
  const open = [clone, ...first];
  const seen = new Set(open);
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const end = entry.isSymbolicLink() ? endOf(path) : path;
      const isOwn = isBelow(clone, end);
      if (entry.name === ".git" || (!isOwn && (!isBelow(root, end) || isBelow(clones, end)))) continue;
      if (entry.isSymbolicLink() && !isOwn) places.add(end);
      // What is all of the checkout need not be looked through.
      if (seen.has(end) || isBelow(end, clone) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
      seen.add(end);
      open.push(end);
    }
    await setImmediate();
  }
  return places;
}

function endOf(link: string): string {
  try {
    return realpathSync(link);
  } catch (error) {
    errnoOf(error);
    return resolve(dirname(link), readlinkSync(link));
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    errnoOf(error);
    return [];
  }
}

/** REACHED-FILES-2. */
async function packagesAbove(changed: readonly string[], reaching: Reaching): Promise<readonly string[]> {
  const { roots, clone, git, commit, checks } = reaching;
  const [root] = roots;
  const found: string[] = [];
  for (let at = dirname(clone); isBelow(root, at); at = dirname(at)) {
    const above = join(at, "node_modules");
    const inside = changed.flatMap((path) =>
      isBelow(above, join(root, path)) ? relative(above, join(root, path)) : [],
    );
    const names = new Set(
      [...inside, ...packagesIn(above)].map((path) => /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? ""),
    );
    const missing = [...names].filter((name) => /^[^.]/.test(name) && !existsSync(join(clone, "node_modules", name)));
    if (missing.length === 0) continue;
    const quoted = missing.flatMap((name) =>
      ['"', "'", "`"].flatMap((mark) => [mark + name + mark, `${mark}${name}/`]),
    );
    const named = await git.run(["grep", "-qF", "-f", "-", commit], { input: `${quoted.join("\n")}\n` });
    const isNamed = named.ok || named.failure.exit_code !== 1;
    if (isNamed || quoted.some((name) => checks.includes(name))) found.push(above);
  }
  return found;
}

function packagesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap(({ name }) =>
    name.startsWith("@") ? entriesOf(join(folder, name)).map((scoped) => `${name}/${scoped.name}`) : [name],
  );
}

/** REACHED-FILES-4. */
function namedIn(text: string, roots: readonly string[]): readonly string[] {
  const [first = ""] = roots;
  return roots.flatMap((root) =>
    text.split(root).flatMap((rest, at) => {
      if (at === 0 || /^[\w.-]/.test(rest)) return [];
      const way = /^[\\/][^\s"'`;|&<>()$=,:*?]*/.exec(rest)?.[0] ?? "";
      return [resolve(first, relative(root, resolve(root + way)))];
    }),
  );
}

/** REACHED-FILES-3: what the installs say that a check may find, and those in the checkout. */
function editablesOf(env: Reaching["env"], root: string): readonly string[] {
  const inside = entriesOf(root).flatMap(({ name }) =>
    existsSync(join(root, name, "pyvenv.cfg")) ? [join(root, name)] : [],
  );
  const programs = [...(env["PATH"] ?? "").split(delimiter), join(env["VIRTUAL_ENV"] ?? root, "bin")];
  const homes = [...programs.map(dirname), ...inside, join(env["HOME"] ?? root, ".local")];
  const libraries = [...new Set(homes)].flatMap((home) =>
    entriesOf(join(home, "lib")).flatMap(({ name }) => (name.startsWith("python3") ? [join(home, "lib", name)] : [])),
  );
  const folders = [
    ...libraries.flatMap((library) => ["site-packages", "dist-packages"].map((name) => join(library, name))),
    ...homes.map((home) => join(home, "Lib", "site-packages")),
  ];
  return folders.flatMap((folder) =>
    entriesOf(folder).flatMap(({ name }) => (EDITABLE.test(name) ? (textAt(join(folder, name)) ?? []) : [])),
  );
}

const EDITABLE = /^__editable__.*\.py$|\.(?:pth|egg-link)$/;
