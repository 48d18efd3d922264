/** Whether a command failed because its folder is not set up, and not because work is to be done (SPEC section 6, red first). */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { LOCK_FILES, MANIFESTS, type LockFile } from "../../core/lock-files.ts";
import type { Evidence } from "../../core/verdict.ts";

/** A package by its name, never a path: `left-pad`, `@scope/name/file`. */
const NODE_PACKAGE = /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*)(?:\/[^']*)?'/;
const PYTHON_MODULE = /(?:ModuleNotFoundError|ImportError): No module named '?([A-Za-z_]\w*)/;
/** What the shells of npm scripts and makefiles say. */
const PROGRAM =
  /(?:^|\n)(?:sh|bash|dash|\/bin\/sh)(?:: line)?:? ?\d*: ([^\s:]+): (?:command )?not found|'([^'\s]+)' is not recognized as an internal/;

/** How a shell says that there is no such program, of one that is named by its path in the project. */
const FILE = /(?:^|\n)[^\n]*?: ((?:\.{1,2}\/|[\w@+-][\w.@+-]*\/)[^\s:]+): (?:not found|No such file or directory)/;

/** The file of the project that a command starts and that is not there; null: that is not why it could not be run. */
export function missingFile(evidence: Evidence): string | null {
  if (evidence.kind !== "command" || evidence.exit_code !== 127) return null;
  return FILE.exec(evidence.output)?.[1] ?? null;
}

/** Runs what others have written down. */
const RUNNER = /\b(?:npm|pnpm|yarn|bun|make)\b/;

/**
 * Why the check says nothing yet, with the command that sets the folder up; null: no sign of that. A package that the
 * project does not declare may be the work itself.
 * @param dir the project
 */
export function missingSetUp(evidence: Evidence, dir: string): string | null {
  if (evidence.kind !== "command" || evidence.exit_code === 0 || (evidence.tests?.passed ?? 0) > 0) return null;
  const { output, command } = evidence;
  const [, name] = NODE_PACKAGE.exec(output) ?? [];
  if (
    name !== undefined &&
    declaredIn(dir, [...WANTED, ...MAYBE]).includes(name) &&
    !existsSync(join(dir, "node_modules", name))
  )
    return said(`the package ${name} is not installed`, "node", dir);
  const [, module] = PYTHON_MODULE.exec(output) ?? [];
  // Where nothing says what is to be installed it is the project's own.
  if (module !== undefined && !isOwnModule(module, dir) && commandFor("python", dir) !== undefined)
    return said(`the Python module ${module} is not installed`, "python", dir);
  // One that the check itself names may be mistyped.
  const [, shell, windows] = (RUNNER.test(command) ? PROGRAM.exec(output) : null) ?? [];
  const program = shell ?? windows;
  return program === undefined ? null : said(`the program ${program} is not installed`, "node", dir);
}

/** A package that the project declares and that is not there; null: none is missing, as far as can be seen. */
export function missingPackage(dir: string): string | null {
  const { paths } = createRequire(join(dir, "package.json")).resolve;
  const isThere = (name: string): boolean => paths(name)?.some((folder) => existsSync(join(folder, name))) !== false;
  const missing = declaredIn(dir).find((name) => !isThere(name));
  return missing === undefined ? null : said(`the package ${missing} is not installed`, "node", dir);
}

function said(what: string, language: LockFile["language"], dir: string): string {
  const command = commandFor(language, dir);
  const next = command === undefined ? "install it" : `run \`${command}\``;
  return `${what}, so that it fails whatever the work is: ${next} here, or have it run in each worktree (\`--set 'setup=COMMAND'\`, or \`setup\` in aot.config.yaml); if it is part of the work to add it, align with --force`;
}

function commandFor(language: LockFile["language"], dir: string): string | undefined {
  const rows = [...LOCK_FILES, ...MANIFESTS].filter((row) => row.language === language);
  return rows.find(({ file }) => existsSync(join(dir, file)))?.command;
}

const WANTED = ["dependencies", "devDependencies"];
const MAYBE = ["optionalDependencies", "peerDependencies"];

function declaredIn(dir: string, kinds = WANTED): readonly string[] {
  try {
    const found = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Readonly<Record<string, object>>;
    return kinds.flatMap((kind) => Object.keys(found[kind] ?? {}));
  } catch {
    return [];
  }
}

function isOwnModule(name: string, dir: string): boolean {
  return [".", "src", "lib"].some(
    (folder) => existsSync(join(dir, folder, name)) || existsSync(join(dir, folder, `${name}.py`)),
  );
}
