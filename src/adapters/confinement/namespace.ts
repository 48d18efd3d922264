/**
 * Confinement by Linux namespaces, without any rights (SPEC section 15): `unshare` makes a user, mount and PID namespace, mounts
 * the overlays and sets the limits there; `bwrap` builds the view in a second one and runs the program in it.
 *
 * NAMESPACE-1 the attempt's files lie at the project's own path, and nothing of the person's checkout is reachable;
 * NAMESPACE-2 the rest of the file system is read-only; the home folder and dependencies are copies on write, dropped at the end;
 * NAMESPACE-3 what is hidden is mounted over, which nothing inside can undo: its mounts are locked;
 * NAMESPACE-4 every process dies with the namespace's first one, which dies with the runner; SIGTERM reaches the program and
 *    no process before it, so that it can end by itself;
 * NAMESPACE-5 what it keeps in memory as files is bounded, and it is what the kernel ends first where memory runs out;
 *    what goes beyond its limits all together is ended whole (watch.ts);
 * NAMESPACE-6 there is no network but a loopback of its own, and one socket to the proxy where hosts are allowed.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Confinement, Entered, Left, PlaceUse, ProgramStart, SharedFolders } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";
import { environmentFor } from "./environment.ts";
import { foldersInMemory, limitsHere, limitsOf, SET_LIMITS, type FoldersInMemory } from "./limits.ts";
import { settingsOfMachine } from "./machine-settings.ts";
import { createPlaceFolders } from "./place-folders.ts";
import {
  gitMounts,
  lookAt,
  markIn,
  namedIn,
  networkOf,
  programOf,
  rulesOf,
  type ConfinementOptions,
  type Mount,
  type Network,
  type Project,
  type Shown,
} from "./place-parts.ts";
import { watchPlace, type Watch } from "./watch.ts";
import { fromHome, openPartOf, secretsFor, socketsOfMachine } from "./secrets.ts";

/** Folders that every program has for itself. */
const PRIVATE = ["/tmp", "/var/tmp", "/run", "/dev"] as const;
/**
 * Sets the limits, hides sockets (one that has gone meanwhile needs no hiding), mounts the overlays (lower, upper, work, where)
 * and becomes what follows `--`.
 */
const STAGE = `
echo 1000 2>/dev/null >/proc/self/oom_score_adj
if [ "$1" -gt 0 ]; then echo "$1" >/proc/sys/kernel/pid_max || exit 125; fi
shift
${SET_LIMITS}
empty=$1
shift
while [ "$1" != + ]; do
  mount --bind "$empty" "$1" 2>/dev/null || [ ! -e "$1" ] || { echo "$1 could not be hidden" >&2; exit 125; }
  shift
done
shift
while [ "$1" != -- ]; do
  mount -t overlay aot -o "lowerdir=$1,upperdir=$2,workdir=$3,userxattr" "$4" || exit 125
  shift 4
done
shift
exec "$@"
`;

/** A path that an overlay's options cannot spell. */
const UNSPEAKABLE = /[,:\\\n]/;

/** Where the view shows it, where it is, and what STAGE mounts. */
interface Overlay {
  readonly at: string;
  readonly merged: string;
  readonly mount: readonly string[];
}

export type Namespace = Required<Pick<Confinement, "enter" | "share" | "close">>;

