/**
 * AoT Loop as a library: what `aot` does, as typed functions (docs/library.md). Loops on engines: `aot-loop/engine`.
 *
 * Expected failure is a value (`Result`, `RunEnd`), never an exception. A function that takes a `stateFile` works on the
 * file under its lock, as the command does.
 */
import { readStateFile } from "./adapters/store/state-file.ts";
import { accepted, type Result } from "./core/problem.ts";
import type { Redirect } from "./core/redirect.ts";
import type { ChecklistVerdict } from "./core/verdict.ts";
import * as edit from "./edit/redirect-loop.ts";
import { EXTENSIONS } from "./extensions.ts";
import type { PhasesEnd, PhasesRunOptions as PhasesOptions, PhasesWatch } from "./phases/run-options.ts";
import * as phasesPlan from "./phases/plan.ts";
import * as phases from "./phases/run.ts";
import { projectOf } from "./project/find-state-file.ts";
import {
  ATTEMPT_TIMEOUT_MS,
  MAX_WAIT_MS,
  type RunEnd,
  type RunOptions as Options,
  type RunWatch,
} from "./run/options.ts";
import * as run from "./run/run.ts";
import * as stop from "./run/stop.ts";
import * as report from "./status/loop-report.ts";
import { tamperedIn } from "./verify/tampered-files.ts";
import { verifyIn, type Deciders } from "./verify/verify-loop.ts";

type WithDefaults = "root" | "merge" | "restart" | "settings" | "limits" | "sandbox";
interface Defaulted extends Partial<Pick<Options, Exclude<WithDefaults, "settings" | "limits">>> {
  /** How `aot` is called (a program and its first arguments), for the hooks of clients; absent: they get none. */
  readonly aot?: readonly string[];
  readonly settings?: Partial<Options["settings"]>;
  readonly limits?: Partial<Options["limits"]>;
}
/** As the flags of `aot run`; only `stateFile` is needed. */
export interface RunOptions extends Omit<Options, "guard" | "engines" | WithDefaults>, Defaulted {}
/** As the flags of `aot phases run`. */
export interface PhasesRunOptions extends Omit<PhasesOptions, "run"> {
  readonly run: Omit<PhasesOptions["run"], "guard" | "engines" | WithDefaults> & Defaulted;
}

const { engines } = EXTENSIONS;

function whole<O extends Defaulted>(options: O, stateFile: string) {
  const { aot, root = projectOf(stateFile), settings, limits } = options;
  return {
    merge: true,
    restart: false,
    sandbox: { setting: "auto" as const },
    ...options,
    root,
    settings: { verify_each: false, confirmed: false, ...settings },
    limits: { timeout_ms: ATTEMPT_TIMEOUT_MS, max_wait_ms: MAX_WAIT_MS, ...limits },
    guard: EXTENSIONS.guard(root, aot),
    engines,
  };
}

/** Runs the loop of a state file until it halts. Never rejects for what agents, checks or files do. */
export async function runLoop(options: RunOptions, watch: RunWatch = { line: () => {} }): Promise<RunEnd> {
  return await run.runLoop(whole(options, options.stateFile), watch);
}

/** The worst case of a run; starts nothing. */
export async function planRun(options: RunOptions): ReturnType<typeof run.planRun> {
  return await run.planRun(whole(options, options.stateFile));
}

/** Asks the loop to stop, whoever runs it. */
export async function stopLoop(stateFile: string, reason: string): Promise<Result<stop.StopAsked>> {
  return await stop.stopLoop(stateFile, reason, engines);
}

/** Redirects a loop, whoever runs it. */
export async function redirectLoop(stateFile: string, redirect: Redirect): Promise<Result<edit.RedirectDone>> {
  return await edit.redirectLoop(stateFile, redirect, engines);
}

/** Checks the base case in the project as it is now. `tampered`: protected files that differ from the alignment's. */
export async function verifyLoop(
  stateFile: string,
  deciders: Deciders = { confirm: false },
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<ChecklistVerdict & { readonly tampered: readonly string[] }>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { objective } = read.value.state;
  const tampered = await tamperedIn(stateFile, objective);
  if (!tampered.ok) return tampered;
  const verified = await verifyIn(read.value.state, { dir: projectOf(stateFile), stateFile }, deciders, signal);
  return verified.ok ? accepted({ ...verified.value, tampered: tampered.value }) : verified;
}

/** What happened to a loop, as one HTML page. */
export async function loopReport(stateFile: string): Promise<Result<report.LoopReport>> {
  return await report.loopReport(stateFile, engines);
}

/** Runs a phase loop until it is complete, a human has to decide, or something stops it. */
export async function runPhases(options: PhasesRunOptions, watch: PhasesWatch): Promise<PhasesEnd> {
  return await phases.runPhases({ ...options, run: whole(options.run, options.stateFile) }, watch);
}

/** The worst case of a run of a phase loop; starts nothing. */
export async function planPhases(options: PhasesRunOptions): ReturnType<typeof phasesPlan.planPhases> {
  return await phasesPlan.planPhases({ ...options, run: whole(options.run, options.stateFile) });
}

// Aligning, running and watching a loop.
export { alignLoop, type AlignOptions, type Aligned } from "./align/align-loop.ts";
export { readAlignment } from "./align/alignment-file.ts";
export type { Alignment, WantedAtom } from "./align/alignment.ts";
export { readStateFile } from "./adapters/store/state-file.ts";
export { findStateFile } from "./project/find-state-file.ts";
export { showState, type ShownState } from "./edit/show-state.ts";
export type { RunControl, RunEnd, RunWatch } from "./run/options.ts";
export type { RunReport } from "./run/report.ts";
export { attachLoop, type AttachEnd } from "./run/attach.ts";
export { loopStatus, type LoopStatus } from "./status/loop-status.ts";
export { followLog, readLog, type LogFilter, type LoopLog } from "./history/loop-log.ts";
export type { JournalLine } from "./core/journal-line.ts";
export type { LoopReport } from "./status/loop-report.ts";
export { graphJson, mermaidText, type GraphJson } from "./view/graph-text.ts";
export { examine, type Examination } from "./doctor/doctor.ts";
export type { Deciders } from "./verify/verify-loop.ts";
export type { ChecklistVerdict } from "./core/verdict.ts";
export type { Redirect } from "./core/redirect.ts";

// By hand, while nothing runs the loop.
export { addAtomTo, addBindingTo, decomposeAtomIn, failAtomIn, switchChoiceIn, updateAtomIn } from "./edit/atoms.ts";
export { setLoopStatus } from "./edit/set-loop-status.ts";

// Phase loops and guard rules.
export { actOnPhases, beginPhases } from "./phases/answer.ts";
export { phasesStatus, type PhasesStatus } from "./phases/status.ts";
export type { PhasesEnd, PhasesWatch } from "./phases/run-options.ts";
export { analyzeTranscripts } from "./rules/analyze.ts";
export { ruleText, switchRule, writeNewRule } from "./rules/edit.ts";
export { loadRules } from "./rules/load.ts";
export { ruleFolders } from "./rules/place.ts";
export { replayRules } from "./rules/replay.ts";
export { judgeAction } from "./rules/verdict.ts";
export { promptSubject, stopSubject, toolSubject } from "./rules/match/subject.ts";

// Vocabulary.
export { describeProblems, type Problem, type Result } from "./core/problem.ts";
export { EXIT_CODES } from "./core/state.ts";
export type { Atom, BaseCase, Check, ChecklistItem, Constraints, Objective, Outcome, State } from "./core/state.ts";
