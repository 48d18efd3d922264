/**
 * Confinement by `@anthropic-ai/sandbox-runtime` (an optional peer): Seatbelt on macOS, bubblewrap on Linux. Weaker than
 * namespaces of our own: files lie where the worktree is, the person's checkout can be read, a process that leaves its session
 * outlives the program on macOS, and all programs of a run share one list of hosts.
 */
import { removeTree } from "../../host/remove-tree.ts";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { importOptional } from "../../host/optional-package.ts";
import type { Entered, PlaceUse, ProgramStart } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";
import { environmentFor } from "./environment.ts";
import { createPlaceFolders } from "./place-folders.ts";
import { hostsFor, lookAt, markIn, programOf, type ConfinementOptions, type Project } from "./place-parts.ts";
import { fromHome, secretsFor, socketsOfMachine } from "./secrets.ts";

export const SRT_PACKAGE = "@anthropic-ai/sandbox-runtime";

interface SrtRules {
  readonly network: {
    readonly allowedDomains: string[];
    readonly deniedDomains: string[];
    readonly allowLocalBinding: boolean;
  };
  readonly filesystem: { readonly denyRead: string[]; readonly allowWrite: string[]; readonly denyWrite: string[] };
}

/** What is used of the package. */
interface Manager {
  initialize(rules: SrtRules): Promise<void>;
  isSupportedPlatform(): boolean;
  checkDependencies(): { readonly errors: readonly string[] };
  wrapWithSandbox(command: string, shell: string | undefined, rules: SrtRules): Promise<string>;
  reset(): Promise<void>;
}

export interface Srt {
  enter(start: ProgramStart, use: PlaceUse): Promise<Entered>;
  close(): Promise<void>;
}

/** Refused where the package is not installed, or what it needs is not. */
export async function openSrt(options: ConfinementOptions): Promise<Result<Srt>> {
  let manager: Manager;
  try {
    manager = ((await importOptional(SRT_PACKAGE)) as { SandboxManager: Manager }).SandboxManager;
  } catch {
    return refused(`${SRT_PACKAGE} is not installed`, `install it: npm install ${SRT_PACKAGE}`);
  }
  const { errors } = manager.isSupportedPlatform()
    ? manager.checkDependencies()
    : { errors: ["it does not know this platform"] };
  if (errors.length > 0) return refused(`${SRT_PACKAGE}: ${errors.join("; ")}`, "install what it names");
  const folders = createPlaceFolders(options.home);
  const project = await lookAt(options);
  let ready: Promise<void> | null = null;
  return accepted({
    async enter(start, use) {
      try {
        ready ??= rulesFor(options, use, start, { files: start.cwd, temporary: start.cwd, isSlot: false }).then(
          (rules) => manager.initialize(rules),
        );
        await ready;
        return await enter(manager, { ...options, project }, { start, use, dir: folders.make() });
      } catch (error) {
        return { ok: false, reason: `${SRT_PACKAGE}: ${error instanceof Error ? error.message : String(error)}` };
      }
    },
    close: async () => {
      if (ready !== null) await manager.reset();
      await folders.close();
    },
  });
}

async function enter(
  manager: Manager,
  options: ConfinementOptions & { readonly project: Project },
  { start, use, dir }: { readonly start: ProgramStart; readonly use: PlaceUse; readonly dir: string },
): Promise<Entered> {
  const cwd = realpathSync(start.cwd);
  const files = (await options.project.treeAt(cwd))?.top ?? cwd;
  const temporary = join(dir, "tmp");
  const mark = markIn(temporary);
  const line = programOf(start, mark.from).map(quoted).join(" ");
  const wrapped = await manager.wrapWithSandbox(
    line,
    undefined,
    await rulesFor(options, use, start, { files, temporary, isSlot: files !== options.project.top }),
  );
  const places = { TMPDIR: temporary, TMP: temporary, TEMP: temporary, AOT_CONFINED: "srt" };
  const env = { ...environmentFor(use.user, start.env, options.allow_env), ...places };
  return {
    ok: true,
    cwd,
    start: { command: wrapped, shell: true, cwd, env },
    leave: async () => {
      const began = mark.began();
      await removeTree(dir);
      return { began, refused: [] };
    },
  };
}

/** @param at the folder that the program works in, and its temporary one */
async function rulesFor(
  options: ConfinementOptions,
  use: PlaceUse,
  start: Pick<ProgramStart, "command" | "env">,
  at: { readonly files: string; readonly temporary: string; readonly isSlot: boolean },
): Promise<SrtRules> {
  const { home, allow_write, hidden, own } = options;
  const client = CLIENT_NEEDS[use.user].own.map((path) => join(home, path));
  const hosts = await hostsFor(options, use, start);
  const secrets = secretsFor(use.user, { home, project: options.root, allowed: allow_write, hidden });
  const writes = [
    ...(use.writes ? [at.files] : []),
    at.temporary,
    ...client,
    ...allow_write.map((path) => fromHome(path, home)),
  ];
  return {
    network: {
      allowedDomains: hosts.map((host) => host.replace(/:\d+$/, "")),
      deniedDomains: [],
      allowLocalBinding: true,
    },
    filesystem: {
      denyRead: [...secrets, ...own, ...socketsOfMachine().filter((path) => dirname(path) !== at.temporary)],
      allowWrite: writes.filter((path) => existsSync(path)),
      // A slot's is the agent's to spoil.
      denyWrite: [...(at.isSlot ? [] : [join(at.files, ".git")]), ...own],
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
