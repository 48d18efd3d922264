import { execFileSync } from "node:child_process";

/** Nothing of the machine's own settings. */
const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null/none", GIT_CONFIG_NOSYSTEM: "1" };

/** Git as a person who has a name. @returns what it printed, without the last line's end; throws where it fails */
export function gitIn(cwd: string, ...args: readonly string[]): string {
  const person = ["-c", "user.name=Person", "-c", "user.email=person@example.org"];
  return execFileSync("git", [...person, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

/** Makes the folder a repository, whose first commit has all that is in it. */
export function commitAll(root: string): void {
  gitIn(root, "init", "-q", "-b", "main");
  gitIn(root, "config", "user.name", "Person");
  gitIn(root, "config", "user.email", "person@example.org");
  gitIn(root, "add", "-A");
  gitIn(root, "commit", "-q", "--allow-empty", "-m", "first");
}
