/** What a stranger would find: a clone of the integrated commit by plain git, and the checks there as plain processes. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import type { MechanicalCheck } from "../../src/core/verdict.ts";

export interface Case {
  readonly repository: string;
  /** Name of the integration branch. */
  readonly branch: string;
  /** The commit at which the goal was aligned. */
  readonly aligned: string;
  readonly checks: readonly MechanicalCheck[];
  readonly protected: readonly string[];
}

/** Why `verified` is wrong; null: a clean clone agrees. Each check has a clone of its own. @param top a folder for clones */
export function refutes({ repository, branch, aligned, checks, protected: globs }: Case, top: string): string | null {
  const home = mkdtempSync(join(top, "home-"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  for (const check of checks) {
    const dir = join(mkdtempSync(join(top, "clone-")), "work");
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: dir, env, encoding: "utf8", stdio: "pipe" });
    try {
      const how = ["clone", "-q", "--no-local", "-b", branch, repository, dir];
      const cloned = spawnSync("git", how, { env, encoding: "utf8" });
      if (cloned.status !== 0) return `it cannot be cloned: ${cloned.stderr}`;
      const changed = git("diff", "--name-only", aligned, "HEAD", "--", ...globs.map((glob) => `:(glob)${glob}`));
      if (changed !== "") return `protected files differ: ${changed}`;
      git("checkout", "-q", "-B", "main", aligned);
      git("checkout", "-q", "--detach", `origin/${branch}`);
      if (!holds(check, dir, env)) return `${check.type}: ${check.value} does not hold in a clean clone`;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return null;
}

function holds({ type, value }: MechanicalCheck, dir: string, env: Readonly<Record<string, string>>): boolean {
  const [text = "", file = ""] = value.split(" in ");
  switch (type) {
    case "command":
      return spawnSync("/bin/sh", ["-c", value], { cwd: dir, env }).status === 0;
    case "not_command": {
      const { status } = spawnSync("/bin/sh", ["-c", value], { cwd: dir, env });
      return status === 1;
    }
    case "file":
      return found(dir, value);
    case "not_file":
      return !found(dir, value);
    case "contains":
      return found(dir, file) && readFileSync(join(dir, file), "utf8").includes(text);
    case "not_contains":
      return found(dir, file) && !readFileSync(join(dir, file), "utf8").includes(text);
  }
}

/** Links that lead out of the clone lead nowhere. */
function found(dir: string, pattern: string): boolean {
  const paths = pattern.includes("*") ? globSync(pattern, { cwd: dir }) : [pattern];
  return paths.some((path) => {
    const at = join(dir, path);
    return existsSync(at) && realpathSync(at).startsWith(join(realpathSync(dir), "/"));
  });
}
