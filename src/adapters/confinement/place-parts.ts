/** What every confined place is made of, whatever makes it: the project, its git, the way out, the command. */
import { lstatSync, realpathSync, statSync, writeFileSync, type Stats } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { PlaceUse, ProgramStart } from "../../loop/confinement.ts";
import { isInTemporaryFolder } from "../../host/temporary-folder.ts";
import { textAt } from "../../host/regular-file.ts";
import { hostsOf } from "./client-needs.ts";
import {
  dependenciesIn,
  gitEntryOf,
  GIT_INSIDE,
  readRepository,
  storesOf,
  workTreeAt,
  writeGitView,
  type RepositoryView,
  type WorkTree,
} from "./git-view.ts";
import { registriesFor } from "./registries.ts";
import { FORWARDER, localServices, openHostProxy, PROXY_PORT } from "./host-proxy.ts";

/** A file or folder, and where it is seen. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly writes: boolean;
}

/** Files that a place shows, and the variables that say where. */
export interface Shown {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

export interface PlaceLimits {
  /** Of all processes together, bytes; no process can ask for more. */
  readonly memory?: number;
  /** Processes and threads at a time; default 4,096, or a sixteenth of the machine's process ids, at least 1,024. */
  readonly processes?: number;
  /** Of one file, bytes; default 16 GiB. */
  readonly file?: number;
  /** Why the disk has too little space for whatever runs; null: it has enough. */
  readonly full?: () => string | null;
}

export interface ConfinementOptions {
  /** The project as the person names it; its work tree is what attempts take the place of. */
  readonly root: string;
  readonly home: string;
  /** Git directory of a project in no repository, if it is there. */
  readonly folder_git?: string;
  /** The loop's own files and folders, and other loops': hidden where they lie outside of the project. */
  readonly own: readonly string[];
  /** Paths that may be written to, and hosts and variables that may be used, beside what clients need. */
  readonly allow_write: readonly string[];
  readonly allow_domains: readonly string[];
  readonly allow_env: readonly string[];
  readonly hidden: readonly string[];
  readonly limits: PlaceLimits;
  /** Text of a file of the project as the person left it; absent: as it is. */
  readonly personsText?: (path: string) => Promise<string | null>;
  /** Files of the project that no commit has and hooks of clients read: guard rules. */
  readonly rules?: () => Promise<readonly string[]>;
  /** The person's proxy, if there is one. */
  readonly upstream?: URL;
}

/** What is known of a run's project once, and of the work tree that was asked about last: a verdict's is entered many times. */
export interface Project {
  readonly top: string;
  readonly dependencies: readonly string[];
  /**
   * The work tree that a folder lies in, with the objects that it borrows, as the first program found it that entered: what an agent
   * does to its `.git` leads the next one nowhere else. Null: none.
   */
  treeAt(folder: string): Promise<EnteredTree | null>;
  /** Of the repository that a work tree belongs to. */
  viewOf(tree: WorkTree): Promise<RepositoryView>;
}

export interface EnteredTree extends WorkTree {
  readonly stores: ReturnType<typeof storesOf>;
}

export async function lookAt({ root, folder_git }: ConfinementOptions): Promise<Project> {
  const person = await workTreeAt(root);
  const place = person === null && folder_git !== undefined ? { GIT_DIR: folder_git, GIT_WORK_TREE: root } : {};
  const tree = person ?? (await workTreeAt(root, place));
  const asking = createAsking();
  if (tree === null) return { top: realpathSync(root), dependencies: [], ...asking };
  const own = readRepository(tree.top, place);
  const [dependencies] = await Promise.all([dependenciesIn(tree.top, place), own]);
  const viewOf: Project["viewOf"] = async (of) => await (of.common === tree.common ? own : asking.viewOf(of));
  return { top: tree.top, dependencies, treeAt: asking.treeAt, viewOf };
}

/** More folders than a run enters one beside another. */
const MOST_TREES = 500;

function createAsking(): Pick<Project, "treeAt" | "viewOf"> {
  const known = new Map<string, EnteredTree>();
  let view: { readonly common: string; readonly of: Promise<RepositoryView> } | null = null;
  return {
    async treeAt(at) {
      const first = known.get(at);
      const head = first === undefined ? null : textAt(join(first.admin, "HEAD"));
      // It is at the same commit still where none of its branches can have moved: it is on none.
      if (first !== undefined && head === `${first.head ?? ""}\n`) return first;
      const tree = await workTreeAt(at);
      if (tree === null || (first !== undefined && tree.top !== first.top)) return first ?? null;
      const entered = first === undefined ? { ...tree, stores: storesOf(tree.common) } : { ...first, head: tree.head };
      known.set(at, entered);
      for (const oldest of known.keys()) if (known.size > MOST_TREES) known.delete(oldest);
      return entered;
    },
    async viewOf({ common, top }) {
      if (view?.common !== common) view = { common, of: readRepository(top) };
      return await view.of;
    },
  };
}

/** What a command line names in a folder for temporary files: the folder that a file lies in, else the file. */
export function namedIn({ command, args = [] }: ProgramStart): readonly string[] {
  const line = [command, ...args].join(" ");
  // A sentence may end with `/tmp/.`: that is not all of it.
  const paths = (line.match(/\/[^\s'"`;|&<>()$=,:]+/g) ?? []).map((path) => resolve(path)).filter(isTemporary);
  return paths.flatMap((path) => {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry?.isDirectory() === true) return [path];
    return entry?.isFile() === true ? [isTemporary(dirname(path)) ? dirname(path) : path] : [];
  });
}

function isTemporary(path: string): boolean {
  return /^\/(?:tmp|var\/tmp|dev\/shm)\/./.test(path) && !isInTemporaryFolder(path);
}

/** Where a program leaves its mark as it begins, and the file behind it. */
const MARK_INSIDE = "/run/aot/began";

/**
 * What runs in a place. A shell says of a program that is not there what callers know how to read: exit code 127.
 * @param mark a file that has something in it from then on
 */
export function programOf({ command, args = [], shell }: ProgramStart, mark: string): readonly string[] {
  const program = shell === true ? ["/bin/sh", "-c", command] : [command, ...args];
  return ["/bin/sh", "-c", 'echo 1 >"$0"; exec "$@"', mark, ...program];
}

/** Makes the mark's file. */
export function markIn(dir: string): Mount & { began(): boolean } {
  const from = join(dir, "began");
  writeFileSync(from, "");
  return { from, at: MARK_INSIDE, writes: true, began: () => statSync(from).size > 0 };
}

/** Where guard rules are seen: at the project's own path an attempt's files lie. */
const RULES_INSIDE = "/run/aot/project";

/** Guard rules read-only, and where hooks look for them. */
export async function rulesOf({ rules, root }: ConfinementOptions, { top }: Project): Promise<Shown> {
  const files = (await rules?.()) ?? [];
  if (files.length === 0) return { mounts: [], env: {} };
  const at = (path: string): string => join(RULES_INSIDE, relative(top, realpathSync(path)));
  const mounts = files.map((from) => ({ from, at: join(at(dirname(from)), basename(from)), writes: false }));
  return { mounts, env: { AOT_LOOP_ROOT: at(root) } };
}

/**
 * What `.git` of a work tree is inside. An agent has the slot's own, which is its to spoil: what it adds to its index there counts. A
 * check gets another one, and so does who works in the person's checkout.
 */
export async function gitMounts(
  project: Project,
  tree: EnteredTree | null,
  files: string,
  { dir, user }: Pick<PlaceUse, "user"> & { readonly dir: string },
): Promise<readonly Mount[]> {
  const entry = gitEntryOf(files);
  if (tree === null || entry === null) return [];
  const at = join(project.top, ".git");
  const objects = tree.stores.flatMap(({ from, at: store, borrows }) => [
    { from, at: store, writes: false },
    ...(borrows === null ? [] : [{ from: join(dir, "empty"), at: borrows, writes: false }]),
  ]);
  if (user !== "check" && entry === "folder" && files !== project.top) {
    const [own, ...others] = tree.stores;
    if (own === undefined || !isPlainFile(join(files, ".git"), BORROWS)) return [];
    const borrowed = join(dir, "alternates");
    writeFileSync(borrowed, others.map((store) => `${store.at}\n`).join(""));
    return [
      ...objects.filter(({ from }) => from !== own.from),
      { from: borrowed, at: join(at, BORROWS), writes: false },
    ];
  }
  const into = join(dir, "git");
  writeGitView(into, tree, await project.viewOf(tree));
  if (entry === "folder") return [...objects, { from: into, at, writes: true }];
  const pointer = join(dir, "gitfile");
  writeFileSync(pointer, `gitdir: ${GIT_INSIDE}\n`);
  return [...objects, { from: into, at: GIT_INSIDE, writes: true }, { from: pointer, at, writes: false }];
}

const BORROWS = "objects/info/alternates";

/** Whether a file is there by folders that are none but folders. */
function isPlainFile(top: string, path: string): boolean {
  const parts = path.split("/");
  const at = (count: number): Stats | undefined =>
    lstatSync(join(top, ...parts.slice(0, count)), { throwIfNoEntry: false });
  return parts.every((_, count) => at(count)?.isDirectory() === true) && at(parts.length)?.isFile() === true;
}

export interface Network {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  /** What the program is started by. */
  readonly through: readonly string[];
  refused(): readonly string[];
  close(): Promise<void>;
}

const SOCKET_INSIDE = "/run/aot/proxy";

/** What a program may reach: `host`, `*.host`, either with `:port`. */
export async function hostsFor(
  { root, home, allow_domains, personsText }: ConfinementOptions,
  { user, hosts = [] }: PlaceUse,
  { command, env }: Pick<ProgramStart, "command" | "env">,
): Promise<readonly string[]> {
  if (user === "check") return hosts;
  const textIn = personsText ?? ((path: string) => Promise.resolve(textAt(join(root, path))));
  const own = user === "set_up" ? await registriesFor(command, { env, home, textIn }) : hostsOf(user, env, home);
  return [...own, ...allow_domains];
}

/** @param node the program that runs the forwarder inside */
export async function networkOf(
  options: ConfinementOptions,
  use: PlaceUse,
  start: ProgramStart,
  { dir, node }: { readonly dir: string; readonly node: string },
): Promise<Network> {
  const hosts = await hostsFor(options, use, start);
  if (hosts.length === 0)
    return { mounts: [], env: {}, through: [], refused: () => [], close: () => Promise.resolve() };
  const socket = join(dir, "proxy");
  const proxy = await openHostProxy(socket, hosts, options.upstream);
  const address = `http://127.0.0.1:${PROXY_PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]);
  const local = localServices(hosts).join(",");
  return {
    mounts: [{ from: socket, at: SOCKET_INSIDE, writes: true }],
    env: {
      ...Object.fromEntries(names.map((name) => [name, address])),
      NO_PROXY: "localhost,127.0.0.1,::1",
      no_proxy: "localhost,127.0.0.1,::1",
      NODE_USE_ENV_PROXY: "1",
    },
    through: [node, "-e", FORWARDER, "--", SOCKET_INSIDE, local === "" ? "-" : local],
    refused: proxy.refused,
    close: proxy.close,
  };
}
