/** What one attempt printed, and what it changed, for looking at (SPEC sections 7 and 10). */
import { closeSync, fstatSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { learn } from "../adapters/store/journal-reader.ts";
import { textOf, type Git } from "../adapters/workspace/git.ts";
import { lineRefs } from "../adapters/workspace/integration-line.ts";
import { keptBranches } from "../adapters/workspace/keep-work.ts";
import { repositoryOf } from "../adapters/workspace/folder-repository.ts";
import { gitOfLoop } from "../adapters/workspace/line-repository.ts";
import { safeName } from "../adapters/workspace/workspace-name.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { ownName } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { openOwnFile, readOwnFile } from "../host/regular-file.ts";
import { projectOf } from "../project/find-state-file.ts";
import { journalOf } from "./loop-log.ts";
import { createStory, type AttemptPart } from "./run-story.ts";

export interface LogPart {
  readonly text: string;
  /** Where the next part begins. */
  readonly next: number;
  /** Bytes before it that are not shown. */
  readonly skipped: number;
}

/** At most so many bytes of a log are shown, its end. */
const LOG_BYTES = 256 * 1024;
const DIFF_CHARACTERS = 400_000;
const MOST_CHANGED_LINES = 20_000;

/** Every attempt of the loop that its journal tells of, oldest first. */
export function attemptsOf(stateFile: string): readonly AttemptPart[] {
  return learn(journalOf(stateFile), createStory()).attempts;
}

/** The logs that are kept of a loop, the newest first: of an attempt its id, of a check `check-...`. */
export function logNames(stateFile: string): readonly string[] {
  const { logs } = loopPaths(ownName(stateFile));
  let names: readonly string[] = [];
  try {
    names = readdirSync(logs);
  } catch {
    // No folder: nothing was logged.
  }
  return names
    .flatMap((name) => {
      const found = name.endsWith(".log") ? statSync(join(logs, name), { throwIfNoEntry: false }) : undefined;
      return found === undefined ? [] : [{ name: name.slice(0, -4), changed: found.mtimeMs }];
    })
    .toSorted((one, other) => other.changed - one.changed)
    .map(({ name }) => name);
}

/** What is in an attempt's log behind `from`. Null: it has none (yet). @param from bytes; -1: the end of what is there */
export function readAttemptLog(stateFile: string, attempt: string, from: number): LogPart | null {
  const { logs } = loopPaths(ownName(stateFile));
  let fd: number;
  try {
    fd = openOwnFile(join(logs, `${attempt.replaceAll(/[^\w.-]/g, "_")}.log`));
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(from < 0 || from > size ? 0 : from, size - LOG_BYTES);
    const bytes = Buffer.alloc(Math.min(LOG_BYTES, size - start));
    const read = readSync(fd, bytes, 0, bytes.length, start);
    const whole = wholeCharacters(bytes.subarray(0, read));
    return {
      text: whole.toString("utf8"),
      next: start + whole.length,
      skipped: Math.max(0, start - Math.max(from, 0)),
    };
  } finally {
    closeSync(fd);
  }
}

/** Cuts off an incomplete UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

export interface ShownDiff {
  readonly commit: string;
  /** Branch that keeps it, of work that is not integrated. */
  readonly branch?: string;
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  /** Unified; absent: too large to be shown. */
  readonly patch?: string;
}

/** What a commit of the integration branch changed, against what it was put on. */
async function diffOfCommit(stateFile: string, commit: string): Promise<Result<ShownDiff>> {
  if (!/^[0-9a-f]{7,64}$/.test(commit))
    return refused(`${JSON.stringify(commit)} is no commit`, "take one of the journal");
  const git = await gitFor(stateFile);
  return git.ok ? await shownDiff(git.value, `${commit}^1`, commit) : git;
}

/** What an attempt changed: in its commit, or in the branch that keeps the work of one that failed. */
export async function diffOfAttempt(
  stateFile: string,
  { attempt, commit, end }: Pick<AttemptPart, "attempt" | "commit" | "end">,
): Promise<Result<ShownDiff>> {
  if (commit !== null) return await diffOfCommit(stateFile, commit);
  if (end === null) return refused(`${attempt} is still running`, "its change can be seen once it has ended");
  const found = await gitFor(stateFile);
  if (!found.ok) return found;
  const { value: git } = found;
  const refs = refsOf(stateFile);
  const branch = (await keptBranches({ git, refs }, [attempt])).get(attempt);
  if (branch === undefined)
    return refused(`${attempt} left no change (${end})`, `what it printed: \`aot logs ${attempt}\``);
  const base = await git.run(["merge-base", refs.branch, branch]);
  if (!base.ok)
    return refused(`${branch} cannot be compared: ${base.failure.stderr.trim()}`, `look at it: \`git log ${branch}\``);
  const shown = await shownDiff(git, base.stdout.trim(), branch);
  return shown.ok ? accepted({ ...shown.value, branch }) : shown;
}

/** Those of them whose change can be looked at: it is in a commit, or a branch keeps it. */
export async function changedOf(stateFile: string, attempts: readonly AttemptPart[]): Promise<readonly AttemptPart[]> {
  const found = await gitFor(stateFile);
  if (!found.ok) return [];
  const names = attempts.map(({ attempt }) => attempt);
  const kept = await keptBranches({ git: found.value, refs: refsOf(stateFile) }, names);
  return attempts.filter(({ attempt, commit }) => commit !== null || kept.has(attempt));
}

/** Where the loop's refs are. */
async function gitFor(stateFile: string): Promise<Result<Git>> {
  const found = await repositoryOf(projectOf(stateFile));
  if (!found.ok) return refused(found.problem.message, found.problem.hint);
  return accepted(gitOfLoop(found.value, refsOf(stateFile).loop));
}

function refsOf(stateFile: string): ReturnType<typeof lineRefs> {
  return lineRefs(safeName((readOwnFile(loopPaths(ownName(stateFile)).name) ?? "").trim()));
}

async function shownDiff(git: Git, from: string, commit: string): Promise<Result<ShownDiff>> {
  const range = ["--no-ext-diff", "--no-textconv", "--no-color", from, commit, "--"];
  const counted = await git.run(["diff", "--numstat", ...range], { timeout_ms: 20_000 });
  if (!counted.ok)
    return refused(`${commit} cannot be shown: ${counted.failure.stderr.trim()}`, "it may be gone by now");
  const files = textOf(counted.stdout).split("\n").flatMap(fileIn);
  const changed = files.reduce((sum, { added, removed }) => sum + (added ?? 0) + (removed ?? 0), 0);
  if (changed > MOST_CHANGED_LINES) return accepted({ commit, files });
  const patch = await git.run(["diff", ...range], { timeout_ms: 20_000 });
  if (!patch.ok) return accepted({ commit, files });
  return accepted({ commit, files, patch: textOf(patch.stdout).slice(0, DIFF_CHARACTERS) });
}

function fileIn(line: string): ShownDiff["files"] {
  const [added = "", removed = "", path = ""] = line.split("\t");
  if (path === "") return [];
  const count = (text: string): number | null => (text === "-" ? null : Number(text));
  return [{ path, added: count(added), removed: count(removed) }];
}
