/** How the settings, or else the project's lock file, say that worktrees are made usable (SPEC section 16). */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOCK_FILES, type LockFile } from "../core/lock-files.ts";
import { parseDuration } from "../core/fuel.ts";
import type { Preparation } from "../adapters/workspace/prepared-workspace.ts";
import type { Settings } from "./config-schema.ts";

const TIMEOUT_MS = 10 * 60_000;
const PORT_BASE = 4_100;

/** @param root the project, where its lock file counts if the settings name no command; null: it does not */
export function setUpOf(
  { setup, setup_timeout, port_base = PORT_BASE }: Settings,
  root: string | null = null,
): Pick<Preparation, "commands" | "timeout_ms" | "port_base" | "install"> {
  const timeout_ms = (setup_timeout === undefined ? null : parseDuration(setup_timeout)) ?? TIMEOUT_MS;
  const install = setup === undefined && root !== null ? installIn(root) : null;
  return { commands: setup ?? [], timeout_ms, port_base, ...(install === null ? {} : { install }) };
}

/** The same as commands alone, for a copy that nobody shares. */
export function commandsOf<S extends Pick<Preparation, "commands" | "install">>({
  install,
  ...set_up
}: S): Omit<S, "install"> {
  return install === undefined ? set_up : { ...set_up, commands: [...set_up.commands, install.command] };
}

/**
 * How the project's dependencies are installed; null: no lock file is known, or the person has not installed them either.
 * Looks in the project and above it, up to the repository's root.
 */
function installIn(root: string): LockFile | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = LOCK_FILES.find(({ file }) => existsSync(join(folder, file)));
    if (found !== undefined) return isInstalled(found, folder) ? found : null;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return null;
  }
}

function isInstalled({ folder }: LockFile, beside: string): boolean {
  return folder !== undefined && existsSync(join(beside, folder));
}

/** What a person is asked to agree to; null: nothing is set up. */
export function setUpText({ commands, install }: Partial<Pick<Preparation, "commands" | "install">> = {}):
  | string
  | null {
  if (install === undefined)
    return commands === undefined || commands.length === 0 ? null : `${commands.join("; ")}, in each fresh folder`;
  return `${install.command} (${install.file}), where your packages are not shown or the lock file changes; \`setup: []\` in aot.config.yaml: nothing is installed`;
}
