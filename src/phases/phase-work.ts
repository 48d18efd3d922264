/**
 * The AoT loop that works a phase: where it lies, how it is made, whether it is done (SPEC section 11).
 *
 * PHASE-WORK-1 a work that is begun is in the journal before its state file is made, and its lessons before that file,
 *    too: a phase is never worked by two loops, nor without what sent it back;
 * PHASE-WORK-2 a work is done when its loop is completed, its run ended, and the person's branch holds what it made.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { openJournal } from "../adapters/store/journal.ts";
import { makeFolder } from "../adapters/store/file-bytes.ts";
import { createStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { lineRefs } from "../adapters/workspace/integration-line.ts";
import { repositoryOf } from "../adapters/workspace/folder-repository.ts";
import { safeName } from "../adapters/workspace/workspace-name.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { isoNow } from "../host/clock.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { readOwnFile } from "../host/regular-file.ts";
import type { LoopDefinition } from "./core/definition.ts";
import type { Lesson, PhaseWork } from "./core/history.ts";
import { createStateText } from "../statefile/create.ts";
import { phaseWorkFolder } from "../project/find-phase-file.ts";
import { recallLoop } from "../history/recall-loop.ts";

export function workFile(stateFile: string, name: string): string {
  return join(phaseWorkFolder(stateFile), name);
}

/** `02-BUILD.md`, and `02-BUILD.2.md` when the phase is worked once more: a name that no work had. */
export function newWorkName(stateFile: string, definition: LoopDefinition, phase: string): string {
  const index = definition.phases.findIndex(({ name }) => name === phase) + 1;
  const slug = phase
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  const base = [String(index).padStart(2, "0"), ...(slug === "" ? [] : [slug])].join("-");
  const taken = namesIn(phaseWorkFolder(stateFile));
  for (let round = 1; ; round++) {
    const name = round === 1 ? `${base}.md` : `${base}.${round}.md`;
    // Its folder may be all that a crash left of it.
    if (!taken.some((one) => one === name || one.startsWith(`${name}.`))) return name;
  }
}

/** Makes the loop's file, unless it is there already. @param prompt what the person asked for */
export async function makeWork(
  file: string,
  state: State,
  lessons: readonly Lesson[],
  prompt: string,
): Promise<Result<null>> {
  if (existsSync(file)) return accepted(null);
  const folder = makeFolder(dirname(file));
  if (!folder.ok) return folder;
  const taught = teach(file, state, lessons);
  if (!taught.ok) return taught;
  const created = await createStateFile(file, createStateText(state, prompt), { what: "a phase's loop" });
  return created.ok ? accepted(null) : created;
}

/** Every atom knows why the phase was sent back, as of an attempt that failed; no attempt is counted for it. */
function teach(file: string, state: State, lessons: readonly Lesson[]): Result<null> {
  if (lessons.length === 0) return accepted(null);
  const journal = openJournal(loopPaths(file).journal);
  if (!journal.ok) return journal;
  const time = isoNow();
  const lines = lessons.flatMap(({ from, reason }) =>
    state.atoms.map(({ id: atom }) => ({
      time,
      run: "",
      iteration: 0,
      event: "attempt_failed",
      atom,
      // An attempt fails once.
      attempt: `${from}, ${atom}`,
      kind: "failed",
      reason: `sent back: ${reason}`,
    })),
  );
  const written = journal.value.append(lines);
  journal.value.close();
  return written;
}

/** The loop as it is; null: it is not there, or not valid. */
export async function readWork(stateFile: string, work: PhaseWork): Promise<State | null> {
  const read = await readStateFile(workFile(stateFile, work.file));
  return read.ok ? read.value.state : null;
}

/** Its loop is completed, and the run that completed it handed the work over as far as it could. */
export async function isVerified(stateFile: string, work: PhaseWork): Promise<boolean> {
  const file = workFile(stateFile, work.file);
  if (!existsSync(file)) return false;
  const read = await readStateFile(file);
  return read.ok && read.value.state.control.status === "completed" && recallLoop(file).unfinished === null;
}

/**
 * PHASE-WORK-2. Null: the person's branch holds the work; else the branch that it is on, and the command. @param project where the
 * person works
 */
export async function branchToTake(
  file: string,
  project: string,
): Promise<{ readonly branch: string; readonly take: string } | null> {
  const name = loopName(file);
  const repository = name === "" ? null : await repositoryOf(project);
  if (repository === null || !repository.ok) return null;
  const { branch } = lineRefs(safeName(name));
  const { git, head, typed } = repository.value;
  const tip = await git.run(["rev-parse", "-q", "--verify", `refs/heads/${branch}^{commit}`]);
  // One that somebody removed was taken or given up by that person.
  if (!tip.ok) return null;
  return (await git.run(["merge-base", "--is-ancestor", tip.stdout.trim(), head])).ok
    ? null
    : { branch, take: `${typed} merge ${branch}` };
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Empty: it never ran in worktrees. */
function loopName(file: string): string {
  const { name } = loopPaths(file);
  return (readOwnFile(name) ?? "").trim();
}
