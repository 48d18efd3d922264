/** The project's own remote, and how workers name one. */
import { resolve } from "node:path";
import { createGit } from "../adapters/workspace/git.ts";

/** URL of `origin`; null: there is none, or no repository. */
export async function originOf(project: string): Promise<string | null> {
  const answer = await createGit({ cwd: project }).run(["remote", "get-url", "origin"]);
  const url = answer.ok ? answer.stdout.trim() : "";
  return url === "" ? null : url;
}

/**
 * The remote as a worker of this host can name it, too: git reads a relative path from the top of the project's own working
 * tree.
 */
export async function remoteForWorkers(project: string, remote: string): Promise<string> {
  // `scheme://...`, `host:path` or `C:\...`.
  if (/^[^/\\]*:/.test(remote)) return remote;
  const top = await createGit({ cwd: project }).run(["rev-parse", "--show-toplevel"]);
  return resolve(top.ok ? top.stdout.trim() : project, remote);
}
