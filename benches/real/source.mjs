/** Where the repositories that nobody here wrote come from: clones that are there, or a cache that is filled from GitHub. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const CLONE_MS = 10 * 60_000;

/**
 * A clone to work from; throws why there is none.
 * @param {string} repository `owner/name` on GitHub
 * @param {string | undefined} from folder of clones
 */
export function sourceOf(repository, from) {
  const name = repository.replace("/", "+");
  for (const at of from === undefined ? [] : ["", "repo", "repo/.git"]) {
    const dir = join(from, name, at);
    if (existsSync(join(dir, "HEAD")) || existsSync(join(dir, ".git"))) return dir;
  }
  const cache = process.env.AOT_REAL_CACHE ?? join(homedir(), ".cache", "aot-real");
  const dir = join(cache, name);
  if (existsSync(dir)) return dir;
  mkdirSync(cache, { recursive: true });
  const cloned = spawnSync("git", ["clone", "-q", "--mirror", `https://github.com/${repository}`, dir], {
    encoding: "utf8",
    timeout: CLONE_MS,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
  });
  if (cloned.status !== 0) throw new Error(`not to be had here: ${lastLine(cloned.stderr)}`);
  return dir;
}

export function lastLine(text) {
  return (text ?? "").trim().split("\n").at(-1)?.slice(0, 160) ?? "";
}
