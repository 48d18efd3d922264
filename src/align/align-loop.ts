/**
 * `aot align` (SPEC sections 2 and 6): from an alignment to a loop that may begin.
 *
 * ALIGN-LOOP-1 nothing is written before every check was run once and the result was shown;
 * ALIGN-LOOP-2 an unfinished loop is not overwritten unless forced, a running loop, or one on an engine never; the old file
 *    is kept beside;
 * ALIGN-LOOP-3 what the journal holds of an earlier loop is parted from the new one by a mark;
 * ALIGN-LOOP-4 nothing of an earlier loop's integration branch is in the new one's: that starts from where the project
 *    stands.
 */
import { constants, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { redFirst, type RedFirstOptions, type RedFirstReport } from "../adapters/checks/red-first.ts";
import { keepTestRecord, testRecord } from "../adapters/checks/test-record.ts";
import { ownerOf } from "../adapters/store/owner.ts";
import { beginCopy } from "../adapters/store/kept-copy.ts";
import { hideOwnFiles } from "../adapters/workspace/own-files.ts";
import { createStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { importedRepository } from "../adapters/workspace/folder-repository.ts";
import { protectedIn } from "../adapters/workspace/protected-files.ts";
import { lessonsAtFirst } from "../core/base-case-end.ts";
import { accepted, refused, type Refused, type Result } from "../core/problem.ts";
import { formatDuration } from "../core/fuel.ts";
import { passesWanted, redsWanted, TRUST } from "../core/luck.ts";
import type { Usage } from "../core/event.ts";
import type { BaseCase, Objective, State } from "../core/state.ts";
import { answeredOn, remember } from "../core/tree-answers.ts";
import { targetOf } from "../host/atomic-write.ts";
import { explainWrite } from "../host/write-failure.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { removeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { createStateText } from "../statefile/create.ts";
import { BY_HAND } from "../core/journal-line.ts";
import { appendByHand, runnerRefusal } from "../edit/edit-loop.ts";
import { sessionOwnerOf, ownerRefusal } from "../project/session-owner.ts";
import { notAsAligned } from "../verify/tampered-files.ts";
import { firstSelections } from "../core/decompose.ts";
import { isoNow } from "../host/clock.ts";
import { projectOf } from "../project/find-state-file.ts";
import { alignedState, type Alignment } from "./alignment.ts";
import { neverGreen } from "./never-green.ts";
import { inFreshPlace, type PlaceTerms } from "./fresh-place.ts";
import { withRedInvariants } from "./test-checks.ts";

export interface AlignedReport extends RedFirstReport {
  /** The tree that the checks were run on; null: no tree is what stood there. */
  readonly tree: string | null;
  /** The chance of a verdict by luck that is accepted in this loop. */
  readonly trust: number;
  /** As given, but for invariants whose tests fail already: no test of those may get worse. */
  readonly base_case: BaseCase;
}

interface RedFirstPlace {
  readonly dir: string;
  readonly stateFile: string;
  readonly trust: number;
  readonly signal: AbortSignal;
  /** How a run makes its places, to see that the checks answer the same in there; absent: it is not looked at. */
  readonly places?: PlaceTerms | undefined;
  /** Is told what is waited for. */
  readonly tell?: (what: string) => void;
}

/** Runs every check before any work. */
export async function redFirstReport(
  { base_case: baseCase, protected: globs = [] }: Pick<Objective, "base_case" | "protected">,
  { dir, stateFile, trust, signal, places, tell = () => {} }: RedFirstPlace,
): Promise<AlignedReport> {
  const options = { signal, trust, tell };
  const look = async (where: string, more: Partial<RedFirstOptions>): Promise<Looked> => {
    const first = await redFirst(baseCase, where, { ...options, ...more });
    const base_case = withRedInvariants(baseCase, first);
    const report = base_case === baseCase ? first : await redFirst(base_case, where, { ...options, ...more });
    return { ...report, base_case, tree: more.tree ?? null };
  };
  const there =
    places === undefined
      ? { report: null, notes: [] }
      : await inFreshPlace(places, { dir, stateFile, signal, tell }, look);
  const report = there.report ?? (await look(dir, {}));
  const never = neverGreen(report.leaves, (path) => isFile(dir, path));
  const warnings = [...report.warnings, ...there.notes, ...never, ...idleGlobs(dir, globs), ...priceOf(trust, report)];
  return { ...report, trust, warnings };
}

/** What a trust costs that somebody asked for. */
function priceOf(trust: number, { leaves }: RedFirstReport): AlignedReport["warnings"] {
  if (!(trust > 0 && trust < TRUST)) return [];
  const reds = redsWanted(trust);
  const passes = passesWanted(trust, { green: false, reds, most_reds: reds, chances: 1, wasted: 0 }) ?? reds;
  const ms = leaves.map(({ standing, result: { evidence: of } }) =>
    standing === "red" && "duration_ms" in of ? of.duration_ms : 0,
  );
  const more = formatDuration(1_000 * Math.ceil(((passes - 1) * ms.reduce((sum, one) => sum + one, 0)) / 1_000));
  const message = `each check that is red has to be red ${reds} times before the work, mostly while agents work, and to pass ${passes} times at a verdict, which takes about ${more} more`;
  return [{ path: [], item: `--trust ${trust}`, message }];
}

type Looked = Omit<AlignedReport, "trust">;

/** Any word of a command may be asked about, one too long for a name as well. */
function isFile(dir: string, path: string): boolean {
  try {
    return statSync(join(dir, path)).isFile();
  } catch {
    return false;
  }
}

function idleGlobs(dir: string, globs: readonly string[]): AlignedReport["warnings"] {
  const idle = globs.filter((glob) => !glob.startsWith("!") && protectedIn(dir, [glob]).length === 0);
  const message = "it names no file here, so that only new ones are kept out; see that it is spelt as you mean it";
  return idle.map((glob) => ({ path: [], item: `--protect ${JSON.stringify(glob)}`, message }));
}

/** The state as the report settles it: the base case that it is about, and the digest of what its tests were. */
export function settledBy(state: State, { base_case, tests }: AlignedReport): State {
  const record = testRecord(tests);
  const aligned = record === null ? {} : { aligned_tests: record.digest };
  return { ...state, objective: { ...state.objective, base_case, ...aligned } };
}

/**
 * Why a base case should not be written; empty: it may. A vacuous leaf beside a red one is reported, not refused.
 * @param asked a person is shown the report, and decides
 */
export function whyNotEarned(report: RedFirstReport, asked = false): readonly string[] {
  const broken = report.leaves
    .filter(({ standing }) => standing === "broken" || standing === "flaky")
    .map((leaf) => `${JSON.stringify(leaf.item)} ${leaf.why}`);
  const doubts = asked ? [] : report.doubts.map(({ item, message }) => `${JSON.stringify(item)} ${message}`);
  const vacuous = report.leaves.filter((leaf) => leaf.standing === "vacuous").map((leaf) => JSON.stringify(leaf.item));
  const whole =
    report.would_complete_now && broken.length === 0 && vacuous.length > 0
      ? [
          `the base case holds before any work: ${vacuous.join(", ")} already ${vacuous.length === 1 ? "passes" : "pass"}`,
        ]
      : [];
  return [...broken, ...doubts, ...whole];
}

/** ALIGN-LOOP-2. Whether a new loop may take this file: `replace` when an old one is there. */
export async function placeFor(stateFile: string, force: boolean): Promise<Result<{ readonly replace: boolean }>> {
  const busy = runnerRefusal(stateFile);
  if (busy !== null) return busy;
  const read = await readStateFile(stateFile);
  if (!read.ok && read.problems[0]?.code === "file_missing") return accepted({ replace: false });
  const owner = read.ok ? sessionOwnerOf(stateFile, read.value.state) : null;
  const owned =
    owner === null || !read.ok
      ? null
      : ownerRefusal(owner, read.value.state.control.iteration, "`aot state set-status stopped` lets the loop go");
  if (owned !== null) return owned;
  const hosted = read.ok ? engineRefusal(stateFile, read.value.state) : null;
  if (hosted !== null) return hosted;
  if (force) return accepted({ replace: true });
  if (!read.ok)
    return refused(
      `${stateFile} exists and is not valid: ${read.problems[0]?.message ?? ""}`,
      "repair it (`aot state validate`), or overwrite it with --force",
    );
  const { status, iteration } = read.value.state.control;
  if (status === "completed") return accepted({ replace: true });
  return refused(
    `${stateFile} holds an unfinished loop (${status}, iteration ${iteration}): ${read.value.state.objective.goal}`,
    "go on with `aot run`, change it with `aot redirect`, or overwrite it with --force (the old file is kept)",
  );
}

/** What an engine has goes on there, whatever becomes of its view. Null: it is the file's, or is verified and final. */
function engineRefusal(stateFile: string, state: State): Refused | null {
  const owner = ownerOf(state);
  if (owner === null || state.control.status === "completed") return null;
  return refused(
    `the engine ${owner.engine} works the loop of ${stateFile} as ${owner.loop}; the file is a view of it`,
    "change that loop with `aot redirect`, or align the new goal in a file of its own with --state-file FILE; if the loop was verified there, `aot loops pull` says so here",
  );
}

export interface Written {
  /** Where the old file is kept. */
  readonly backup: string | null;
  readonly notes: readonly string[];
}

/**
 * Writes the new loop, as `settledBy` its report.
 * @param report what the checks answered before the work, to be held against later answers; absent: none was run.
 *    `spent`: on its draft
 */
export async function writeLoop(
  stateFile: string,
  state: State,
  { replace, report, spent }: { replace: boolean; report?: AlignedReport; spent?: Usage | undefined },
): Promise<Result<Written>> {
  const busy = runnerRefusal(stateFile);
  if (busy !== null) return busy;
  const backup = replace ? keepOld(stateFile) : accepted(null);
  if (!backup.ok) return backup;
  const trail = firstSelections(state.or_groups, "as aligned", isoNow());
  await hideOwnFiles(stateFile);
  const created = await createStateFile(
    stateFile,
    createStateText({ ...state, trail }, state.objective.original_prompt ?? state.objective.goal),
    { what: "align", replace },
  );
  if (!created.ok) return created;
  const mark = {
    time: isoNow(),
    run: BY_HAND,
    iteration: 0,
    event: "aligned",
    usage: spent,
    ...answersOf(state, report),
  };
  const notes = [
    ...keepTestRecord(loopPaths(targetOf(stateFile)).dir, testRecord(report?.tests ?? new Map())),
    ...appendByHand(stateFile, [mark]),
    ...forgetBranches(stateFile),
    ...(await notAsAligned(stateFile, state.objective)),
  ];
  beginCopy(stateFile);
  return accepted({ backup: backup.value, notes });
}

export interface AlignOptions {
  readonly stateFile: string;
  /** Overwrites an unfinished loop (the old file is kept), and writes a base case that proves nothing. */
  readonly force?: boolean;
  /** The chance of a verdict by luck that is accepted, over all verdicts of the loop; default 1: any. 0: each check is run once. */
  readonly trust?: number;
  readonly signal?: AbortSignal;
}

export interface Aligned extends Written {
  readonly state: State;
  readonly report: AlignedReport;
}

/** Writes the state file of an alignment, after running every check once. Refused when the checks prove nothing. */
export async function alignLoop(
  alignment: Alignment,
  { stateFile, force = false, trust = TRUST, signal = new AbortController().signal }: AlignOptions,
): Promise<Result<Aligned>> {
  const place = await placeFor(stateFile, force);
  if (!place.ok) return place;
  const dir = projectOf(stateFile);
  const aligned = alignedState(alignment, await headOf(dir, stateFile));
  if (!aligned.ok) return aligned;
  const report = await redFirstReport(aligned.value.objective, { dir, stateFile, trust, signal });
  const state = settledBy(aligned.value, report);
  const reasons = force ? [] : whyNotEarned(report);
  if (reasons.length > 0) return refused(reasons.join("; "), 'sharpen the checks, or declare `baseline: "pass"`');
  const written = await writeLoop(stateFile, state, { ...place.value, report });
  return written.ok ? accepted({ ...written.value, state, report }) : written;
}

function answersOf(state: State, report: AlignedReport | undefined): object {
  if (report === undefined) return {};
  const { verdict, trust } = report;
  // What has no object id is no tree of a verdict, and its answers count all the same.
  const tree = report.tree ?? "";
  const lessons = lessonsAtFirst(state, verdict);
  const doubts = report.doubts.map(({ item, message }) => `${JSON.stringify(item)} ${message}`);
  const known = { tree, trust, answers: answeredOn(remember([], tree, verdict), tree), lessons };
  return doubts.length === 0 ? known : { ...known, doubts };
}

/** ALIGN-LOOP-4. @returns why it could not, as notes */
function forgetBranches(stateFile: string): string[] {
  const { name } = loopPaths(targetOf(stateFile));
  if (removeOwnFile(name) || readOwnFile(name) === null) return [];
  return [`remove ${name} before the next run: it names the branches of the loop before this one`];
}

const MOST_BACKUPS = 10_000;

function keepOld(stateFile: string): Result<string> {
  for (let number = 1; number < MOST_BACKUPS; number++) {
    const backup = `${stateFile}.bak-${number}`;
    try {
      copyFileSync(stateFile, backup, constants.COPYFILE_EXCL);
      return accepted(backup);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      const { message, hint } = explainWrite(backup, error);
      return refused(`the old file cannot be kept, so nothing was changed: ${message}`, hint);
    }
  }
  return refused(`there are ${MOST_BACKUPS} old files beside ${stateFile}`, "remove some of them");
}

/** The commit that a goal is aligned at, and compared with: of a folder in no repository as it is now. Null: there can be none. */
export async function headOf(dir: string, stateFile: string): Promise<string | null> {
  const repository = await importedRepository(dir, stateFile);
  return repository.ok ? repository.value.head : null;
}