export function createNamespace(options: ConfinementOptions): Namespace {
  const folders = createPlaceFolders(options.home);
  const shared = new Map<string, SharedFolders>();
  let known: Promise<Project> | null = null;
  return {
    async enter(start, use) {
      try {
        known ??= lookAt(options);
        const [project, memory] = await Promise.all([known, foldersInMemory(limitsHere(options.limits))]);
        return await enter(options, project, { start, use, folders, shared, memory });
      } catch (error) {
        return {
          ok: false,
          reason: `the place could not be made: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
    },
    share(top, wanted) {
      shared.delete(realpathSync(top));
      if (wanted === null) return true;
      if (wanted.paths.some((path) => UNSPEAKABLE.test(join(wanted.from, path)))) return false;
      shared.set(realpathSync(top), wanted);
      return true;
    },
    close: () => folders.close(),
  };
}

interface Entry {
  readonly start: ProgramStart;
  readonly use: PlaceUse;
  readonly folders: ReturnType<typeof createPlaceFolders>;
  /** By work tree. */
  readonly shared: ReadonlyMap<string, SharedFolders>;
  readonly memory: FoldersInMemory;
}

async function enter(options: ConfinementOptions, project: Project, entry: Entry): Promise<Entered> {
  const { start, use, folders, memory } = entry;
  const cwd = realpathSync(start.cwd);
  const asked = project.treeAt(cwd);
  // While git answers:
  const dir = folders.make();
  const limits = limitsHere(options.limits);
  const mark = markIn(dir);
  const kept = keptOf(options, start, use);
  const hidden = hiding(options, use, { project: project.top, dir, memory, kept });
  const sockets = hiddenFirst(options, kept);
  const network = await networkOf(options, use, start, { dir, node: process.execPath });
  const shown = [await rulesOf(options, project), ...(use.user === "set_up" ? [checkoutOf(project)] : [])];
  const tree = await asked;
  const files = tree?.top ?? cwd;
  const inside = join(project.top, relative(files, cwd));
  const home = use.call === undefined ? dir : folders.homeOf(use.call);
  const overlays = overlaysOf(options, project, files, { dir, home, use, shared: entry.shared.get(files) });
  const view = [
    ...base(dir, memory, kept),
    ...overlays.slice(0, 1).flatMap(merged),
    ...hidden,
    use.writes ? "--bind" : "--ro-bind",
    files,
    project.top,
    ...overlays.slice(1).flatMap(merged),
    ...(await gitMounts(project, tree, files, { dir, user: use.user })).flatMap(bound),
    ...ownOf(options.own, project.top, files, { dir, memory }),
    ...[mark, ...network.mounts, ...shown.flatMap(({ mounts }) => mounts)].flatMap(bound),
  ];
  const command = programOf(start, mark.at);
  const passed = environmentFor(use.user, start.env, options.allow_env);
  const env = Object.assign({}, passed, PLACE_ENV, network.env, ...shown.map(({ env: more }) => more));
  const args = [
    ...UNSHARE,
    "/bin/sh",
    "-c",
    STAGE,
    "aot-place",
    ...limitsOf(limits),
    join(dir, "empty"),
    ...sockets,
    ...overlays.flatMap(({ mount }) => mount),
    "--",
    ...BWRAP,
    ...view,
    "--chdir",
    inside,
    "--",
    ...network.through,
    ...command,
  ];
  return {
    ok: true,
    cwd: inside,
    start: { command: "unshare", args, cwd: "/", env },
    leave: leaving(dir, watchPlace(join(dir, "empty"), limits), network, mark),
  };
}

function leaving(dir: string, watch: Watch, network: Network, mark: ReturnType<typeof markIn>): () => Promise<Left> {
  return async () => {
    const why = watch.stop();
    const left: Left = { began: mark.began(), refused: [...network.refused(), ...why] };
    await network.close();
    // Nobody waits for it: `close` removes what is left.
    void removeTree(dir);
    return why.length > 0 ? { ...left, killed: true } : left;
  };
}

function merged({ at, merged: from }: Overlay): readonly string[] {
  return ["--bind", from, at];
}

function bound({ from, at, writes }: Mount): readonly string[] {
  return [writes ? "--bind" : "--ro-bind", from, at];
}

/** The dependencies of the person's checkout, for a set-up that takes them from there. */
function checkoutOf({ top, dependencies }: Project): Shown {
  const mounts = dependencies.map((path) => ({
    from: join(top, path),
    at: join(CHECKOUT_INSIDE, path),
    writes: false,
  }));
  return { mounts, env: { AOT_ROOT: CHECKOUT_INSIDE } };
}

const CHECKOUT_INSIDE = "/run/aot/checkout";

/** With a /proc of its own: bwrap looks its child up there by the number that it has in here. */
const UNSHARE = ["--user", "--map-root-user", "--mount-proc", "--pid", "--fork", "--kill-child", "--"];
const BWRAP = [
  "bwrap",
  "--unshare-user",
  "--uid",
  String(process.getuid?.() ?? 0),
  "--gid",
  String(process.getgid?.() ?? 0),
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];
const PLACE_ENV = { TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp", AOT_CONFINED: "namespace" };

/** What the program needs of the private folders. */
function keptOf({ home }: ConfinementOptions, start: ProgramStart, { reads = [] }: PlaceUse): readonly string[] {
  const { command, env } = start;
  const onPath = (env["PATH"] ?? "").split(":");
  const kept = [
    home,
    ...onPath.map(prefixOf),
    ...installedAt(command, onPath),
    process.execPath,
    ...reads,
    ...namedIn(start),
    "/run/systemd/resolve",
    "/run/current-system",
    "/run/wrappers",
  ];
  return [...new Set(kept)].filter(isPrivate);
}

/** What a folder of programs belongs to, which do nothing without it: packages, a virtual environment. */
function prefixOf(folder: string): string {
  if (/\/node_modules\/\.bin\/?$/.test(folder)) return dirname(folder);
  return existsSync(join(dirname(folder), "pyvenv.cfg")) ? dirname(folder) : folder;
}

/** Where a program really is that is started by its name or by a link: with the packages beside it, if it is one of Node's. */
function installedAt(command: string, path: readonly string[]): readonly string[] {
  const named = path.map((folder) => resolve(folder, command)).find((file) => existsSync(file));
  if (named === undefined) return [];
  const file = realpathSync(named);
  const packages = file.indexOf(`${sep}node_modules${sep}`);
  return [packages < 0 ? dirname(file) : file.slice(0, packages + "/node_modules".length)];
}

/** The system read-only, and private folders. */
function base(dir: string, memory: FoldersInMemory, kept: readonly string[]): readonly string[] {
  const temporary = join(dir, "tmp");
  return [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    ...memory.whole("/dev/shm"),
    "--remount-ro",
    "/dev",
    "--proc",
    "/proc",
    ...settingsOfMachine().flatMap((path) => ["--ro-bind-try", path, path]),
    ...memory.whole("/run"),
    "--bind",
    temporary,
    "/tmp",
    "--bind",
    temporary,
    "/var/tmp",
    ...kept.flatMap((path) => ["--ro-bind-try", path, path]),
  ];
}

function isPrivate(path: string): boolean {
  return PRIVATE.some((folder) => path.startsWith(`${folder}/`));
}

/** The home folder first, then caches, and the dependencies that the attempt has not got itself: the run's, else the person's. */
function overlaysOf(
  { home }: ConfinementOptions,
  { top, dependencies }: Project,
  files: string,
  at: Pick<Entry, "use"> & { readonly dir: string; readonly home: string; readonly shared: SharedFolders | undefined },
): readonly Overlay[] {
  const { installs = false, writes } = at.use;
  // In a folder that is only read there is nothing to mount them on, unless it is there.
  const canHold = (path: string): boolean => writes || existsSync(path);
  const lower = new Map(dependencies.map((path) => [path, join(top, path)]));
  for (const path of at.shared?.paths ?? []) lower.set(path, join(at.shared?.from ?? top, path));
  // What a set-up installs is the attempt's own: a copy of the person's would take it, and be dropped.
  const missing =
    files === top || installs
      ? []
      : [...lower].filter(([path]) => canHold(join(files, path)) && isEmpty(join(files, path)));
  if (!existsSync(home)) throw new Error(`the home folder ${home} is not there; set HOME to one that is`);
  if (UNSPEAKABLE.test(home)) throw new Error(`the home folder ${home} has a character that an overlay cannot spell`);
  const shown = [...cachesHere(), ...missing.map(([path, from]) => [join(top, path), from] as const)];
  const wanted = [[home, home] as const, ...shown.filter(([, from]) => !UNSPEAKABLE.test(from))];
  return wanted.map(([path, from], number) => {
    const folder = number === 0 ? join(at.home, "home") : join(at.dir, `dependency-${number}`);
    const merged = join(folder, "merged");
    for (const name of ["upper", "work", "merged"]) mkdirSync(join(folder, name), { recursive: true });
    const mount = [realpathSync(from), join(folder, "upper"), join(folder, "work"), merged];
    return { at: path, merged, mount };
  });
}

/** Tools keep them in the folder for temporary files, by what was in a file: a suite without them may take twice as long. */
const CACHE = /^(?:jest_\w+|node-compile-cache)$/;

/** The person's own: where a program looks for them, and where they are. */
function cachesHere(): readonly (readonly [string, string])[] {
  const from = tmpdir();
  return (existsSync(from) ? readdirSync(from) : []).flatMap((name) => {
    const entry = CACHE.test(name) ? lstatSync(join(from, name), { throwIfNoEntry: false }) : undefined;
    const isOwn = entry?.isDirectory() === true && entry.uid === process.getuid?.();
    return isOwn ? [[join("/tmp", name), join(from, name)] as const] : [];
  });
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}

function isSeen(path: string, home: string, kept: readonly string[]): boolean {
  return !isPrivate(path) || [home, ...kept].some((seen) => isBelow(seen, path));
}

function socketsFor({ home }: ConfinementOptions, kept: readonly string[]): readonly string[] {
  return socketsOfMachine().filter((path) => isSeen(path, home, kept));
}

/** Sockets outside of the home folder, in front of which an empty file is mounted. */
function hiddenFirst(options: ConfinementOptions, kept: readonly string[]): readonly string[] {
  const sockets = socketsFor(options, kept).filter((path) => !isBelow(options.home, path));
  return [...sockets, "+"];
}

/** Secrets, and then what this client renews itself and what a person allows. */
function hiding(
  options: ConfinementOptions,
  use: PlaceUse,
  { project, kept, ...place }: Covers & { readonly project: string; readonly kept: readonly string[] },
): readonly string[] {
  const { home, allow_write, hidden } = options;
  const secrets = secretsFor(use.user, { home, project, allowed: allow_write, hidden });
  const renewed = CLIENT_NEEDS[use.user].renews.map((path) => join(home, path));
  const written = [...renewed, ...allow_write.map((path) => fromHome(path, home))].filter((path) => existsSync(path));
  // The home folder's are in the overlay, where a mount can be made whatever is there.
  const sockets = socketsFor(options, kept).filter((path) => isBelow(home, path));
  return [
    ...[...secrets.filter((path) => isSeen(path, home, kept)), ...sockets].flatMap((path) => over(path, place)),
    ...written.flatMap((path) => ["--bind", path, path]),
  ];
}

/** What hidden paths are covered with. */
interface Covers {
  readonly dir: string;
  readonly memory: FoldersInMemory;
}

/** An empty folder or file in the place of this one, or what of it is no secret. */
function over(path: string, { dir, memory }: Covers): readonly string[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (entry.isDirectory()) return memory.small(path);
  const open = openPartOf(path);
  if (open === null) return ["--ro-bind", join(dir, "empty"), path];
  const from = join(dir, `open-${createHash("sha256").update(path).digest("hex").slice(0, 16)}`);
  writeFileSync(from, open);
  return ["--ro-bind", from, path];
}

/** The loop's own: gone with the person's checkout, but where the attempt works in that itself, or they lie elsewhere. */
function ownOf(own: readonly string[], top: string, files: string, place: Covers): readonly string[] {
  return own.filter((path) => files === top || !path.startsWith(top + sep)).flatMap((path) => over(path, place));
}
