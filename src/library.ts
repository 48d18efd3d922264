/** The library's operations that reach guard rules and engines, as they are for whoever imports the package. */
import type { Result } from "./core/problem.ts";
import type { Redirect } from "./core/redirect.ts";
import * as edit from "./edit/redirect-loop.ts";
import { EXTENSIONS } from "./extensions.ts";
import type { PhasesEnd, PhasesRunOptions as PhasesOptions, PhasesWatch } from "./phases/run-options.ts";
import * as plan from "./phases/plan.ts";
import * as phases from "./phases/run.ts";
import type { RunEnd, RunOptions as Options, RunWatch } from "./run/options.ts";
import * as run from "./run/run.ts";
import * as stop from "./run/stop.ts";
import * as report from "./status/loop-report.ts";

interface OwnCommand {
  /** How `aot` is called (a program and its first arguments), for the hooks of clients; absent: they get none. */
  readonly aot?: readonly string[];
}
export type RunOptions = Omit<Options, "guard" | "engines"> & OwnCommand;
export type PhasesRunOptions = Omit<PhasesOptions, "run"> & {
  readonly run: Omit<PhasesOptions["run"], "guard" | "engines"> & OwnCommand;
};

const { engines } = EXTENSIONS;

function whole<O extends OwnCommand & { readonly root: string }>(options: O): O & Pick<Options, "guard" | "engines"> {
  return { ...options, guard: EXTENSIONS.guard(options.root, options.aot), engines };
}

/** Works the loop of a state file until it halts. Never rejects for what agents, checks or files do. */
export async function runLoop(options: RunOptions, watch: RunWatch): Promise<RunEnd> {
  return await run.runLoop(whole(options), watch);
}

/** The worst case of a run; starts nothing. */
export async function planRun(options: RunOptions): ReturnType<typeof run.planRun> {
  return await run.planRun(whole(options));
}

/** Works a phase loop until it is complete, a person is needed, or something stops it. */
export async function runPhases(options: PhasesRunOptions, watch: PhasesWatch): Promise<PhasesEnd> {
  return await phases.runPhases({ ...options, run: whole(options.run) }, watch);
}

/** The worst case of a run of a phase loop; starts nothing. */
export async function planPhases(options: PhasesRunOptions): ReturnType<typeof plan.planPhases> {
  return await plan.planPhases({ ...options, run: whole(options.run) });
}

/** Asks the loop to stop, whoever works it. */
export async function stopLoop(stateFile: string, reason: string): Promise<Result<stop.StopAsked>> {
  return await stop.stopLoop(stateFile, reason, engines);
}

/** Changes the course of a loop, whoever works it. */
export async function redirectLoop(stateFile: string, redirect: Redirect): Promise<Result<edit.RedirectDone>> {
  return await edit.redirectLoop(stateFile, redirect, engines);
}

/** What happened to a loop, as one HTML page. */
export async function loopReport(stateFile: string): Promise<Result<report.LoopReport>> {
  return await report.loopReport(stateFile, engines);
}
