/** Commands of a repository that could decide about a goal: its tests, its build, its linters. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../host/regular-file.ts";

export interface Candidate {
  /** `command: npm test` */
  readonly check: string;
  /** The file that it was found in. */
  readonly source: string;
}

const SCRIPTS = ["test", "build", "typecheck", "lint", "check"] as const;
const TARGETS = ["test", "check", "build", "lint"] as const;
const MOST_BYTES = 1024 * 1024;

/** What the files in `dir` suggest, most telling first. Never fails: what cannot be read suggests nothing. */
export function checkCandidates(dir: string): readonly Candidate[] {
  return [
    ...fromPackage(dir),
    ...fromMakefile(dir),
    ...ifThere(dir, "Cargo.toml", ["cargo test", "cargo clippy -- -D warnings"]),
    ...ifThere(dir, "pyproject.toml", ["python -m pytest"]),
    ...ifThere(dir, "go.mod", ["go test ./...", "go vet ./..."]),
  ];
}

function fromPackage(dir: string): Candidate[] {
  const text = read(dir, "package.json");
  if (text === null) return [];
  const scripts = scriptsIn(text);
  const manager = ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"].find((lock) => existsSync(join(dir, lock)));
  const run = manager === undefined ? "npm" : (manager.split(/[-.]/)[0] ?? "npm");
  return SCRIPTS.filter((name) => {
    const script = scripts[name];
    return typeof script === "string" && !script.includes("no test specified");
  }).map((name) => ({
    check: `command: ${name === "test" && run !== "bun" ? `${run} test` : `${run} run ${name}`}`,
    source: "package.json",
  }));
}

function scriptsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown };
    return typeof scripts === "object" && scripts !== null ? (scripts as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function fromMakefile(dir: string): Candidate[] {
  const text = read(dir, "Makefile");
  if (text === null) return [];
  return TARGETS.filter((target) => new RegExp(`^${target}\\s*:(?!=)`, "m").test(text)).map((target) => ({
    check: `command: make ${target}`,
    source: "Makefile",
  }));
}

function ifThere(dir: string, file: string, commands: readonly string[]): Candidate[] {
  return existsSync(join(dir, file)) ? commands.map((command) => ({ check: `command: ${command}`, source: file })) : [];
}

function read(dir: string, file: string): string | null {
  try {
    return readText(join(dir, file), MOST_BYTES);
  } catch {
    return null;
  }
}
