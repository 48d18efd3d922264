/**
 * Confinement by a container of the person's image (`sandbox_image`), with docker or podman (SPEC section 15). Its tools are the
 * image's: the client, the project's toolchain, and `node` where hosts are allowed.
 *
 * CONTAINER-1 it ends with its program, with the engine's client however that ends, and with the runner: on Linux its processes
 *    carry the mark of the client's group, elsewhere the engine removes it once its client was ended by force;
 * CONTAINER-2 no value of the environment stands in the engine's command line, where every user of the machine can read it.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { MARK_VARIABLE } from "../../host/process-group.ts";
import { runGroup } from "../../host/process.ts";
import type { Entered, Left, PlaceUse, ProgramStart } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";
import { environmentFor } from "./environment.ts";
import { limitsHere, limitsOf, SET_LIMITS } from "./limits.ts";
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
  type Project,
} from "./place-parts.ts";
import { fromHome } from "./secrets.ts";
import { watchPlace } from "./watch.ts";

export interface Container {
  enter(start: ProgramStart, use: PlaceUse): Promise<Entered>;
  close(): Promise<void>;
}

/** @param engine `docker` or `podman` */
export function createContainer(engine: string, image: string, options: ConfinementOptions): Container {
  const folders = createPlaceFolders(options.home);
  let known: Promise<Project> | null = null;
  return {
    async enter(start, use) {
      try {
        known ??= lookAt(options);
        return await enter({ engine, image, options, project: await known }, { start, use, folders });
      } catch (error) {
        return {
          ok: false,
          reason: `the container could not be described: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
    },
    close: () => folders.close(),
  };
}

interface Given {
  readonly engine: string;
  readonly image: string;
  readonly options: ConfinementOptions;
  readonly project: Project;
}

interface Entry {
  readonly start: ProgramStart;
  readonly use: PlaceUse;
  readonly folders: ReturnType<typeof createPlaceFolders>;
}

async function enter({ engine, image, options, project }: Given, { start, use, folders }: Entry): Promise<Entered> {
  const cwd = realpathSync(start.cwd);
  const tree = await project.treeAt(cwd);
  const files = tree?.top ?? cwd;
  const inside = join(project.top, relative(files, cwd));
  const dir = folders.make();
  const name = `aot-${dir.split("/").slice(-2).join("-")}`;
  const home = use.call === undefined ? join(dir, "home") : folders.homeOf(use.call);
  mkdirSync(home, { recursive: true });
  const limits = limitsHere(options.limits);
  const network = await networkOf(options, use, start, { dir, node: "node" });
  const mark = markIn(dir);
  const rules = await rulesOf(options, project);
  const args = containerArguments(
    { engine, image, name },
    {
      mounts: [
        { from: join(dir, "tmp"), at: "/tmp", writes: true },
        { from: home, at: HOME_INSIDE, writes: true },
        ...ownFilesOf(options, use),
        { from: files, at: project.top, writes: use.writes },
        ...(await gitMounts(project, tree, files, { dir, user: use.user })),
        ...[...new Set([...(use.reads ?? []), ...namedIn(start)])].map(seen),
        mark,
        ...network.mounts,
        ...rules.mounts,
      ],
      inside,
      passed: passedOf(options, use, start),
      env: { ...network.env, ...rules.env },
      limits,
      command: [...limitedTo(engine, limits, dir), ...network.through, ...programOf(start, mark.at)],
    },
  );
  const watch = watchPlace(dir, limits, "engine");
  return {
    ok: true,
    cwd: inside,
    start: { command: engine, args, cwd: "/", env: start.env },
    leave: async (forced) => {
      const why = watch.stop();
      if (forced)
        await runGroup({
          command: engine,
          args: ["rm", "--force", name],
          cwd: "/",
          env: start.env,
          timeout_ms: REMOVAL_MS,
        });
      const left: Left = { began: mark.began(), refused: [...network.refused(), ...why] };
      await network.close();
      await removeTree(dir);
      return why.length > 0 ? { ...left, killed: true } : left;
    },
  };
}

const REMOVAL_MS = 20_000;
const HOME_INSIDE = "/home/aot";

function seen(path: string): Mount {
  return { from: path, at: path, writes: false };
}

/** The login that the client renews, and what a person allows; nothing else of the home folder is there. */
function ownFilesOf({ home, allow_write }: ConfinementOptions, { user }: PlaceUse): readonly Mount[] {
  const paths = [
    ...CLIENT_NEEDS[user].renews.map((path) => join(home, path)),
    ...allow_write.map((path) => fromHome(path, home)),
  ];
  return paths
    .filter((path) => existsSync(path))
    .map((from) => ({
      from,
      at: from.startsWith(home + sep) ? join(HOME_INSIDE, relative(home, from)) : from,
      writes: true,
    }));
}

/** Of the machine that it runs on, which mean nothing in an image. */
const FOREIGN =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|XDG_.*|NVM_.*|VIRTUAL_ENV|PYENV_.*|NODE_EXTRA_CA_CERTS|NODE_PATH|SSL_CERT_.*|LD_.*|JAVA_HOME|JDK_HOME|GOROOT)$/;

function passedOf({ allow_env }: ConfinementOptions, { user }: PlaceUse, { env }: ProgramStart): readonly string[] {
  return Object.keys(environmentFor(user, env, allow_env)).filter(
    (name) => allow_env.includes(name) || !FOREIGN.test(name),
  );
}

export interface ContainerPlace {
  readonly mounts: readonly Mount[];
  readonly inside: string;
  /** Names of the machine's environment. */
  readonly passed: readonly string[];
  /** The place's own, no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ReturnType<typeof limitsHere>;
  readonly command: readonly string[];
}

/**
 * What an engine's own flags would take in the place of the person's defaults, and what one without cgroups does not hold.
 * @param mark what the command line of the container's first process is known by
 */
function limitedTo(engine: string, limits: ContainerPlace["limits"], mark: string): readonly string[] {
  const [, processes = "0", ...others] = limitsOf(limits);
  // Elsewhere the kernel would count the person's own processes, too.
  return ["/bin/sh", "-c", `${SET_LIMITS}exec "$@"`, mark, hasOwnUsers(engine) ? processes : "0", ...others];
}

/** Without root's rights podman gives an image users of its own. */
function hasOwnUsers(engine: string): boolean {
  return engine === "podman" && process.getuid?.() !== 0;
}

/** The command line after the engine's name. */
export function containerArguments(
  { engine, image, name }: Pick<Given, "engine" | "image"> & { readonly name: string },
  { mounts, inside, passed, env, limits, command }: ContainerPlace,
): readonly string[] {
  const ours = { HOME: HOME_INSIDE, AOT_CONFINED: "container", ...env };
  const names = passed.filter((one) => !(one in ours));
  return [
    "run",
    "--rm",
    "--name",
    name,
    "--interactive",
    "--init",
    "--network",
    "none",
    "--read-only",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    "--tmpfs",
    `/run:size=${limits.inMemory}`,
    "--shm-size",
    `${limits.inMemory}b`,
    ...(hasOwnUsers(engine) ? ["--userns", "keep-id"] : []),
    "--user",
    `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
    "--pids-limit",
    String(limits.processes),
    "--oom-score-adj",
    "1000",
    ...(limits.memory === undefined ? [] : ["--memory", `${limits.memory}b`, "--memory-swap", `${limits.memory}b`]),
    ...mounts.flatMap(({ from, at, writes }) => [
      "--mount",
      ["type=bind", `source=${from}`, `target=${at}`, ...(writes ? [] : ["readonly"])].map(field).join(","),
    ]),
    // Their values are in the engine's own environment.
    ...[MARK_VARIABLE, ...names].flatMap((one) => ["--env", one]),
    ...Object.entries(ours).flatMap(([one, value]) => ["--env", `${one}=${value}`]),
    "--workdir",
    inside,
    image,
    ...command,
  ];
}

/** Of a line of comma-separated values. */
function field(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
