/** Deliverables in the project: paths and globs, as the checks of a base case read them (SPEC sections 6 and 11). */
import { findMatches } from "../adapters/checks/find-matches.ts";

/** Folders of loops: what lies there is no deliverable. */
const OWN_FOLDERS = [".claude/aot-loop", ".claude/loops", ".claude/worktrees"];
const MOST_NAMED = 100;

/** Those of them that nothing in the project matches. */
export async function absentFiles(project: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => matchesOf(project, file)));
  return files.filter((_, index) => found[index]?.length === 0);
}

/** What in the project matches them, by name. */
export async function presentFiles(project: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => matchesOf(project, file)));
  return [...new Set(found.flat())];
}

async function matchesOf(project: string, file: string): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const found = await findMatches(file, {
    dir: project,
    signal,
    max_matches: MOST_NAMED,
    own_folders: OWN_FOLDERS,
  });
  return found.ok ? found.matches : [];
}
