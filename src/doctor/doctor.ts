/** `aot doctor`: what the machine and the loop are like, without changing anything. */
import { readStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { repositoryOf } from "../adapters/workspace/folder-repository.ts";
import { findGit, findRepository } from "../adapters/workspace/repository.ts";
import { ownName } from "../host/atomic-write.ts";
import { howToDecide, namedIn } from "../host/lock.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { projectOf } from "../project/find-state-file.ts";
import { examineAgents } from "./agents.ts";
import type { Finding } from "./finding.ts";
import { leftInFolder, leftInRepository } from "./leftovers.ts";
import { examineSettings, type ShownSetting } from "./settings.ts";
import type { Settings } from "../project/config-schema.ts";
import { openSandbox, sandboxOf } from "../verify/sandbox.ts";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { explainWrite } from "../host/write-failure.ts";
import { whyDiskIsFull } from "../project/disk-space.ts";

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
    await state(stateFile),
    // In this order: a process that the first finds dead does not hold the second any more.
    examineLock("run lock", paths.runLock),
    examineLock("state lock", paths.lock),
  ];
  return { findings, settings };
}

/** What a run outside git does by itself. */
const OWN_REPOSITORY =
  "`aot align` and `aot run` keep a repository of their own of the folder then, without your commits, hooks and pull requests; for those: `git init && git add -A && git commit -m init`, then align";

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
  const [person, own] = [await findRepository(folder), await repositoryOf(folder)];
  return [
    found,
    { name: "repository", ...standing(person) },
    ...(own.ok ? await leftInRepository(own.value, stateFile, paths) : []),
    ...(idle ? leftInFolder(paths, !own.ok) : []),
  ];
}

function standing(person: Awaited<ReturnType<typeof findRepository>>): Omit<Finding, "name"> {
  if (!person.ok) {
    const { code, message, hint } = person.problem;
    return { level: "warn", detail: message, hint: code === "not_a_repository" ? OWN_REPOSITORY : hint };
  }
  const { root, branch, head } = person.value;
  return { level: "good", detail: `${root} at ${head.slice(0, 10)} (${branch ?? "no branch"})` };
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

function examineLock(name: string, path: string): Finding {
  const named = namedIn(path);
  if (named === null) return { name, level: "good", detail: "free" };
  const { what, pid, host, since } = named.holder;
  const who = `"${what}", pid ${pid} on host ${host}, since ${since}`;
  if (named.liveness === "alive") return { name, level: "good", detail: `held by ${who}` };
  if (named.liveness === "dead")
    return { name, level: "good", detail: `left by ${who}, which is dead: the next to need it takes it over` };
  return { name, level: "warn", detail: `held by ${who}`, hint: howToDecide(path) };
}

async function examineSandbox(root: string, stateFile: string, settings: Settings): Promise<Finding> {
  const wanted = sandboxOf(settings);
  const opened = await openSandbox({ ...wanted, setting: "require" }, { root, stateFile });
  const name = "sandbox";
  if (opened.ok) {
    await opened.value.close();
    const { summary, limits = "no limits of memory and processes" } = opened.value;
    const detail = `${summary.replace(/^sandbox: /, "")}; ${limits}`;
    return {
      name,
      level: "good",
      detail: wanted.setting === "off" ? `${detail}; off: \`aot run --sandbox auto\`` : detail,
    };
  }
  const [problem] = opened.problems;
  const level = wanted.setting === "require" ? "bad" : "warn";
  return {
    name,
    level,
    detail: problem?.message ?? "",
    ...(problem?.hint === undefined ? {} : { hint: problem.hint }),
  };
}

const MB = 1024 * 1024;

/** @param dir the loop's own folder, which need not be there yet */
function examineDisk(dir: string, { min_free_mb }: Settings): Finding {
  const name = "disk";
  const there = nearest(dir);
  const unwritable = whyUnwritable(there);
  if (unwritable !== null) return { name, level: "bad", ...unwritable };
  // Even where a small disk may be filled completely, no free space at all is reported.
  const least = min_free_mb === undefined ? {} : { min_free_bytes: min_free_mb * MB };
  const full = whyDiskIsFull(there, least) ?? whyDiskIsFull(there, { min_free_bytes: MB });
  if (full !== null) return { name, level: "bad", detail: full };
  return { name, level: "good", detail: `${there} is writable and has free space` };
}

function nearest(dir: string): string {
  for (let there = dir; ; there = dirname(there)) if (existsSync(there) || dirname(there) === there) return there;
}

function whyUnwritable(dir: string): Pick<Finding, "detail" | "hint"> | null {
  try {
    accessSync(dir, constants.W_OK);
    return null;
  } catch (error) {
    const { message, hint } = explainWrite(`in ${dir}`, error);
    return { detail: message.replace(/; the previous content is unchanged$/, ""), hint };
  }
}
