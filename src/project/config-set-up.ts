/** How the settings, or else the project's lock file, say that slots are made usable (SPEC section 16). */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { LOCK_FILES, MANIFEST, MANIFESTS, preparesFiles, type LockFile } from "../core/lock-files.ts";
import { parseDuration } from "../core/fuel.ts";
import type { Preparation } from "../adapters/workspace/prepared-workspace.ts";
import { textAt } from "../host/regular-file.ts";
import type { Settings } from "./config-schema.ts";

const TIMEOUT_MS = 10 * 60_000;
const PORT_BASE = 4_100;

interface SetUpTerms extends Pick<Preparation, "commands" | "timeout_ms" | "port_base" | "install" | "build"> {
  /** It would install, and its program is not here. */
  readonly lacks?: LockFile;
}

/** @param root the project, whose files count if the settings name no command; null: they do not */
export function setUpOf(
  { setup, setup_timeout, port_base = PORT_BASE }: Settings,
  root: string | null = null,
): SetUpTerms {
  const timeout_ms = (setup_timeout === undefined ? null : parseDuration(setup_timeout)) ?? TIMEOUT_MS;
  const terms = { commands: setup ?? [], timeout_ms, port_base };
  if (setup !== undefined || root === null) return terms;
  const install = installIn(root);
  const manager = install?.command.split(" ")[0] ?? "npm";
  if (!isOnPath(manager)) return { ...terms, ...(install === null ? {} : { lacks: install }) };
  const isBuilt = existsSync(join(root, "node_modules")) && preparesFiles(jsonAt(join(root, MANIFEST)));
  const build = `${install?.language === "python" ? "npm" : manager} run prepare`;
  return { ...terms, ...(install === null ? {} : { install }), ...(isBuilt ? { build } : {}) };
}

function isOnPath(program: string): boolean {
  const { PATH = "", PATHEXT = "" } = process.env;
  const names = ["", ...PATHEXT.split(delimiter)].map((end) => program + end);
  return PATH.split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));
}

/** The same as commands alone, for a copy that nobody shares. */
export function commandsOf({ install, build: _, ...set_up }: SetUpTerms): SetUpTerms {
  return install === undefined ? set_up : { ...set_up, commands: [...set_up.commands, install.command] };
}

/**
 * How the project's dependencies are installed, by a lock file in it or above it, up to the repository's root, or else by its
 * package.json; null: neither is known, or the person has not installed them either.
 */
function installIn(root: string): LockFile | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = LOCK_FILES.find(({ file }) => existsSync(join(folder, file)));
    if (found !== undefined) return isInstalled(found, folder) ? found : null;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) break;
  }
  return MANIFESTS.find((row) => existsSync(join(root, row.file)) && isInstalled(row, root)) ?? null;
}

function isInstalled({ folder }: LockFile, beside: string): boolean {
  return folder !== undefined && existsSync(join(beside, folder));
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(textAt(path) ?? "");
  } catch {
    return null;
  }
}

/** What a person is asked to agree to; null: nothing is set up. */
export function setUpText({ commands = [], install, build, lacks }: Partial<SetUpTerms> = {}): string | null {
  if (commands.length > 0) return `${commands.join("; ")}, in each fresh folder`;
  if (lacks !== undefined)
    return `${lacks.command} (${lacks.file}) is left out: its program is not on your PATH; \`setup\` in aot.config.yaml says another command`;
  const steps = [
    install &&
      `${install.command} (${install.file}), where your packages are not shown or ${install.file === MANIFEST ? "its dependencies change" : "the lock file changes"}`,
    build && `${build} in each fresh folder`,
  ].filter((step) => step !== undefined);
  return steps.length === 0 ? null : `${steps.join("; ")}; \`setup: []\` in aot.config.yaml turns it off`;
}
