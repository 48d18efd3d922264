/**
 * Where the tasks come from. What was tuned on and what was held out was chosen by project, before any result was seen.
 * A clone is fetched into the cache, or taken from a folder of local clones; nothing of it is part of this project.
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { bugsTasks } from "./bugsjs.mjs";
import { functionTasks, quixTasks } from "./python-tasks.mjs";
import { exerciseTasks } from "./exercises.mjs";
import { ownTasks } from "./own-tasks.mjs";
import { shell } from "./shell.mjs";

const bugs = (name, tuned) => ({ name, repository: `BugsJS/${name}`, tuned, tasks: bugsTasks });

export const SOURCES = [
  { name: "own", repository: null, tuned: true, tasks: ownTasks },
  bugs("express", true),
  { name: "quixbugs", repository: "jkoppel/QuixBugs", tuned: true, tasks: quixTasks },
  { name: "polyglot-python", repository: "Aider-AI/polyglot-benchmark", tuned: true, tasks: exerciseTasks },
  bugs("hexo", false),
  bugs("karma", false),
  bugs("hessian.js", false),
  bugs("node_redis", false),
  bugs("shields", false),
  { name: "humaneval", repository: "openai/human-eval", tuned: false, tasks: functionTasks },
  { name: "polyglot-javascript", repository: "Aider-AI/polyglot-benchmark", tuned: false, tasks: exerciseTasks },
];

/**
 * The git directory of a source; null: it is neither here nor can it be fetched.
 * @param from a folder of clones, `OWNER+NAME/repo` or `OWNER+NAME` each; absent: the cache alone
 */
export async function clonePath(repository, { cache, from }) {
  const folder = repository.replace("/", "+");
  const local = from === undefined ? [] : [join(from, folder, "repo"), join(from, folder)];
  const kept = join(cache, "clones", folder);
  const found = [...local, kept]
    .flatMap((path) => [join(path, ".git"), path])
    .find((path) => existsSync(join(path, "objects")));
  if (found !== undefined) return found;
  await mkdir(join(cache, "clones"), { recursive: true });
  const part = `${kept}.part`;
  await rm(part, { recursive: true, force: true });
  const url = `https://github.com/${repository}.git`;
  const { code } = await shell(["git", "clone", "--quiet", "--bare", url, part], {
    timeout_ms: 600_000,
    env: { GIT_TERMINAL_PROMPT: "0" },
  });
  if (code !== 0) return null;
  await rename(part, kept);
  return kept;
}
