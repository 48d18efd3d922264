/** `aot doctor`: what the machine and the loop are like, without changing anything. */
import { readStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { findGit, findRepository } from "../adapters/workspace/repository.ts";
import { ownName } from "../host/atomic-write.ts";
import { holderOf } from "../host/lock.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { projectOf } from "../project/find-state-file.ts";
import { examineAgents } from "./agents.ts";
import { examineDisk } from "./disk.ts";
import type { Finding } from "./finding.ts";
import { leftInFolder, leftInRepository } from "./leftovers.ts";
import { examineClients } from "./mcp.ts";
import { examineSandbox } from "./sandbox.ts";
import { examineSettings, type ShownSetting } from "./settings.ts";

const OLDEST_NODE = [20, 19] as const;

export interface Examination {
  readonly findings: readonly Finding[];
  /** Every setting with its origin; empty where the configuration is not valid. */
  readonly settings: readonly ShownSetting[];
}

/** @param env where settings are looked for before the files */
export async function examine(
  stateFile: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Examination> {
  const paths = loopPaths(ownName(stateFile));
  const project = projectOf(stateFile);
  const { finding, settings, config } = await examineSettings(project, env);
  const findings = [
    nodeVersion(process.versions.node),
    ...(await git(project, stateFile, paths)),
    finding,
    examineDisk(paths.dir, config?.settings ?? {}),
    ...(await examineAgents(config?.settings ?? {}, env)),
    await examineSandbox(project, stateFile, config?.settings ?? {}),
    ...examineClients(project, env),
    await state(stateFile),
    ...locks(stateFile, paths),
  ];
  return { findings, settings };
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

async function git(folder: string, stateFile: string, paths: LoopPaths): Promise<Finding[]> {
  const idle = runnerOf(stateFile) === null;
  const version = await findGit();
  if (!version.ok)
    return [
      { name: "git", level: "warn", detail: version.problem.message, hint: version.problem.hint },
      ...(idle ? leftInFolder(paths, true) : []),
    ];
  const found: Finding = { name: "git", level: "good", detail: `${version.value.major}.${version.value.minor}` };
  const repository = await findRepository(folder);
  if (!repository.ok) {
    const { code, message, hint } = repository.problem;
    return [
      found,
      { name: "repository", level: "warn", detail: message, hint: code === "not_a_repository" ? SHARED_FOLDER : hint },
      ...(idle ? leftInFolder(paths, true) : []),
    ];
  }
  const { root, branch, head } = repository.value;
  return [
    found,
    { name: "repository", level: "good", detail: `${root} at ${head.slice(0, 10)} (${branch ?? "no branch"})` },
    ...(await leftInRepository(repository.value, stateFile, paths)),
    ...(idle ? leftInFolder(paths, false) : []),
  ];
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
