/** `aot doctor`: what the machine and the loop are like, without changing anything. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "../adapters/agents/find.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { pastLoops, type PastLoop } from "../adapters/workspace/past-loops.ts";
import { findGit, findRepository } from "../adapters/workspace/repository.ts";
import { safeName } from "../adapters/workspace/workspace-name.ts";
import { targetOf } from "../host/atomic-write.ts";
import { holderOf } from "../host/lock.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { projectOf } from "./find-state-file.ts";

export interface Finding {
  readonly name: string;
  /** `warn`: works, but something is missing or left over; `bad`: what is needed does not work. */
  readonly level: "good" | "warn" | "bad";
  readonly detail: string;
  readonly hint?: string;
}

const OLDEST_NODE = [20, 19] as const;

export async function examine(stateFile: string): Promise<readonly Finding[]> {
  const paths = loopPaths(canonical(stateFile));
  return [
    nodeVersion(process.versions.node),
    ...(await git(projectOf(stateFile), paths)),
    await agent("claude"),
    await state(stateFile),
    ...locks(stateFile, paths),
    ...leftovers(stateFile, paths),
  ];
}

/** What a run outside git does by itself. */
const SHARED_FOLDER =
  "`aot run` works in the folder itself then, one attempt at a time; for worktrees: `git init && git add -A && git commit -m init`, then align";

function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return fits
    ? { name: "node", level: "good", detail: version }
    : { name: "node", level: "bad", detail: version, hint: `install Node ${OLDEST_NODE.join(".")} or newer` };
}

async function git(folder: string, paths: LoopPaths): Promise<Finding[]> {
  const version = await findGit();
  if (!version.ok) return [{ name: "git", level: "warn", detail: version.problem.message, hint: version.problem.hint }];
  const found: Finding = { name: "git", level: "good", detail: `${version.value.major}.${version.value.minor}` };
  const repository = await findRepository(folder);
  if (!repository.ok) {
    const { code, message, hint } = repository.problem;
    return [
      found,
      { name: "repository", level: "warn", detail: message, hint: code === "not_a_repository" ? SHARED_FOLDER : hint },
    ];
  }
  const { root, branch, head } = repository.value;
  return [
    found,
    { name: "repository", level: "good", detail: `${root} at ${head.slice(0, 10)} (${branch ?? "no branch"})` },
    ...earlierGoals(await pastLoops(repository.value.git, safeName(nameIn(paths)))),
  ];
}

/** Their branches are the person's to remove: they may hold work that was never integrated. */
function earlierGoals(past: readonly PastLoop[]): Finding[] {
  if (past.length === 0) return [];
  const shown = past.slice(0, 5).map(({ loop, refs }) => `${loop} (${refs})`);
  const more = past.length > 5 ? `, and ${past.length - 5} more` : "";
  const list = 'git for-each-ref --format="delete %(refname)" refs/aot/GOAL refs/heads/aot/GOAL';
  return [
    {
      name: "earlier goals",
      level: "good",
      detail: `branches and refs of ${past.length}: ${shown.join(", ")}${more}`,
      hint: `remove those of one, work that was never integrated with them: \`${list} | git update-ref --stdin\``,
    },
  ];
}

function nameIn(paths: LoopPaths): string {
  try {
    return readFileSync(paths.name, "utf8").trim();
  } catch {
    // No run yet.
    return "";
  }
}

async function agent(name: string): Promise<Finding> {
  const made = createAgent(name);
  if (!made.ok)
    return {
      name: `agent ${name}`,
      level: "warn",
      detail: made.problems[0]?.message ?? "",
      hint: made.problems[0]?.hint ?? "",
    };
  const found = await made.value.available();
  await made.value.close();
  return found.ok
    ? { name: `agent ${name}`, level: "good", detail: found.version ?? "installed" }
    : {
        name: `agent ${name}`,
        level: "warn",
        detail: found.reason,
        hint: "or name any program: --agent 'command:<shell command>'",
      };
}

async function state(stateFile: string): Promise<Finding> {
  const read = await readStateFile(stateFile);
  if (read.ok) {
    const { control, atoms } = read.value.state;
    return {
      name: "state file",
      level: "good",
      detail: `${stateFile}: ${control.status}, ${atoms.length} ${atoms.length === 1 ? "atom" : "atoms"}, iteration ${control.iteration}`,
    };
  }
  const [first] = read.problems;
  const missing = first?.code === "file_missing";
  return {
    name: "state file",
    level: missing ? "warn" : "bad",
    detail: first?.message ?? "",
    hint: missing ? (first.hint ?? "") : "see everything that is wrong with `aot state validate`",
  };
}

function locks(stateFile: string, paths: LoopPaths): Finding[] {
  const runner = runnerOf(stateFile);
  const writer = holderOf(paths.lock);
  const held = (name: string, holder: typeof runner): Finding =>
    holder === null
      ? { name, level: "good", detail: "free" }
      : {
          name,
          level: "good",
          detail: `held by "${holder.what}", pid ${holder.pid} on host ${holder.host}, since ${holder.since}`,
        };
  return [held("run lock", runner), held("state lock", writer)];
}

/** What a crash left behind; the next run cleans it up. */
function leftovers(stateFile: string, paths: LoopPaths): Finding[] {
  if (runnerOf(stateFile) !== null) return [];
  // A loop keeps its folder of worktrees; what matters is whether one stands in it.
  const worktrees = namesIn(paths.worktrees).flatMap((loop) =>
    namesIn(join(paths.worktrees, loop)).map((name) => `${loop}/${name}`),
  );
  const requests = namesIn(paths.requests);
  const finding = (name: string, names: readonly string[], hint: string): Finding =>
    names.length === 0
      ? { name, level: "good", detail: "none left over" }
      : { name, level: "warn", detail: `${names.length} left over: ${names.slice(0, 5).join(", ")}`, hint };
  return [
    finding("worktrees", worktrees, "the next `aot run` removes them; work in them is kept as branches"),
    finding("requests", requests, "the next `aot run` answers or removes them"),
  ];
}

function namesIn(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function canonical(path: string): string {
  try {
    return targetOf(path);
  } catch {
    return path;
  }
}
