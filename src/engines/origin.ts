/** The project's own remote. */
import { createGit } from "../adapters/workspace/git.ts";

/** URL of `origin`; null: there is none, or no repository. */
export async function originOf(project: string): Promise<string | null> {
  const answer = await createGit({ cwd: project }).run(["remote", "get-url", "origin"]);
  const url = answer.ok ? answer.stdout.trim() : "";
  return url === "" ? null : url;
}
