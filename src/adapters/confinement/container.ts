/**
 * Confinement by a container of the person's image (`sandbox_image`), with docker or podman (SPEC section 15). Its tools are the
 * image's: the client, the project's toolchain, and `node` where hosts are allowed.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Entered, Left, PlaceUse, ProgramStart } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";
import { environmentFor } from "./environment.ts";
import { workTreeAt } from "./git-view.ts";
import { FILE_BYTES } from "./limits.ts";
import { createPlaceFolders } from "./place-folders.ts";
import {
  gitMounts,
  lookAt,
  markIn,
  networkOf,
  programOf,
  rulesOf,
  type ConfinementOptions,
  type Mount,
  type Project,
} from "./place-parts.ts";

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
        known ??= lookAt(options.root);
        const project = await known;
        const cwd = realpathSync(start.cwd);
        const tree = await workTreeAt(cwd);
        const files = tree?.top ?? cwd;
        const dir = folders.make();
        const network = await networkOf(options, use, start, { dir, node: "node" });
        const mark = markIn(dir);
        const rules = await rulesOf(options, project);
        const mounts = [
          { from: files, at: project.top, writes: use.writes },
          ...(await gitMounts(project, tree, files, dir)),
          ...ownFilesOf(options, use),
          mark,
          ...network.mounts,
          ...rules.mounts,
        ];
        const inside = join(project.top, relative(files, cwd));
        const env = { ...environmentFor(use.user, start.env, options.allow_env), ...network.env, ...rules.env };
        const args = containerArguments(image, options, {
          mounts,
          inside,
          env,
          command: [...limitedTo(options.limits), ...network.through, ...programOf(start, mark.at)],
        });
        const leave = async (): Promise<Left> => {
          const left = { began: mark.began(), refused: network.refused() };
          await network.close();
          await removeTree(dir);
          return left;
        };
        return { ok: true, cwd: inside, start: { command: engine, args, cwd: "/", env: start.env }, leave };
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

/** The client's own files; nothing else of the home folder is there. */
function ownFilesOf({ home }: ConfinementOptions, { user }: PlaceUse): readonly Mount[] {
  return CLIENT_NEEDS[user].renews.map((path) => ({
    from: join(home, path),
    at: join(HOME_INSIDE, path),
    writes: true,
  }));
}

const HOME_INSIDE = "/tmp/home";
/** Of the machine that it runs on, which mean nothing in an image. */
const FOREIGN = /^(?:PATH|HOME|USER|LOGNAME|SHELL|XDG_.*|NVM_.*|VIRTUAL_ENV|PYENV_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_.*)$/;

export interface ContainerPlace {
  readonly mounts: readonly Mount[];
  readonly inside: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly command: readonly string[];
}

/** What an engine's own flag would take in the place of the person's defaults; a shell counts a file's blocks of 512 bytes. */
function limitedTo({ file = FILE_BYTES }: ConfinementOptions["limits"]): readonly string[] {
  return ["/bin/sh", "-c", 'ulimit -c 0; ulimit -f "$0"; exec "$@"', String(Math.ceil(file / 512))];
}

/** The command line after the engine's name. */
export function containerArguments(
  image: string,
  { limits }: Pick<ConfinementOptions, "limits">,
  { mounts, inside, env, command }: ContainerPlace,
): readonly string[] {
  const passed = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.test(name))),
    HOME: HOME_INSIDE,
  };
  return [
    "run",
    "--rm",
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
    "/tmp:exec,mode=1777",
    "--tmpfs",
    "/run",
    "--user",
    `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
    "--pids-limit",
    String(limits.processes ?? 4_096),
    "--oom-score-adj",
    "1000",
    ...(limits.memory === undefined ? [] : ["--memory", `${limits.memory}b`, "--memory-swap", `${limits.memory}b`]),
    ...mounts.flatMap(({ from, at, writes }) => [
      "--mount",
      `type=bind,source=${from},target=${at}${writes ? "" : ",readonly"}`,
    ]),
    ...Object.entries({ ...passed, AOT_CONFINED: "container" }).flatMap(([name, value]) =>
      value === undefined ? [] : ["--env", `${name}=${value}`],
    ),
    "--workdir",
    inside,
    image,
    ...command,
  ];
}
